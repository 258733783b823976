"""Exports: estimates to write, and exports read back."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from metamf import Ratings
from metamf.tables import ReadOptions, Table, read_table
from metamf.tables.roles import RATING


@dataclass
class Estimated:
    """Estimates as an answer has them."""

    mean: np.ndarray
    clipped: np.ndarray
    hidden: np.ndarray
    lower: np.ndarray | None = None
    upper: np.ndarray | None = None
    level: float | None = None
    method: str = ""


def ratings_of(table: Table | Ratings) -> Ratings:
    return table if isinstance(table, Ratings) else table.ratings


def estimated(table, mean, clipped=(), hidden=(), **more) -> Estimated:
    """Estimates of the cells of a table, of which some were ``clipped``, and some observed ones ``hidden``: pairs of
    row and column."""
    ratings = ratings_of(table)
    cut, away = np.zeros(ratings.shape, dtype=bool), np.zeros(ratings.shape, dtype=bool)
    for cells, chosen in ((cut, clipped), (away, hidden)):
        for cell in chosen:
            cells[cell] = True
    return Estimated(np.asarray(mean, dtype=float), cut, away[ratings.rows, ratings.cols], **more)


def fill(table, offset=0.25, **more) -> tuple[Any, Estimated]:
    """The table, and estimates that cannot be mistaken for observed values: row + column / 100 + offset."""
    N, M = ratings_of(table).shape
    return table, estimated(table, np.arange(N)[:, None] + np.arange(M) / 100 + offset, **more)


def values(table, answer) -> np.ndarray:
    """(N, M) the observed ratings, and the estimates elsewhere."""
    ratings, X = ratings_of(table), answer.mean.copy()
    X[ratings.rows, ratings.cols] = ratings.values
    return X


def again(table: Table, data: bytes) -> Table:
    """An export, read back with the dialect of the table that was filled."""
    d, report = table.source.dialect, table.report
    encoding = {"utf-16-le": "utf-16", "utf-32-le": "utf-32"}.get(d.encoding, d.encoding) if d.bom else d.encoding
    header = report.header_lines > 0 or report.form == "long"
    ordinary = report.roles is None or all(c.role == RATING and not c.style for c in report.roles.columns[1:])
    return read_table(
        data,
        options=ReadOptions(
            form="wide",
            delimiter=d.delimiter,
            decimal=d.decimal,
            thousands=d.thousands,
            encoding=encoding,
            header=header,
            row_labels=report.label_column is not None or report.form == "long",
            ratings="all-numbers" if ordinary else (),
        ),
    )
