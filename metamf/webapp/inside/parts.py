"""The building blocks of the page Inside: its questions, its style, and its run of the paper's model."""

from __future__ import annotations

from html import escape
from pathlib import Path

import streamlit as st

from metamf.evaluate.run import TaskRun, run
from metamf.webapp.matrix.choices import DEFAULT, checkpoint_choices
from metamf.webapp.matrix.shown import ShownView

_STYLE = Path(__file__).with_name("style.css")


def style() -> None:
    """Applies the style sheet of this page."""
    st.html(_STYLE)


def question(text: str) -> None:
    """Draws the question of a section, in large type."""
    st.html(f'<h2 class="mf-question">{escape(text)}</h2>')


def paper_run(view: ShownView) -> TaskRun | None:
    """A run of the paper's model on what the view shows.

    It is the view's own run where that takes MAP steps, or else one of the first checkpoint that does; None where there
    is no such checkpoint.
    """
    if view.run.step_size is not None:
        return view.run
    names = [name for name, choice in checkpoint_choices().items() if not choice.takes_sweeps]
    return view.once(("paper", names[0]), lambda: run(view.run.task, names[0], DEFAULT.steps)) if names else None
