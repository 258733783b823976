"""Data frames that nobody wrote for the reader: those of the package pydataset, with holes.

Of each frame at most 200 lines are taken, and a tenth of each numeric column with two values or
more is emptied at random. Frames of fewer than 12 lines, fewer than two such columns or more than
40 columns are left out. The half is by the name of the frame: choices are made on the deciding one,
and the judging one is looked at once, at the end.
"""

from __future__ import annotations

import csv
import hashlib
import io
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

HALVES = "deciding", "judging"
MOST_LINES, FEWEST_LINES, MOST_COLUMNS, FEWEST_NUMERIC = 200, 12, 40, 2
EMPTIED = 0.1  # of each numeric column
ORDER = 1  # seed of the order of the frames, so that the first N are no one package's


class Frame(NamedTuple):
    """A frame as a CSV file: ``data``, with holes in the columns ``numeric`` (positions)."""

    name: str
    data: bytes
    numeric: tuple[int, ...]


def frames(folder: Path, half: str) -> Iterator[Frame]:
    """The frames of a half, in a random order that is always the same."""
    files = {path.stem: path for path in folder.rglob("*.csv") if not path.name.startswith("._")}
    names = sorted(files)
    random.Random(ORDER).shuffle(names)
    for name in names:
        if half_of(name) != half:
            continue
        try:
            table = pd.read_csv(files[name]).head(MOST_LINES)
        except (ValueError, UnicodeDecodeError):
            continue
        numeric = [
            j
            for j, column in enumerate(table.columns)
            if j and pd.api.types.is_numeric_dtype(table[column]) and table[column].nunique() > 1
        ]
        small = len(table) < FEWEST_LINES or len(numeric) < FEWEST_NUMERIC
        if not small and table.shape[1] <= MOST_COLUMNS:
            yield Frame(name, _with_holes(name, table, numeric), tuple(numeric))


def half_of(name: str) -> str:
    return HALVES[hashlib.sha256(name.encode()).digest()[0] % 2]


def _with_holes(name: str, table: pd.DataFrame, numeric: list[int]) -> bytes:
    rng = np.random.default_rng(len(name) + len(table))
    texts = table.astype(object).where(table.notna(), "")
    for j in numeric:
        hidden = rng.random(len(table)) < EMPTIED
        if not hidden.any():
            hidden[rng.integers(len(table))] = True
        texts.iloc[hidden, j] = ""
    return texts.to_csv(index=False).encode()


def cells(data: bytes) -> list[list[str]]:
    """The cells of a CSV file as texts."""
    return list(csv.reader(io.StringIO(data.decode(), newline="")))
