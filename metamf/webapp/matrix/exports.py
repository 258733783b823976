"""The ways on from a matrix page: to other pages with the same ratings, and away with the run.

A run is saved as a page that plays by itself, as a notebook that repeats it with the library, or as a table of its
estimates.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import streamlit as st

from metamf.evaluate.task import Matrix
from metamf.tables.limits import WEB
from metamf.webapp.experiments.edits import EditError, Edits
from metamf.webapp.experiments.notebook import LARGEST_WRITTEN, notebook
from metamf.webapp.matrix.choices import GRID, UPLOAD, AppState
from metamf.webapp.matrix.view import ShownView, compute, task_of
from metamf.webapp.player.component import Scene, saved_page

LESSON_PAGE = "pages/lesson.py"
CELLS = "cells"  # in the address of the game of ten hidden cells; its value is the seed of the choice
TO_TEN_CELLS = "Guess ten hidden cells: you against the model"


def to_your_table(matrix: Matrix) -> None:
    """Draws a link to Your table, for an upload or a typed grid that can be filled in whole there."""
    N, M = matrix.ratings.shape
    if AppState.read(st.session_state).data in (UPLOAD, GRID) and N * M <= WEB.matrix:
        st.page_link(
            "pages/your_table.py",
            icon=":material/download:",
            label="Fill in every missing cell, with intervals, and download it: Your table",
        )


def to_ten_cells() -> None:
    """Draws the link to the game on the matrix and with the model that are chosen now."""
    st.page_link(
        LESSON_PAGE,
        label=TO_TEN_CELLS,
        icon=":material/casino:",
        query_params={CELLS: "1"},
    )


def to_take_away(view: ShownView, scene: Scene, sentence: str) -> None:
    """Draws the buttons; each file is made when it is asked for, the page with ``sentence`` above its picture."""
    data, (N, M) = view.replay(), view.matrix.ratings.shape
    small = N * M <= LARGEST_WRITTEN  # for a file that is computed when it is asked for
    limit = f"up to {LARGEST_WRITTEN:,} cells"

    def save(label: str, make: Callable[[], bytes], ending: str, *, possible: bool = small, **about: str) -> None:
        name = f"{file_stem(view)}.{ending}"
        st.download_button(label, make, name, on_click="ignore", type="tertiary", disabled=not possible, **about)

    with st.container(horizontal=True):
        save(
            "Take this run away",
            lambda: saved_page(data, scene, sentence).encode(),
            "html",
            possible=True,
            mime="text/html",
            key="take_away",
            icon=":material/download:",
            help="A page of its own: every step, offline, in any browser",
        )
        save(
            "As a notebook",
            lambda: as_notebook(view),
            "ipynb",
            mime="application/x-ipynb+json",
            key="take_away_notebook",
            icon=":material/code:",
            help=f"For Jupyter: the ratings and a few lines of Python that find the same estimates again, {limit}",
        )
        save(
            "As a table",
            lambda: as_table(view),
            "csv",
            mime="text/csv",
            key="take_away_table",
            icon=":material/table:",
            help=f"CSV: the given ratings, and the estimates after the last step everywhere else, {limit}",
        )


def as_table(view: ShownView) -> bytes:
    """The given ratings of a view, and the estimates of its run elsewhere, as CSV."""
    from metamf.tables import write  # with pandas, which a page without a file does without

    run = compute(view.key, view.matrix)
    return write.to_csv_wide(write.Filled(run.task.given, run.imputation.mean))


def as_notebook(view: ShownView) -> bytes:
    """The run of a view as a notebook; computed again, since it is asked for outside of a run of the page."""
    key, made = view.key, Edits(view.key.made)
    try:
        made.apply(task_of(key, view.matrix))
    except EditError:  # then none of them counts in the run, either
        made = Edits()
    return notebook(compute(key, view.matrix), key.keep / 100, key.by, key.seed, made).encode()


def file_stem(view: ShownView) -> str:
    """'film-club-ml-1m'"""
    name = f"{view.matrix.name} {view.replay()['model']['name']}"
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:80] or "run"
