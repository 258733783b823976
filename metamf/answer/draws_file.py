"""Several filled-in tables in one file, for analyses (``metamf.answer.draws``)."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pandas as pd

from metamf.answer.draws import Draws
from metamf.answer.estimator import MetaMFImputer
from metamf.ratings.matrix import Ratings
from metamf.tables.text import escape

MOST_SHEETS = 20  # of a workbook, one for each table
MOST_LINES = 20  # on missing information, of the columns that miss most


def drawn_file(
    imputer: MetaMFImputer,
    given: Ratings,
    m: int,
    seed: int,
    shift: float,
    rounded: bool,
    format: str,
    write_line: Callable[[str], object] | None = None,
) -> bytes:
    """The rating columns of ``m`` filled-in tables: below each other with a column ``imputation``, or in Excel a sheet
    for each. ``given`` ratings are written as they are, also where the imputer read another value, or none.
    ``write_line`` is told what they are for, and which share of the information on each column's mean is missing."""
    if format == "xlsx" and m > MOST_SHEETS:
        raise ValueError(f"a workbook has a sheet for each of {MOST_SHEETS} tables at most, not {m}: write .csv")
    draws = imputer.draws(m, seed, shift=shift, rounded=rounded).beside(given)
    ratings = draws.ratings
    columns = [escape(str(name)) for name in ratings.col_labels or range(1, ratings.n_cols + 1)]
    rows = [escape(str(name)) for name in ratings.row_labels or range(1, ratings.n_rows + 1)]
    frames = [pd.DataFrame(table, index=pd.Index(rows, name="row"), columns=columns) for table in draws.arrays()]
    if write_line is not None:
        write_line(f"{m} filled-in tables, for {draws.purpose}.")
        shares = missing_information(draws)
        most = np.argsort(-shares, kind="stable")[:MOST_LINES]
        for j in np.sort(most):
            write_line(f"{columns[j]}: {shares[j]:.0%} of the information on its mean is missing.")
        if len(shares) > MOST_LINES:
            write_line(f"{len(shares) - MOST_LINES:,} more columns miss at most {shares[most].min():.0%}.")
    file = io.BytesIO()
    if format == "xlsx":
        with pd.ExcelWriter(file) as book:
            for number, frame in enumerate(frames, 1):
                frame.to_excel(book, sheet_name=f"imputation {number}")
        return file.getvalue()
    long = pd.concat(dict(enumerate(frames, 1)), names=["imputation"]).reset_index()
    if format == "parquet":
        long.to_parquet(file, index=False)
        return file.getvalue()
    return long.to_csv(index=False, float_format="%.6g").encode()


def missing_information(draws: Draws) -> np.ndarray:
    """(M,) the fraction of missing information of the mean of each column."""
    shape = (draws.ratings.n_cols,)
    n = draws.ratings.n_rows
    if n < 2:
        return np.zeros(shape)
    means = draws.pool(lambda table: (np.mean(table, axis=0), np.var(table, axis=0, ddof=1) / n))
    return np.broadcast_to(np.asarray(means.missing_information), shape)
