"""What reading gives: the ratings, the report, and the source that a round trip needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metamf.ratings.matrix import Ratings
from metamf.tables.dialect import Dialect
from metamf.tables.reading.report import TableReport


@dataclass(frozen=True, eq=False)
class Source:
    """What a round trip needs: how the file was written, and the text of each of its cells as it stood.

    comments, titles : the lines above the table;  header : the texts of the header line, or None
    row_texts : of a wide table with row names, these as written
    names : of a long table, the names of its row, column and value columns
    texts : (V,) the different texts;  observed : (nnz,) the text of each entry, -1 for a mean of duplicates
    missing : rows, columns and texts of the missing cells that are not empty
    line_rows, line_cols : of a long table, the row and column of each line, in the file's order
    """

    form: str
    dialect: Dialect
    comments: tuple[str, ...]
    titles: tuple[str, ...]
    header: tuple[str, ...] | None
    row_texts: tuple[str, ...] | None
    names: tuple[str, str, str] | None
    texts: np.ndarray
    observed: np.ndarray
    missing: tuple[np.ndarray, np.ndarray, np.ndarray]
    line_rows: np.ndarray | None
    line_cols: np.ndarray | None


@dataclass(frozen=True, eq=False)
class Table:
    """``ratings``: values as written, labels as text, scale from ``guess_scale``; ``report``; ``source``."""

    ratings: Ratings
    report: TableReport
    source: Source
