"""MF alone, on the page Inside: how it fits the given cells, step by step, and what becomes of the hidden ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from metamf.answer.methods import plain_name
from metamf.baselines.mf import MF_STARTS, MOST_FACTORS, MFSettings, chosen_settings, factorize, shrinks_to_zero
from metamf.checkpoints.bundled import checkpoint_title
from metamf.figures.window import Window
from metamf.webapp import address, look
from metamf.webapp.explore.comparison import small
from metamf.webapp.explore.view import PageView
from metamf.webapp.player import component
from metamf.webapp.player.replay import replay_of_mf
from metamf.wording import counted, rounded

SHOWN = 60  # rows and columns that are drawn; all steps of more are megabytes
CHOSEN = "chosen"
MINE = "mine"
WHOSE = {CHOSEN: "chosen on the given ratings", MINE: "mine"}
PENALTIES = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
_LOST = 1.05  # the error on hidden cells at the end over its smallest from which the fit went too far


def draw(view: PageView) -> None:
    look.heading("What does MF find without other tables?")
    if not small(view.run.task):
        look.small("This matrix is too large to keep all steps here.")
        return
    with st.container(key="mf-controls"):
        settings = _controls(view)
    sentences, data = view.once(("mf", settings), lambda: _sentences_and_data(view, settings))
    look.finding(sentences[0])
    component.draw_apart(data, "mf", "alone", address={"prefix": "mf_"})
    look.small(sentences[1])


def _controls(view: PageView) -> MFSettings:
    given = view.run.task.given
    best = view.once("mf settings", lambda: chosen_settings(given))
    whose, rank, penalty = st.columns([1.5, 1, 1.2], gap="large", vertical_alignment="bottom")
    by = address.choose("Factors and penalty", WHOSE, "mf", whose)
    of_rank = "Factors K"
    of_penalty = "Penalty λ on large factors"
    K, decay = best.rank, best.weight_decay
    if by == CHOSEN:
        for place, name, value in ((rank, of_rank, K), (penalty, of_penalty, decay)):
            place.html(f'<p class="mf-said"><span>{name}</span><b>{value:g}</b></p>')
    else:
        K = rank.slider(of_rank, 1, MOST_FACTORS, MOST_FACTORS, **address.control("mf_rank"))
        control = address.control("mf_penalty")
        decay = penalty.select_slider(of_penalty, PENALTIES, 0.0, format_func="{:g}".format, **control)
    start, seed, _ = st.columns([1.5, 1, 1.2], gap="large", vertical_alignment="bottom")
    begin = address.choose("Start", MF_STARTS, "mf_start", start)
    draw = seed.number_input("Seed of the start", 0, 9999, 0, **address.control("mf_seed"))
    return MFSettings(K, decay, begin, draw)


def _sentences_and_data(view: PageView, settings: MFSettings) -> tuple[list[str], dict[str, Any]]:
    """The sentences on a factorization, and all its steps as the player draws them."""
    task = view.run.task
    path = factorize(task.given, settings)
    given = path.rmse(task.given)
    hidden = path.rmse(task.hidden) if task.hidden.nnz else None
    levels = {}
    errors = view.run.hidden_errors
    mean = task.mean_rmse
    if hidden is not None and errors is not None and mean is not None:
        levels = {plain_name("mean"): mean, checkpoint_title(view.run.answer.method): float(errors[-1])}
    outcome = said(settings, given, hidden, levels)
    window = Window.of(task.given.shape, view.window.top, view.window.left, SHOWN)
    data = replay_of_mf(path, view.run, window)
    compared = [{"name": name, "value": error} for name, error in levels.items()]
    return [outcome, about_zero(settings, shrinks_to_zero(task.given))], data | {"levels": compared}


def said(settings: MFSettings, given: np.ndarray, hidden: np.ndarray | None, levels: dict[str, float]) -> str:
    """The sentence on a factorization's errors (T + 1,) on the given and on the hidden cells, None where no cell is
    hidden, and on whether it overfits; ``levels``: errors of other methods on the hidden cells, by name."""
    start = (
        f"In {counted(len(given) - 1, 'step')} with {counted(settings.rank, 'factor')}, the error on the given cells "
        f"goes from {rounded(given[0])} to {rounded(given[-1]) if given[-1] >= 0.01 else '0.00'}"
    )
    if hidden is None:
        return f"{start}. No rating is hidden to check it."
    best = int(hidden.argmin())
    others = ", ".join(f"{name}: {rounded(error)}" for name, error in levels.items())
    first = rounded(hidden[0])
    last = rounded(hidden[-1])
    if hidden[-1] > _LOST * hidden[best]:
        return (
            f"{start}. On the hidden cells it is smallest at step {best}, {rounded(hidden[best])}, and ends at {last}: "
            f"it overfits the given ratings ({others})."
        )
    return f"{start}, and that on the hidden cells from {first} to {last} ({others})."


def about_zero(settings: MFSettings, limit: float) -> str:
    """The sentence on the penalties that leave only the mean, which are those from ``limit`` on."""
    if settings.weight_decay >= limit:
        return (
            f"From λ = {rounded(limit)} on, twice the largest singular value of the given ratings in standardised "
            "units, the best factors are zero: the average of all ratings."
        )
    return f"From λ = {rounded(limit)} on, the best factors are zero: the average of all ratings."
