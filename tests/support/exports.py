"""Exports: estimates to write, and exports read back."""

import numpy as np

from metamf import Ratings
from metamf.tables import ReadOptions, Table, read_table
from metamf.tables.roles import RATING
from metamf.tables.write import Filled


def fill(table, offset=0.25, **more) -> Filled:
    """Estimates that cannot be mistaken for observed values: row + column / 100 + offset."""
    N, M = (table if isinstance(table, Ratings) else table.ratings).shape
    return Filled(table, np.arange(N)[:, None] + np.arange(M) / 100 + offset, **more)


def again(filled: Filled, data: bytes) -> Table:
    """An export, read back with the dialect of the table that was filled."""
    d, report = filled.source.dialect, filled.table.report
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
