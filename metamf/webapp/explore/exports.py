"""The ways on from a matrix page: to other pages with the same ratings, and away with the run.

A run is saved as a page that plays by itself, as a notebook that repeats it with the library, or as a table of its
estimates.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from metamf.answer.division import Matrix
from metamf.tables.limits import WEB
from metamf.webapp import files
from metamf.webapp.explore.choices import GRID, UPLOAD, AppState
from metamf.webapp.explore.notebook import LARGEST_WRITTEN, notebook
from metamf.webapp.explore.view import PageView, counted_edits
from metamf.webapp.explore.what_if import save_figures
from metamf.webapp.player.component import Scene, saved_page
from metamf.wording import slug

LESSON_PAGE = "pages/lesson.py"
CELLS = "cells"  # in the address of the game of ten hidden cells; its value is the seed of the choice
TO_TEN_CELLS = "Guess ten hidden cells: you against the model"
_PLAIN: dict[str, Any] = {"type": "tertiary", "width": "stretch"}


def to_your_table(matrix: Matrix) -> None:
    """Draws a link to Your table, for an upload or a typed grid that can be filled in whole there."""
    N, M = matrix.ratings.shape
    if AppState.read(st.session_state).data in (UPLOAD, GRID) and N * M <= WEB.matrix:
        st.page_link(
            "pages/your_table.py",
            icon=":material/download:",
            label="Fill in every missing cell, with intervals, and download it: Your table",
        )


def to_explore(take: Callable[[], None], key: str) -> None:
    """Draws the ways to Explore, without and with the factors; ``take`` makes a matrix the session's own."""

    def leave(factors: bool) -> None:
        take()
        st.session_state.factors = factors

    for label, icon, factors in (("Explore it", "grid_on", False), ("Watch it adapt", "play_circle", True)):
        name = f"{key}_factors_{factors}"
        icon = f":material/{icon}:"
        if st.button(label, icon=icon, key=name, on_click=leave, args=(factors,)):
            st.switch_page("pages/explore.py", query_params={})  # what the sidebar says stays


def to_ten_cells() -> None:
    """Draws the link to the game on the matrix and with the model that are chosen now."""
    st.page_link(LESSON_PAGE, label=TO_TEN_CELLS, icon=":material/casino:", query_params={CELLS: "1"})


def save_menu(view: PageView, scene: Scene) -> None:
    """Draws the menu of all that can be saved; each file is made when it is asked for."""
    data = view.replay()
    N, M = view.matrix.ratings.shape
    stem = slug(f"{view.matrix.name} {data['model']['name']}")[:80] or "run"
    limit = f"up to {LARGEST_WRITTEN:,} cells"

    def page() -> bytes:
        return saved_page(data, scene, view.finding()).encode()

    offline = "A page of its own: every step, offline, in any browser"
    code = f"For Jupyter: the ratings and a few lines of Python that find the same estimates again, {limit}"
    table = f"CSV: the given ratings, and the estimates after the last step everywhere else, {limit}"
    with st.popover("Save", icon=":material/download:", key="save"):
        for kind in ("SVG", "PNG"):
            st.button(f"All maps as {kind}", key=f"save_{kind}", on_click=save_figures, args=(kind.lower(),), **_PLAIN)
        shut = N * M > LARGEST_WRITTEN
        files.offer("This run as a page", page, f"{stem}.html", key="take_away", help=offline, **_PLAIN)
        for key, label, make, ending, help in (
            ("take_away_notebook", "This run as a notebook", as_notebook, "ipynb", code),
            ("take_away_table", "The estimates as a table", as_table, "csv", table),
        ):
            files.offer(label, partial(make, view), f"{stem}.{ending}", key=key, help=help, disabled=shut, **_PLAIN)


def as_table(view: PageView) -> bytes:
    """The given ratings of a view, and the estimates of its run elsewhere, as CSV."""
    from metamf.tables import write  # with pandas, which a page without a file does without

    return write.to_csv_wide(view.run.task.given, view.run.answer)


def as_notebook(view: PageView) -> bytes:
    """The run of a view as a notebook."""
    key = view.key
    return notebook(view.run, key.keep / 100, key.by, key.seed, counted_edits(key, view.matrix)).encode()
