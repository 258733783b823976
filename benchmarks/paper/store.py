"""Rows of benchmarks/results/paper: <experiment>.csv has one for each (data, split, method,
setting, preset, seed), with means over its blocks, appended when it is computed."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks import rows

PAPER_RESULTS = rows.RESULTS / "paper"
MODEL_FOLDER = Path.home() / ".cache" / "metamf" / "experiments"
KEYS = ["data", "split", "method", "setting", "preset", "seed"]


def key_of(row: dict) -> tuple[str, ...]:
    """The values of ``KEYS`` as texts, by which a row is recognised."""
    return tuple(str(row[name]) for name in KEYS)


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Raises RuntimeError while another process adds to the same file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            busy = f"another run is adding to {path.name}: wait for it, or stop it"
            raise RuntimeError(busy) from None
        yield
