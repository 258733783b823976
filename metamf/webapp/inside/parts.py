"""The building blocks of the page Inside: questions, and tables of the numbers behind a figure."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

import numpy as np
import streamlit as st

from metamf.tasks.run import TaskRun, run
from metamf.webapp.matrix.choices import DEFAULT, checkpoint_choices
from metamf.webapp.matrix.shown import ShownView
from metamf.wording import with_minus

LARGEST_GRID = 60  # rows and columns of the table behind a map; chosen by hand
LONGEST_TABLE = 300  # rows of a table behind a figure; chosen by hand: it is read line by line, or not at all
_STYLE = Path(__file__).with_name("style.css")


def style() -> None:
    """Applies the style sheet of this page."""
    st.html(_STYLE)


def question(text: str) -> None:
    """Draws the question of a section, in large type."""
    st.html(f'<h2 class="mf-question">{escape(text)}</h2>')


def numbers(*tables: str) -> None:
    """Draws the tables of the numbers behind a figure, as HTML from ``table`` or ``grid``, folded."""
    with st.expander("The numbers behind the picture"):
        for html in tables:
            st.html(html)


def grid(caption: str, X: np.ndarray, rows: Sequence[str], cols: Sequence[str]) -> str:
    """The table of a map as HTML: a line for each row, '–' where there is no number; of a large one the upper left.

    Parameters
    ----------
    caption : what the numbers are
    X : (n, m) numbers
    rows, cols : names of the n rows and m columns
    """
    n, m = (min(size, LARGEST_GRID) for size in X.shape)
    said = caption if X.shape == (n, m) else f"{caption} The first {n} rows and {m} columns."
    lines = [[rows[i], *(_short(value) for value in X[i, :m])] for i in range(n)]
    return table(said, ["", *cols[:m]], lines)


def table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of numbers as HTML, all texts escaped; of a long one the first lines.

    Parameters
    ----------
    caption : what the numbers are
    head : names of the columns
    rows : the lines, whose first text names the line
    """
    left_out = len(rows) - LONGEST_TABLE
    said = f"{caption} The first {LONGEST_TABLE} of {len(rows):,} lines." if left_out > 0 else caption
    columns = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    lines = "".join(
        f'<tr><th scope="row">{escape(name)}</th>{"".join(f"<td>{escape(value)}</td>" for value in values)}</tr>'
        for name, *values in rows[:LONGEST_TABLE]
    )
    return (
        f'<div class="mf-scroll" tabindex="0" role="region" aria-label="{escape(caption)}"><table class="mf-values">'
        f"<caption>{escape(said)}</caption><thead><tr>{columns}</tr></thead><tbody>{lines}</tbody></table></div>"
    )


def _short(value: float) -> str:
    return with_minus(f"{value:.2f}") if np.isfinite(value) else "–"


def paper_run(view: ShownView) -> TaskRun | None:
    """A run of the paper's model on what the view shows.

    It is the view's own run where that takes MAP steps, or else one of the first checkpoint that does; None where there
    is no such checkpoint.
    """
    if view.run.step_size is not None:
        return view.run
    names = [name for name, choice in checkpoint_choices().items() if not choice.takes_sweeps]
    return view.once(("paper", names[0]), lambda: run(view.run.task, names[0], DEFAULT.steps)) if names else None
