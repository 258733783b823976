"""Rows in and out of benchmarks/results/paper.

<experiment>.csv : a row per (data, split, method, setting, preset, seed) with means over its blocks, appended when it
    is computed
<experiment>-blocks.parquet : a row per block, to three decimals, rewritten with every such row
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks import rows
from metamf.files import write_atomically

PAPER_RESULTS = rows.RESULTS / "paper"
MODEL_FOLDER = Path.home() / ".cache" / "metamf" / "experiments"
KEYS = ["data", "split", "method", "setting", "preset", "seed"]


def key_of(row: dict) -> tuple[str, ...]:
    """The values of ``KEYS`` as texts, by which a row is recognised."""
    return tuple(str(row[name]) for name in KEYS)


class Store:
    """The two files of one experiment in ``folder``."""

    def __init__(self, experiment: str, folder: Path = PAPER_RESULTS):
        self.rows = folder / f"{experiment}.csv"
        self.blocks = folder / f"{experiment}-blocks.parquet"

    def done(self) -> set[tuple[str, ...]]:
        """The keys of the rows that the file holds."""
        return set(map(key_of, rows.read(self.rows)))

    def add(self, row: dict, blocks: pd.DataFrame) -> None:
        """Writes the blocks of a row, then the row, so that a row is in its file only if its blocks are in theirs."""
        key = {name: row[name] for name in KEYS}
        new = blocks[["block", "query_mse", "support_mse"]].assign(**key).astype({"block": "int16", "split": "int16"})
        frames = [new]
        if self.blocks.exists():
            old = pd.read_parquet(self.blocks)
            frames = [old[~np.logical_and.reduce([old[name] == value for name, value in key.items()])], new]
        frame = pd.concat(frames, ignore_index=True)[[*KEYS, "block", "query_mse", "support_mse"]]
        frame = frame.round(3).astype({"query_mse": "float32", "support_mse": "float32"})
        self.blocks.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(self.blocks, frame.to_parquet(index=False, compression="zstd"))
        rows.append(self.rows, row)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Raises RuntimeError while another process adds to the same files."""
        self.rows.parent.mkdir(parents=True, exist_ok=True)
        with self.rows.with_suffix(".lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise RuntimeError(f"another run is adding to {self.rows.name}: wait for it, or stop it") from None
            yield
