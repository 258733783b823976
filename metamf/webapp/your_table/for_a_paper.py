"""What one takes along for a paper: a paragraph for its methods section, two pictures of the gaps
with the numbers behind them, and the tables of multiple imputation with their pooled means."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import streamlit as st

from metamf.answer.answer import Answer
from metamf.answer.draws_file import SeveralTables, drawn_file
from metamf.answer.holdout import Report
from metamf.answer.methods import Method
from metamf.answer.methods_paragraph import methods_paragraph
from metamf.figures.gaps import (
    drawn_columns,
    gap_patterns,
    given_and_estimated,
    numbers_of_columns,
    where_gaps_are,
)
from metamf.tables.table import Table
from metamf.webapp import caches, files, jobs, look
from metamf.webapp.data.own import Upload
from metamf.webapp.engine import EngineError
from metamf.webapp.your_table.filling import HIDING_SEED, FillingKey
from metamf.wording import counted, name_of, percent, written

DRAWS = 20  # filled-in tables
SEED = 0  # of the draws
_DRAWN = 2_000_000  # cells of all of them up to which they are drawn
_MEANS = 40  # rows of the table of pooled means


def for_a_paper(
    upload: Upload,
    table: Table,
    answer: Answer,
    how: Method,
    key: FillingKey,
    report: Report | None,
) -> None:
    """Draws the tables of multiple imputation, the paragraph, and the pictures."""
    look.heading("For a paper")
    drawn = _several_tables(upload, table, answer, how, key)
    words = _paragraph(table, answer, how, report, drawn)
    look.small("A paragraph for the methods section:")
    st.code(words, language=None, wrap_lines=True)
    if report is None:
        look.small("The errors are added once they are measured.")
    pictures(table, answer, key)


def _paragraph(
    table: Table,
    answer: Answer,
    how: Method,
    report: Report | None,
    drawn: SeveralTables | None,
) -> str:
    groups = table.plan.groups
    return methods_paragraph(
        table.n_gaps,
        math.prod(answer.shape),
        how.label,
        scales=tuple(dict.fromkeys(str(group) for group in groups)),
        own_units=table.plan.has_own_units,
        report=report,
        report_seed=HIDING_SEED,
        used=how.name,
        drawn=drawn,
    )


def _several_tables(
    upload: Upload, table: Table, answer: Answer, how: Method, key: FillingKey
) -> SeveralTables | None:
    """Draws the button of the tables of multiple imputation and, once they are drawn, their file,
    what they are for, and the pooled means; returns them."""
    if answer.fitted is None or not how.gives_intervals:
        return None
    too_many = math.prod(answer.shape) * DRAWS > _DRAWN
    asked = st.session_state.get("table_draws") == key
    if not asked:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                f"{DRAWS} filled-in tables",
                key="table_make_draws",
                icon=":material/stacks:",
                disabled=too_many,
                on_click=partial(st.session_state.__setitem__, "table_draws", key),
            )
            cells = f"up to {_DRAWN // DRAWS:,} cells"
            why = "for analyses: one filled-in table makes their results look surer than they are"
            look.small(cells if too_many else why)
        return None
    about = (answer.fitted, table, DRAWS, SEED, 0.0, answer.round_to_scale)
    try:
        drawn = jobs.outcome("draws", key, drawn_file, *about, doing="Drawing tables")
    except EngineError as error:
        look.note(str(error), "warning")
        return None
    if drawn is not None:
        _show(upload, drawn)
    return drawn


def _show(upload: Upload, drawn: SeveralTables) -> None:
    """Draws the file, what the tables are for, and the pooled means."""
    stem = upload.name.rpartition(".")[0] or upload.name
    with st.container(horizontal=True, vertical_alignment="center"):
        files.offer(
            f"{drawn.m} filled-in tables",
            lambda: drawn.content,
            f"{stem}-{drawn.m}-tables.csv",
            key="table_get_draws",
            icon=":material/download:",
        )
        look.small(f"For {drawn.purpose}. All columns of your file; seed {drawn.seed}.")
    with st.expander("Pooled means, and how much of the information on them is missing"):
        means = drawn.means.iloc[:_MEANS].reset_index()
        means["missing information"] = means["missing information"].map(percent)
        st.dataframe(means, hide_index=True)
        if len(drawn.means) > _MEANS:
            look.small(f"The first {_MEANS} of {counted(len(drawn.means), 'column')}.")


def pictures(table: Table, answer: Answer, key: FillingKey) -> None:
    """Draws given and estimated values of each column, and where the gaps are."""
    given, estimated, names, gaps = caches.once("gaps", key, partial(values_of, table, answer))
    if not any(len(values) for values in estimated):
        return
    left, right = st.columns([1.2, 1], gap="medium")
    with left:
        _values_picture(given, estimated, names).draw()
    with right:
        _gaps_picture(gaps, names).draw()


def _values_picture(
    given: list[np.ndarray], estimated: list[np.ndarray], names: list[str]
) -> look.Picture:
    """Given and estimated values of each column, with counts, means and deviations as a table."""
    shown = drawn_columns(estimated)
    numbers = numbers_of_columns(given, estimated, names)
    known, guessed = int(numbers["given"].sum()), int(numbers["estimated"].sum())
    rows = [[str(row[0]), *(written(float(value)) for value in row[1:])] for row in numbers.values]
    which = f"the {len(shown)} columns with most gaps" if len(shown) < len(rows) else "each column"
    return look.Picture(
        "Given and estimated",
        f"values of {which}",
        given_and_estimated(given, estimated, names),
        "given-estimated",
        f"Densities of {known:,} given values and, below them, of {guessed:,} estimates, for "
        f"{counted(len(shown), 'column')}.",
        look.table("Given and estimated values of each column.", list(numbers.columns), rows),
    )


def _gaps_picture(gaps: np.ndarray, names: list[str]) -> look.Picture:
    """The patterns of gaps as a map and as a table."""
    patterns = gap_patterns(gaps, names)
    columns = list(patterns.columns[2:])
    rows = [
        [f"{row[0]:,}", str(row[1]), ", ".join(np.array(columns)[np.array(row[2:], dtype=bool)])]
        for row in patterns.values.tolist()
    ]
    return look.Picture(
        "Where the gaps are",
        "rows with the same gaps stand together",
        where_gaps_are(gaps, names),
        "where-gaps",
        f"A map of {int(gaps.sum()):,} gaps: {counted(len(rows), 'pattern')} of "
        f"{counted(len(gaps), 'row')}.",
        look.table("Patterns of gaps, the most frequent first.", ["rows", "gaps", "in"], rows),
    )


def values_of(
    table: Table, answer: Answer
) -> tuple[list[np.ndarray], list[np.ndarray], list[str], np.ndarray]:
    """For each column of the matrix its given and its estimated values and its name; and (N, M) the
    gaps that are filled."""
    given = table.ratings.to_dense()
    N, M = given.shape
    gaps = table.to_fill(np.arange(N)[:, None], np.arange(M))
    estimates = np.asarray(answer.mean)
    names = [name_of(table.ratings.col_labels, j, "column") for j in range(M)]
    known = [given[~np.isnan(given[:, j]), j] for j in range(M)]
    guessed = [estimates[gaps[:, j], j] for j in range(M)]
    return known, guessed, names, gaps
