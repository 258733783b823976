"""What every page starts with: title, data, and the view of the run that its figures are drawn from.

Nothing heavy happens in a rerun: runs are cached per session, by the digest of the matrix and the settings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

import metamf
from metamf import datasets
from metamf.figures.window import LARGEST_DRAWN, LARGEST_WINDOW, Window
from metamf.tables import MIB, TableError
from metamf.tasks.comparison import Contender, in_order, meta_learned, of_baseline, of_run, training_data
from metamf.tasks.run import TaskRun, run, takes_sweeps
from metamf.tasks.task import Matrix, divide
from metamf.tasks.view import View
from metamf.webapp import frame, look
from metamf.webapp.matrix import sources, words
from metamf.webapp.matrix.state import DEFAULT, GRID, UPLOAD, AppState

_LARGE = 20_000  # given cells from which a spinner says that something is being computed


def open_page(title: str, lead: str, note_rule: bool = True) -> View:
    """Draws the head of a page and gives its view; where there is nothing to show it says why, and the page ends.

    note_rule : whether it notes that the paper's fixed step size diverges, where it does
    """
    frame.ensure()
    look.title(title, lead)
    if not metamf.list_pretrained():
        _end("There is no checkpoint in the folder pretrained: run `python -m metamf train` to make one.")
    state = AppState.read(st.session_state)
    matrix = _matrix(state)
    if not matrix.ratings.nnz:
        _end("No cell of the matrix holds a number yet: type at least one rating.")
    if np.abs(matrix.ratings.values).max() > LARGEST_DRAWN:
        _end(f"The matrix holds numbers above {LARGEST_DRAWN:g}: divide all of them by a common factor.")
    view = View(_run_of(state, matrix), _window(matrix))
    if note_rule and (note := words.step_rule(view.run)):
        look.note(note)
    return view


def contenders(view: View, baselines: Sequence[str]) -> Iterator[tuple[list[Contender], str | None]]:
    """All bundled checkpoints and those of the chosen ``baselines`` that have answered, best first if cells are hidden;
    and the one that is computed next, None at the end."""
    state = AppState.read(st.session_state)
    matrix = view.run.task.matrix
    runs = {name: _run_of(replace(state, model=name), matrix) for name in words.checkpoints()}

    def answer(key: str) -> Contender:
        like = runs[training_data(key, state.model)] if meta_learned(key) else None
        return _baseline(*_key(state, matrix), key, view.run, like)

    for found, waiting in in_order(baselines, answer):
        found = [*map(of_run, runs.values()), *found]
        yield sorted(found, key=lambda c: c.rmse) if view.run.task.hidden.nnz else found, waiting


def _run_of(state: AppState, matrix: Matrix) -> TaskRun:
    if matrix.ratings.nnz <= _LARGE:
        return _run(*_key(state, matrix), matrix)
    with st.spinner(f"Filling in from {state.keep} % of {matrix.ratings.nnz:,} ratings, and checking …"):
        found = _large_run(*_key(state, matrix), matrix)
        _ = found.hidden_errors, found.covered  # under the spinner: a second for a million
        return found


# A visitor's data must not reach another visitor: all caches belong to the session.
@st.cache_resource(scope="session", max_entries=16, show_spinner=False)
def _run(digest: str, keep: int, by: str, seed: int, model: str, steps: int, _matrix: Matrix) -> TaskRun:
    return run(divide(_matrix, keep / 100, by, seed), model, steps)


@st.cache_resource(scope="session", max_entries=5, show_spinner=False)  # one for each checkpoint: some 40 MB each
def _large_run(digest: str, keep: int, by: str, seed: int, model: str, steps: int, _matrix: Matrix) -> TaskRun:
    return run(divide(_matrix, keep / 100, by, seed), model, steps)


@st.cache_resource(scope="session", max_entries=40, show_spinner=False)
def _baseline(
    digest: str,
    keep: int,
    by: str,
    seed: int,
    model: str,
    steps: int,
    method: str,
    _run: TaskRun,
    _like: TaskRun | None,
) -> Contender:
    return of_baseline(method, _run.task, _run.imputation.scale, _like)


def _key(state: AppState, matrix: Matrix) -> tuple:
    T = state.sweeps if takes_sweeps(state.model) else state.steps
    return matrix.digest, state.keep, state.by, state.seed, state.model, T


# -- data -------------------------------------------------------------------------------------------------------------


def _matrix(state: AppState) -> Matrix:
    if (name := sources.data_set_of(state.data)) is not None:
        if not datasets.available(name):
            _offer_download(name)
        try:
            return sources.held_out_block(name, state.block)
        except ValueError as error:  # an archive that is damaged, or not what its publisher distributes
            _end(f"{datasets.ARCHIVES[name].title} cannot be read: {error}.")
    if state.data == UPLOAD:
        return _uploaded()
    if state.data == GRID:
        return sources.from_grid(_edited_grid())
    return sources.preset(state.data)


def _offer_download(name: str) -> None:
    archive = datasets.ARCHIVES[name]
    look.note(
        f"{archive.title} is not on this machine yet. It is downloaded from its publisher, "
        f"{archive.size / 1e6:.1f} MB. {archive.licence}"
    )
    st.markdown(f"[{archive.page}]({archive.page})")
    if st.button(f"Download {archive.title}", type="primary"):
        bar = st.progress(0.0, "Asking the publisher …")
        try:
            datasets.download(
                name,
                progress=lambda done, total: bar.progress(
                    min(done / total, 1.0), f"{done / 1e6:.1f} of {total / 1e6:.1f} MB"
                ),
            )
        except (datasets.DownloadError, OSError):
            bar.empty()
            _end(f"{archive.title} could not be downloaded now. Try again later, or choose a preset meanwhile.")
        st.rerun()
    st.stop()


def _uploaded() -> Matrix:
    if "upload" not in st.session_state:
        look.note(
            "Choose a file with the button in the sidebar: a table with rows, columns and numbers, empty where "
            "there is no rating; or a list of row, column, rating. It stays in this session only."
        )
        st.stop()
    session, upload, options = st.session_state, st.session_state.upload, sources.read_options()
    bar = st.empty()  # in every run, so that nothing below it is drawn anew when it has gone
    if session.get("upload_read", (None, None))[0] != options:
        session.pop("upload_read", None)  # before the next one takes memory
        show = lambda share: bar.progress(share, f"Reading {len(upload.data) / MIB:.1f} MB …")  # noqa: E731
        try:
            session.upload_read = options, sources.read_upload(upload, options, show)
        except TableError as error:
            _end(f"{upload.name}: {error}.")
        finally:
            bar.empty()
    _, read = session.upload_read
    with st.expander(f"{upload.name}: what was understood"):
        for sentence in read.sentences:
            look.small(sentence)
    return read.matrix


def _edited_grid() -> pd.DataFrame:
    """The editor and its numbers. The editor's own baseline stays fixed while it lives: fed its output it loses edits.

    The numbers outlive the editor, which is gone on other pages and data, and then start a new one.
    """
    session = st.session_state
    if "grid" not in session:
        session.grid, session.grid_version = sources.GRID_EXAMPLE, 0
    if f"editor-{session.grid_version}" not in session:
        session.grid_version += 1
        session.grid_start = session.grid
    with st.expander("Your grid: type numbers, or delete them", expanded=True):
        n, m = session.grid_start.shape
        size, rows, cols, clear = st.columns([2, 1, 1, 1], vertical_alignment="bottom")
        with size:
            look.small("An empty cell has no rating. Of the others, the share in the sidebar is given to the model.")
        rows.number_input("Rows", 1, 30, n, key=f"grid-rows-{session.grid_version}", on_change=_resize_grid)
        cols.number_input("Columns", 1, 30, m, key=f"grid-cols-{session.grid_version}", on_change=_resize_grid)
        clear.button("Empty all cells", on_click=_clear_grid, width="stretch")
        columns = {name: st.column_config.NumberColumn(name, width="small") for name in session.grid_start.columns}
        session.grid = st.data_editor(
            session.grid_start,
            key=f"editor-{session.grid_version}",
            column_config=columns,
            height=min(38 + 35 * n, 400),
            placeholder="",
        )
    return session.grid


def _resize_grid() -> None:
    session = st.session_state
    n, m = (session[f"grid-{side}-{session.grid_version}"] for side in ("rows", "cols"))
    names = [
        [*map(str, old[:size]), *(f"{what} {i + 1}" for i in range(len(old), size))]
        for old, size, what in ((session.grid.index, n, "row"), (session.grid.columns, m, "column"))
    ]
    session.grid = session.grid.reindex(index=names[0], columns=names[1])
    session.pop(f"editor-{session.grid_version}", None)


def _clear_grid() -> None:
    st.session_state.grid = st.session_state.grid * np.nan
    st.session_state.pop(f"editor-{st.session_state.grid_version}", None)


def _window(matrix: Matrix) -> Window:
    """All of the matrix, or the window that the visitor chooses."""
    N, M = matrix.ratings.shape
    if max(N, M) <= LARGEST_WINDOW:
        return Window.of((N, M))
    note, top, left = st.columns([3, 1, 1], vertical_alignment="bottom")
    first_row = top.number_input("First row", 1, N, DEFAULT.top, key="top", bind="query-params")
    first_col = left.number_input("First column", 1, M, DEFAULT.left, key="left", bind="query-params")
    window = Window.of((N, M), first_row - 1, first_col - 1)
    with note:
        look.note(
            f"The matrix has {N:,} rows × {M:,} columns. All of it is filled in and measured; shown are rows "
            f"{window.top + 1:,} to {window.top + window.height:,} and columns {window.left + 1:,} to "
            f"{window.left + window.width:,}."
        )
    return window


def _end(sentence: str) -> None:
    look.note(sentence, "warning")
    st.stop()
