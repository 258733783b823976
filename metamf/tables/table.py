"""A table that was read: the ratings, the report, and the source that a round trip needs."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from metamf.ratings.matrix import Ratings
from metamf.tables.dialect import Dialect
from metamf.tables.reading.report import TableReport
from metamf.tables.reading.words import Style


@dataclass(frozen=True)
class Heading:
    """Lines above the first line of ratings.

    Attributes
    ----------
    comments : comment lines, as they stand
    titles : texts of lines that hold one text only
    header : texts of the header line, or None
    """

    comments: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    header: tuple[str, ...] | None = None


@dataclass(frozen=True, eq=False)
class CellTexts:
    """The text of each rating cell as it was read.

    Attributes
    ----------
    texts : (V,) the different texts
    observed : (nnz,) position in ``texts`` for each entry of the ratings, -1 for a mean of duplicates
    missing : (n,) position in ``texts`` for each missing cell that is not empty
    missing_rows, missing_cols : (n,) rows and columns of these cells
    """

    texts: np.ndarray
    observed: np.ndarray
    missing: np.ndarray
    missing_rows: np.ndarray
    missing_cols: np.ndarray


@dataclass(frozen=True, eq=False)
class Frame:
    """All cells of a wide table of which a part is left alone, in the file's order.

    Attributes
    ----------
    cells : (L, C) position in ``CellTexts.texts`` of each cell, header lines included
    rows : (L,) row of the matrix, -1 for a line that is left alone
    cols : (C,) column of the matrix, -1 for names and for columns that are left alone
    styles : form in which the ratings of each column of the matrix are written; None for plain numbers
    n_header : number of lines that hold the names of columns
    """

    cells: np.ndarray
    rows: np.ndarray
    cols: np.ndarray
    styles: tuple[Style | None, ...]
    n_header: int


@dataclass(frozen=True, eq=False)
class Source:
    """Form of the file that was read, for a round trip: how it was written, and the text of each of its cells.

    Attributes
    ----------
    form : 'wide' or 'long'
    cells : texts of the rating cells
    dialect : delimiter, number format, encoding, quoting, line ends
    heading : lines above the ratings
    row_texts : names of the rows of a wide table as written, or None
    long_names : names of the row, column and value columns of a long table, or None
    line_order : rows and columns of the lines of a long table in the file's order, or None
    frame : all cells of a wide table that holds more than ratings and names in its first column, or None
    """

    form: str
    cells: CellTexts
    dialect: Dialect = field(default_factory=Dialect)
    heading: Heading = field(default_factory=Heading)
    row_texts: tuple[str, ...] | None = None
    long_names: tuple[str, str, str] | None = None
    line_order: tuple[np.ndarray, np.ndarray] | None = None
    frame: Frame | None = None


@dataclass(frozen=True, eq=False)
class Table:
    """A table that was read.

    Attributes
    ----------
    ratings : values as written, in rating units; names as text; scale from ``guess_scale``
    report : report on how it was understood
    source : form of the file, to write the table back
    """

    ratings: Ratings
    report: TableReport
    source: Source
