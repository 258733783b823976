"""The tables: where each comes from, which columns of it are used, and to which half it belongs.

``corpus.csv`` lists them; ``benchmarks.tables.download`` fetches the packages. A table is the
numeric columns of a data set without identifiers, design variables and dates. Long and wide tables
are cut to a random part.

The division in two halves was drawn by a seed, kind by kind, before any result was seen (by this
file at commit 42e39bc3). Tables that trials had looked at before the draw are in the deciding half.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.rows import read

MOST_COLUMNS = 30  # of a table


@dataclass(frozen=True)
class TableSource:
    """A table; its columns in corpus.csv are separated by spaces."""

    name: str
    kind: str
    half: str  # 'decide' or 'judge'
    package: str  # as ``benchmarks.tables.packages`` knows it
    path: str  # the data set in the package
    what: str  # rows and columns, in words
    drop: tuple[str, ...] = ()  # columns to leave out
    only: tuple[str, ...] = ()  # columns to use, all others left out
    pivot: tuple[str, ...] = ()  # of a long list the columns with row, column and value
    rows: int = 500  # at most; others are cut


def _source(row: dict[str, str]) -> TableSource:
    columns = {name: tuple(row.pop(name).split()) for name in ("drop", "only", "pivot")}
    return TableSource(**columns, rows=int(row.pop("rows")), **row)


SOURCES = tuple(_source(row) for row in read(Path(__file__).with_name("corpus.csv")))
