"""The page Compare: the methods' answers, the table of their errors, and maps of estimates next to the truth."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

import numpy as np
import streamlit as st

from metamf.answer.significance import lead
from metamf.checkpoints.bundled import data_set_for
from metamf.ratings.matrix import Ratings
from metamf.webapp import address, look, waiting
from metamf.webapp.explore.choices import AppState, checkpoint_choices
from metamf.webapp.explore.comparison import AT_FIRST, BASELINES, explanation_of, of_baseline, of_training_mean
from metamf.webapp.explore.page import key_of_run
from metamf.webapp.explore.run import Run
from metamf.webapp.explore.view import PageView, cached, is_small, run_of
from metamf.webapp.explore.what_if import desk
from metamf.webapp.player import component
from metamf.webapp.player.still import Still
from metamf.wording import rounded, with_minus

BEST = "best"
BETTER = "clearly better"
NOT_WORSE = "not clearly worse"
RATINGS = "ratings"
ERRORS = "errors"
SHOWS = {RATINGS: "estimates", ERRORS: "errors"}  # in links, too
_PAUSE = 0.15  # seconds between two answers that are worth showing one by one


def contenders(view: PageView, baselines: Sequence[str]) -> Iterator[tuple[list[Run], str | None]]:
    """Yields the answers so far, the best one first if cells are hidden, and the key of the next baseline or None: once
    those are there that answer at once, and then whenever some time has passed.

    The checkpoints that can be chosen answer first. A meta-learned baseline answers in the units of a checkpoint
    trained on the same data; where there is none, it is left out.
    """
    state = AppState.read(st.session_state)
    matrix = view.matrix
    made = desk().edits
    keys = {name: key_of_run(replace(state, model=name), matrix, made) for name in checkpoint_choices()}
    runs = {name: run_of(key, matrix) for name, key in keys.items()}
    learned_from = {}
    for method in sorted(baselines, key=lambda key: (key not in AT_FIRST, list(BASELINES).index(key))):
        meta_learned = BASELINES[method].kind == "meta-learned"
        data = data_set_for(method, state.model, runs) if meta_learned else None
        if data is not None or not meta_learned:
            learned_from[method] = data
    key = keys[state.model]
    task = view.run.task
    scale = view.run.answer.limits
    at_first = tuple((method, data) for method, data in learned_from.items() if method in AT_FIRST)

    def answers(asked: Sequence[tuple[str, str | None]]) -> dict[str, Run]:
        return {method: of_baseline(method, task, scale, data) for method, data in asked}

    def answer(method: str) -> Run:
        asked = (method, learned_from[method])
        if method not in AT_FIRST:
            return waiting.compute_once(("contender", key, *asked), of_baseline, method, task, scale, asked[1])
        together = at_first if is_small(matrix) else (asked,)
        return cached(("contenders", together), key, matrix, partial(answers, together))[method]

    constant = of_training_mean(state.model, task)
    for found, next_one in in_order(list(learned_from), answer):
        found = [*runs.values(), *([constant] if constant else []), *found]
        yield sorted(found, key=lambda method: method.rmse or 0.0) if task.hidden.nnz else found, next_one


def in_order(keys: Sequence[str], answer: Callable[[str], Run]) -> Iterator[tuple[list[Run], str | None]]:
    """Asks for one answer after the other, and yields those so far and the key of the next one, or None."""
    slow = next((key for key in keys if BASELINES[key].entries is not None), None)
    found: list[Run] = []
    shown = time.perf_counter()
    for key in keys:
        if key == slow or time.perf_counter() - shown > _PAUSE:
            yield list(found), key
            shown = time.perf_counter()
        found.append(answer(key))
    yield found, None


def marks(found: Sequence[Run], model: str, cells: Ratings) -> list[str]:
    """A mark for each method next to the chosen ``model``, by name: BEST for the model if it is ahead of every other
    beyond chance, BETTER for those that are ahead of it, and NOT_WORSE for those of which nobody knows."""
    chosen = next(method for method in found if method.name == model)

    def mark(other: Run) -> str:
        over = lead(chosen.hidden_squares, other.hidden_squares, cells)
        return BETTER if over.behind else "" if over.ahead else NOT_WORSE

    marked = [mark(method) if method is not chosen else "" for method in found]
    return marked if any(marked) else [BEST if method is chosen else "" for method in found]


def draw_table(found: Sequence[Run], model: str, cells: Ratings, mean_rmse: float | None, unit: str) -> None:
    """Draws the table; ``model`` is the chosen one, ``mean_rmse`` the error of guessing the mean, in ``unit``."""
    gains = [1 - (method.rmse or 0.0) / mean_rmse if mean_rmse else 0.0 for method in found]
    low = min(0.0, *gains)
    high = max(0.0, *gains)
    length = high - low or 1.0
    rows = ""
    for method, gain, mark in zip(found, gains, marks(found, model, cells)):
        bias = _signed(f"{method.hidden_deviations.mean():+.2f}")
        tag = f'<span class="tag{"" if mark == BEST else " open"}">{mark}</span>' if mark else ""
        left = 100 * (min(gain, 0.0) - low) / length
        width = 100 * abs(gain) / length
        side = "less" if gain < 0 else "more"
        bar = f'<span class="gain {side}" style="left:{left:.1f}%;width:{width:.1f}%"></span>'
        zero = f'<span class="zero" style="left:{100 * -low / length:.1f}%"></span>'
        rows += (
            f'<tr class="{"best" if mark == BEST else ""}"><th scope="row">{escape(method.name)}{tag}</th>'
            f'<td class="n">{method.rmse:.2f}</td><td class="n">{bias}</td>'
            f'<td class="n">{_signed(f"{100 * gain:+.0f}")}&nbsp;%</td>'
            f'<td class="gains" aria-hidden="true"><span class="line">{bar}{zero}</span></td>'
            f'<td class="words">{escape(explanation_of(method))}</td></tr>'
        )
    names = (
        f'<th scope="col">Method</th><th scope="col" class="n">{look.term("rmse", "RMSE")}, in {unit}</th>'
        f'<th scope="col" class="n">{look.term("bias", "Bias")}</th>'
        '<th scope="col" class="n">Gain over the average</th>'
        '<td class="gains head"></td><th scope="col" class="words">What it does</th>'
    )
    st.html(
        '<table class="mf-table mf-methods"><caption>Errors on the hidden ratings, smallest first.</caption>'
        f"<thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _signed(text: str) -> str:
    """A rounded number with its sign; none on zero."""
    return with_minus(text) if float(text) else text.lstrip("+-")


@st.fragment
def draw_maps(view: PageView, found: Sequence[Run], at_first: Sequence[str]) -> None:
    """Draws switches and the maps of the chosen methods; ``at_first`` names the methods chosen at first."""
    names = [method.name for method in found]
    shown = address.choose("Show", SHOWS, "maps")
    first = [name for name in at_first if name in names]
    chosen = st.pills("Methods", names, selection_mode="multi", default=first, **address.control("map_methods"))
    if shown == ERRORS and not view.run.task.hidden.nnz:
        look.small("No rating is hidden, so no error is known.")
        return
    methods = sorted((method for method in found if method.name in chosen), key=lambda one: _place(one, at_first))
    name = ("maps", shown, *((method.name, method.rmse) for method in methods))
    data = view.once(name, lambda: _maps(view, methods, shown))
    if data is not None:
        component.draw_apart(data, "compared", "maps", address={"prefix": "maps_"})


def _place(method: Run, at_first: Sequence[str]) -> int:
    """The place of a method among the maps: those of the beginning first, in their order."""
    return at_first.index(method.name) if method.name in at_first else len(at_first)


def _maps(view: PageView, methods: Sequence[Run], shown: str) -> dict[str, Any] | None:
    """The maps as the player draws them; None where there is none."""
    low, high = view.run.range
    given = view.given
    hidden = view.window.dense(view.run.task.hidden) if view.run.task.hidden.nnz else None
    maps = []
    if hidden is not None and shown == RATINGS:
        maps.append(Still("Truth", "", np.where(np.isnan(given), hidden, given), low, high, noun="true rating"))
    for method in methods:
        detail = "" if method.rmse is None else f"RMSE {rounded(method.rmse)}"
        values = method.filled(view.window)
        if hidden is not None and shown == ERRORS:
            errors = values - hidden
            maps.append(Still.signed(method.name, detail, errors, (high - low) / 2, "too low", "too high"))
        else:
            maps.append(Still(method.name, detail, values, low, high))
    return view.scene(maps, truth=hidden, ends=(low, high)) if maps else None
