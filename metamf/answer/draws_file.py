"""Several filled-in tables in one file, for analyses (``metamf.answer.draws``).

Each of them has all columns of the file, those left alone too, in its order, with its codes and
words, and a first column ``imputation`` that counts them. Lines that are no rows, such as totals,
are left out.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from metamf.answer.adaptation import Adaptation
from metamf.answer.answer import Answer
from metamf.answer.draws import Draws, drawn
from metamf.tables import write
from metamf.tables.table import Table
from metamf.tables.text import decode, escape, split_records
from metamf.wording import percent

MOST_SHEETS = 20  # of a workbook, one for each table
MOST_LINES = 20  # on missing information, of the columns that miss most
NUMBER = "imputation"  # name of the column that counts the tables


@dataclass(frozen=True, eq=False)
class SeveralTables:
    """A file with ``m`` filled-in tables from a seed, what they are for, and the pooled means."""

    content: bytes
    m: int
    seed: int
    purpose: str
    means: pd.DataFrame  # of ``pooled_means``

    def sentences(self) -> list[str]:
        """What they are for, and which share of the information on each column's mean is
        missing."""
        missing = self.means["missing information"].to_numpy()
        most = np.argsort(-missing, kind="stable")[:MOST_LINES]
        lines = [f"{self.m} filled-in tables (seed {self.seed}), for {self.purpose}."]
        for name, share in self.means.iloc[np.sort(most)]["missing information"].items():
            lines.append(f"{name}: {percent(share)} of the information on its mean is missing.")
        if len(missing) > MOST_LINES:
            rest = percent(missing[most].min())
            lines.append(f"{len(missing) - MOST_LINES:,} more columns miss at most {rest}.")
        return lines


def drawn_file(
    fitted: Adaptation,
    table: Table,
    m: int,
    seed: int,
    shift: float = 0.0,
    rounded: bool = False,
    form: str = "csv",
) -> SeveralTables:
    """Returns ``m`` filled-in tables as a file: 'csv' (in the encoding and with the delimiter of
    what was read) or 'parquet' below each other, 'xlsx' a sheet for each.

    Given cells are written as they are, also where the models read another value, or none. Raises
    ValueError for more tables than a workbook holds.
    """
    if form == "xlsx" and m > MOST_SHEETS:
        raise ValueError(
            f"a workbook has a sheet for each of {MOST_SHEETS} tables at most, not {m}: write .csv"
        )
    draws = drawn(fitted, m, seed, shift, rounded=rounded).beside(table.ratings)
    files = [write.to_csv(table, Answer(table.ratings, partial(_cells, X))) for X in draws.arrays()]
    content_of = {"csv": _as_text, "xlsx": _as_workbook, "parquet": _as_parquet}[form]
    return SeveralTables(content_of(table, files), m, seed, draws.purpose, pooled_means(draws))


def _cells(X: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
    return X[rows, cols]


def pooled_means(draws: Draws) -> pd.DataFrame:
    """The mean of each column, pooled by Rubin's rules: a row by its name, with 'mean', 'standard
    error', the ends of the interval of 95 %, and 'missing information', from 0 to 1."""
    n, M = draws.ratings.shape
    names = draws.ratings.col_labels or tuple(map(str, range(1, M + 1)))
    columns = ("mean", "standard error", "lower", "upper", "missing information")
    if n < 2:
        mean = next(draws.arrays())[0]
        found = (mean, 0.0, mean, mean, 0.0)
    else:
        whole = draws.pool(
            lambda X: (np.mean(np.asarray(X), axis=0), np.var(np.asarray(X), axis=0, ddof=1) / n)
        )
        ends = whole.lower, whole.upper
        found = (whole.estimate, whole.standard_error, *ends, whole.missing_information)
    values = {name: np.broadcast_to(np.asarray(x), M) for name, x in zip(columns, found)}
    return pd.DataFrame(values, index=pd.Index(names, name="column"))


def _rows(table: Table, content: bytes) -> Iterator[tuple[list[str], str]]:
    """The lines of a filled-in table that are rows: the cells, and the text without its end."""
    source, dialect = table.source, table.source.dialect
    text = decode(content, dialect.encoding)[0].rstrip("\x1a")
    rows = set(source.records.tolist())
    known = len(source.grid.lines)
    split = split_records(text, dialect.delimiter, dialect.quotes, escaped=dialect.escaped)
    for i, (_, record, raw) in enumerate(split):
        if i in rows or i >= known:
            yield record, raw.rstrip("\r\n")


def _as_text(table: Table, files: list[bytes]) -> bytes:
    """All tables below each other, every cell as the file writes it; names above, where it has
    any."""
    dialect = table.source.dialect
    lines = []
    for number, content in enumerate(files, 1):
        for _, raw in _rows(table, content):
            first = dialect.quoted(str(number), always=raw[:1] == '"')
            lines.append(f"{first}{dialect.delimiter}{raw}")
    if table.plan.header:
        names = (NUMBER, *(column.name for column in table.plan.columns))
        always = bool(lines) and lines[0][:1] == '"'
        header = (dialect.quoted(escape(name), always=always) for name in names)
        lines.insert(0, dialect.delimiter.join(header))
    text = "".join(line + dialect.newline for line in lines)
    return dialect.bom + text.encode(dialect.encoding)


def _frame(table: Table, content: bytes) -> pd.DataFrame:
    """One filled-in table with the names of the plan; a column that holds numbers alone as
    numbers."""
    names = [column.name for column in table.plan.columns]
    width = len(names)
    rows = [[*record, *[""] * width][:width] for record, _ in _rows(table, content)]
    frame = pd.DataFrame(rows, columns=names, dtype=object)
    form = table.readings[0].form
    for name in names:
        numbers = np.array([form.value(text) for text in frame[name]], dtype=float)
        blank = (frame[name].str.strip() == "").to_numpy()
        if (~np.isnan(numbers) | blank).all():
            frame[name] = numbers
    return frame


def _as_workbook(table: Table, files: list[bytes]) -> bytes:
    """A sheet for each table."""
    stream = io.BytesIO()
    with pd.ExcelWriter(stream) as book:
        for number, content in enumerate(files, 1):
            frame = _frame(table, content).map(lambda x: escape(x) if isinstance(x, str) else x)
            frame.rename(columns=escape).to_excel(
                book, sheet_name=f"{NUMBER} {number}", index=False
            )
    return stream.getvalue()


def _as_parquet(table: Table, files: list[bytes]) -> bytes:
    """All tables below each other."""
    frames = [_frame(table, content) for content in files]
    for number, frame in enumerate(frames, 1):
        frame.insert(0, NUMBER, number, allow_duplicates=True)
    stream = io.BytesIO()
    pd.concat(frames, ignore_index=True).to_parquet(stream, index=False)
    return stream.getvalue()
