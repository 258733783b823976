"""MF by itself on the page Compare: how it fits the given cells, step by step, and what becomes of the hidden ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from metamf.baselines.mf_path import (
    MF_STARTS,
    MOST_FACTORS,
    MFSettings,
    chosen_settings,
    factorize,
    shrinks_to_zero,
)
from metamf.checkpoints.bundled import checkpoint_title
from metamf.evaluate.comparison import small
from metamf.evaluate.run import View
from metamf.figures.window import Window
from metamf.webapp import address, look
from metamf.webapp.experiments.replay import replay_of_mf
from metamf.webapp.matrix.shown import ShownView, a_moment
from metamf.webapp.monitoring.fragments import fragment
from metamf.webapp.player import component
from metamf.wording import counted, rounded

SHOWN = 60  # rows and columns that are drawn; all steps of more are megabytes
CHOSEN, MINE = "chosen", "mine"
WHOSE = {CHOSEN: "chosen on the given ratings", MINE: "mine"}
PENALTIES = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)  # offered, round numbers
_LOST = 1.05  # the error on hidden cells at the end over its smallest from which the fit went too far
_WHOSE, _PENALTY = address.control("mf", WHOSE.get), address.control("mf_penalty")
_RANK, _START, _SEED = map(address.control, ("mf_rank", "mf_start", "mf_seed"))


def section(view: ShownView) -> None:
    """Draws the section; only it follows its controls."""
    st.html('<h2 class="mf-heading">Matrix factorization alone, step by step</h2>')
    if not small(view.run.task):
        look.small("This matrix is too large for all steps to be kept here.")
        return
    look.small(
        "MF sees this matrix and no other: it begins with factors that know nothing, and gradient steps fit them to "
        "the given ratings. More factors and a smaller penalty fit these ever better. And the hidden ones?"
    )
    fragment(_section, "Compare: MF")(view)


def _section(view: ShownView) -> None:
    with st.container(key="mf-controls"):
        settings = _controls(view)
    sentences, data = view.once(("mf", settings), lambda: _sentences_and_data(view, settings))
    look.finding(sentences[0])
    component.draw_apart(data, "mf", "alone", address={"prefix": "mf_"})
    for sentence in sentences[1:]:
        look.small(sentence)


def _controls(view: ShownView) -> MFSettings:
    """Draws the controls and returns the settings that they say."""
    given = view.run.task.given
    chosen = view.once("mf settings", lambda: a_moment(view.matrix, chosen_settings, given))
    whose, rank, penalty = st.columns([1.5, 1, 1.2], gap="large", vertical_alignment="bottom")
    with whose:
        by = st.segmented_control(
            "Factors and penalty",
            list(WHOSE),
            default=CHOSEN,
            format_func=WHOSE.get,
            required=True,
            **_WHOSE,
        )
    if by == CHOSEN:
        rank.html(_said("Factors K", str(chosen.rank)))
        penalty.html(_said("Penalty λ on large factors", f"{chosen.weight_decay:g}"))
        settings = chosen
    else:
        K = rank.slider("Factors K", 1, MOST_FACTORS, MOST_FACTORS, **_RANK)
        decay = penalty.select_slider(
            "Penalty λ on large factors", PENALTIES, 0.0, format_func="{:g}".format, **_PENALTY
        )
        settings = MFSettings(K, decay)
    start, seed, _ = st.columns([1.5, 1, 1.2], gap="large", vertical_alignment="bottom")
    with start:
        begin = st.segmented_control("Start", MF_STARTS, default=MF_STARTS[0], required=True, **_START)
    draw = seed.number_input("Seed of the start", 0, 9999, 0, **_SEED)
    return MFSettings(settings.rank, settings.weight_decay, begin, draw)


def _said(name: str, value: str) -> str:
    return f'<p class="mf-said"><span>{name}</span><b>{value}</b></p>'


def _sentences_and_data(view: ShownView, settings: MFSettings) -> tuple[list[str], dict[str, Any]]:
    """The sentences on a factorization, and all its steps as the player draws them."""
    task = view.run.task
    path = a_moment(view.matrix, factorize, task.given, settings)
    given, hidden = path.rmse(task.given), path.rmse(task.hidden) if task.hidden.nnz else None
    levels = {}
    if hidden is not None:
        title = checkpoint_title(view.run.imputation.checkpoint)
        levels = {"the mean": task.mean_rmse, title: float(view.run.hidden_errors.rmse[-1])}
    outcome = said(settings, given, hidden, levels)
    part = View(view.run, Window.of(task.given.shape, view.window.top, view.window.left, SHOWN))
    compared = [{"name": name, "value": error} for name, error in levels.items()]
    return [outcome, about_zero(settings, shrinks_to_zero(task.given))], replay_of_mf(path, part) | {"levels": compared}


def said(settings: MFSettings, given: np.ndarray, hidden: np.ndarray | None, levels: dict[str, float]) -> str:
    """Returns the sentence on a factorization: its errors after the last step, and whether it went too far.

    Parameters
    ----------
    settings : MFSettings
        Its settings.
    given, hidden : ndarray of shape (T + 1,)
        Its errors on the given and on the hidden cells; None for the latter where no cell is hidden.
    levels : dict
        The errors of others on the hidden cells, by name.
    """
    start = (
        f"{counted(len(given) - 1, 'step')} with {counted(settings.rank, 'factor')} bring the error on the given cells "
        f"from {rounded(given[0])} to {_small(given[-1])}"
    )
    if hidden is None:
        return f"{start}; no cell is hidden to check it."
    best, others = int(hidden.argmin()), ", ".join(f"{name}: {rounded(error)}" for name, error in levels.items())
    if hidden[-1] > _LOST * hidden[best]:
        end = f"that on the hidden cells is smallest at step {best} ({rounded(hidden[best])}) and ends at"
        return f"{start}; {end} {rounded(hidden[-1])}: it learned the given ratings by heart ({others})."
    return f"{start} and that on the hidden cells from {rounded(hidden[0])} to {rounded(hidden[-1])} ({others})."


def _small(error: float) -> str:
    return rounded(error) if error >= 0.01 else "0.00"


def about_zero(settings: MFSettings, limit: float) -> str:
    """Returns the sentence on the penalties that leave nothing but the mean.

    Parameters
    ----------
    settings : MFSettings
        The settings of the factorization, with its penalty.
    limit : float
        Smallest penalty that does so, ``shrinks_to_zero`` of the given ratings.
    """
    if settings.weight_decay >= limit:
        return (
            f"With this penalty MF is the mean: from λ = {rounded(limit)} on (twice the largest singular value of the "
            "given ratings in standardised units) factors that are zero cost least."
        )
    return f"From a penalty of λ = {rounded(limit)} on, zero factors would cost least, and MF would be the mean."
