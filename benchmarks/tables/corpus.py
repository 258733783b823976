"""The tables: where each comes from, which columns of it are used, and to which half it belongs.

``corpus.csv`` lists them; ``benchmarks.tables.download`` fetches the packages. A table is the numeric columns of a data
set without identifiers, design variables and dates. Long and wide tables are cut to a random part.

The division in two halves was drawn by a seed before any result was seen. Tables that trials had looked at before the
draw (``seen``) are in the deciding half; the others were drawn, kind by kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from benchmarks.rows import read

Half = Literal["decide", "judge"]
DRAW = 16  # seed of the division
MOST_COLUMNS = 30  # of a table


@dataclass(frozen=True)
class TableSource:
    """A table; its columns in corpus.csv are separated by spaces."""

    name: str
    kind: str
    package: str  # as ``benchmarks.tables.packages`` knows it
    path: str  # the data set in the package
    what: str  # rows and columns, in words
    drop: tuple[str, ...] = ()  # columns to leave out
    only: tuple[str, ...] = ()  # columns to use, all others left out
    pivot: tuple[str, ...] = ()  # of a long list the columns with row, column and value
    rows: int = 500  # at most; others are cut
    seen: bool = False  # whether trials had used it before the division was drawn


def _source(row: dict[str, str]) -> TableSource:
    columns = {name: tuple(row.pop(name).split()) for name in ("drop", "only", "pivot")}
    return TableSource(**columns, rows=int(row.pop("rows")), seen=row.pop("seen") == "yes", **row)


SOURCES = tuple(_source(row) for row in read(Path(__file__).with_name("corpus.csv")))


def halves(sources: tuple[TableSource, ...] = SOURCES) -> dict[str, Half]:
    """The half of each table, by name: half of each kind is drawn to judge, among tables that no trial had seen."""
    rng = np.random.default_rng(DRAW)
    found: dict[str, Half] = {source.name: "decide" for source in sources}
    odd = 0
    for kind in dict.fromkeys(source.kind for source in sources):
        of_kind = [source for source in sources if source.kind == kind]
        unseen = [source.name for source in of_kind if not source.seen]
        wanted = (len(of_kind) + odd) // 2
        odd = (len(of_kind) + odd) % 2
        for name in rng.permutation(unseen)[:wanted].tolist():
            found[name] = "judge"
    return found
