"""The page Compare: the methods' answers, the table of their errors, and maps of estimates next to
the truth."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

import numpy as np
import streamlit as st

from metamf.answer.methods import plain_name
from metamf.answer.significance import lead, lead_over_best
from metamf.checkpoints.bundled import WORLDS, data_set_for, open_checkpoint
from metamf.checkpoints.paper_comparison import in_papers_size
from metamf.datasets import ARCHIVES
from metamf.network.meta_mf import FactorNetwork
from metamf.ratings.matrix import Ratings
from metamf.webapp import address, jobs, look
from metamf.webapp.choices import AppState, checkpoint_choices
from metamf.webapp.player import component
from metamf.webapp.player.still import Still
from metamf.webapp.run import sentences
from metamf.webapp.run.comparison import (
    ALONE,
    AT_ONCE,
    BASELINES,
    TABLE_1,
    explanation_of,
    of_baseline,
    of_training_mean,
)
from metamf.webapp.run.edits import desk
from metamf.webapp.run.matrix_page import RunKey, View, computed, kept, run_of
from metamf.webapp.run.measured_run import Run
from metamf.wording import counted, rounded, with_minus

BEST = "best"
BETTER = "better"
MAYBE_BETTER = "better, maybe by chance"
MAYBE_WORSE = "worse, maybe by chance"
RATINGS = "ratings"
ERRORS = "errors"
SHOWS = {RATINGS: "estimates", ERRORS: "errors"}  # in links, too
_PAUSE = 0.15  # seconds between two answers that are worth showing one by one


def first_methods(view: View) -> list[str]:
    """The three baselines next to the model at first: the best simple method on the hidden cells,
    matrix factorization and the average, or in place of one that is another the effects."""
    found = ["mf", "mean", "crossed_effects"]
    if view.beside_simple is not None:
        best = view.beside_simple.over.over
        found.insert(0, next(key for key in ALONE if plain_name(key) == best))
    return list(dict.fromkeys(found))[:3]


def contenders(
    view: View, every: bool, table_1: bool = False
) -> Iterator[tuple[list[Run], str | None]]:
    """Yields the answers so far, the best one first if cells are hidden, and the key of the next
    baseline or None: once those are there that answer at once, and then whenever some time has
    passed.

    They are those of the model and ``first_methods``; ``every``: of all checkpoints and baselines,
    ``table_1``: of those of the paper's Table 1. A meta-learned baseline answers in the units of a
    checkpoint trained on the same data; where there is none, it is left out.
    """
    state = AppState.read(st.session_state)
    matrix = view.matrix
    runs = {state.model: view.run}
    if every:
        made = desk().edits
        asked = {name: replace(state, model=name) for name in checkpoint_choices()}
        runs = {name: run_of(RunKey.of(one, matrix, made), matrix) for name, one in asked.items()}
    task = view.run.task
    scale = view.run.answer.limits
    learned_from: dict[str, str | None] = {}
    methods = set(BASELINES if every else TABLE_1 if table_1 else first_methods(view))
    # those first that answer at once
    for method in sorted(BASELINES, key=lambda key: key not in AT_ONCE):
        if method not in methods or not BASELINES[method].feasible(task.given):
            continue
        meta_learned = BASELINES[method].kind == "meta-learned"
        data = data_set_for(method, state.model, runs) if meta_learned else None
        if data is not None or not meta_learned:
            learned_from[method] = data

    def answer(method: str) -> Run:
        data = learned_from[method]
        if method in AT_ONCE:
            make = partial(of_baseline, method, task, scale, data)
            return computed(("contender", method, data, scale), view.key, matrix, make)
        name = f"contender {method}"
        return jobs.result(name, (view.key, data), of_baseline, method, task, scale, data)

    known = list(runs.values())
    if every and (constant := of_training_mean(state.model, task)) is not None:
        known.append(constant)
    for answers, next_one in in_order(list(learned_from), answer):
        # without a hidden cell no method has an error, and they stay in their order
        yield sorted([*known, *answers], key=lambda method: method.rmse or 0.0), next_one


def in_order(
    keys: Sequence[str], answer: Callable[[str], Run]
) -> Iterator[tuple[list[Run], str | None]]:
    """Asks for one answer after the other, and yields those so far and the key of the next one, or
    None."""
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
    """A mark for each method next to the chosen ``model``, by name: BEST for the model if it is
    ahead of every other beyond chance, BETTER for those that are ahead of it, and a MAYBE for those
    of which nobody knows."""
    chosen = next(method for method in found if method.name == model)

    def mark(other: Run) -> str:
        over = lead(chosen.hidden_squares, other.hidden_squares, cells)
        if over.ahead or over.behind:
            return BETTER if over.behind else ""
        return MAYBE_BETTER if over.share < 0 else MAYBE_WORSE

    marked = [mark(method) if method is not chosen else "" for method in found]
    return marked if any(marked) else [BEST if method is chosen else "" for method in found]


def finding(found: Sequence[Run], model: str, cells: Ratings, unit: str) -> str:
    """The result of the chosen ``model`` next to the best other method of a table, on the hidden
    ``cells``, at least one; errors in ``unit``."""
    chosen = next(method for method in found if method.name == model)
    others = {method.name: method.hidden_squares for method in found if method is not chosen}
    own = chosen.rmse or 0.0
    if not others:
        return f"The model is off by {rounded(own)} {unit}."
    over = lead_over_best(chosen.hidden_squares, others, cells)
    if over.behind:
        return sentences.loses(over, own)
    both = (
        f"The model is off by {rounded(own)} {unit}; the best other method of this table, "
        f"{over.over}, by {rounded(over.rmse)}"
    )
    if over.ahead:
        return f"{both}."
    if over.share == 0:
        return f"{both}: no difference."
    hidden = counted(cells.nnz, "hidden rating")
    return f"{both}. On these {hidden} the model is {sentences.chance(over)}."


def papers_name(run: Run) -> str:
    """What a bundled checkpoint of the paper's network is called next to the methods of Table 1;
    the usual name of any other."""
    if run.method not in WORLDS:
        return run.name
    network, info = open_checkpoint(run.method)
    if not isinstance(network, FactorNetwork) or network.gradient_steps is None or info.features:
        return run.name
    learned_from = ARCHIVES[info.data].title if info.data in ARCHIVES else WORLDS[run.method]
    size = "" if in_papers_size(network.config) else " in another size"
    return f"The paper's network{size}, trained on {learned_from}"


def draw_table(
    found: Sequence[Run],
    model: str,
    cells: Ratings,
    mean_rmse: float | None,
    unit: str,
    label: str = "",
) -> None:
    """Draws the table; ``model`` is the chosen one, which is called ``label`` if there is one,
    ``mean_rmse`` the error of guessing the mean, in ``unit``."""
    called = label or model
    marked = marks(found, model, cells)
    against = ""
    if any(mark not in ("", BEST) for mark in marked):
        hidden = counted(cells.nnz, "hidden rating")
        against = f" Better and worse: than “{called}”, on these {hidden}."
    gains = [1 - (method.rmse or 0.0) / mean_rmse if mean_rmse else 0.0 for method in found]
    low = min(0.0, *gains)
    high = max(0.0, *gains)
    length = high - low or 1.0
    rows = ""
    for method, gain, mark in zip(found, gains, marked):
        name = called if method.name == model else method.name
        bias = _signed(f"{method.hidden_deviations.mean():+.2f}")
        tag = f'<span class="tag{"" if mark == BEST else " open"}">{mark}</span>' if mark else ""
        left = 100 * (min(gain, 0.0) - low) / length
        width = 100 * abs(gain) / length
        side = "less" if gain < 0 else "more"
        bar = f'<span class="gain {side}" style="left:{left:.1f}%;width:{width:.1f}%"></span>'
        zero = f'<span class="zero" style="left:{100 * -low / length:.1f}%"></span>'
        rows += (
            f'<tr class="{"best" if mark == BEST else ""}"><th '
            f'scope="row">{escape(name)}{tag}</th>'
            f'<td class="n">{method.rmse:.2f}</td><td class="n">{bias}</td>'
            f'<td class="n">{_signed(f"{100 * gain:+.0f}")}&nbsp;%</td>'
            f'<td class="gains" aria-hidden="true"><span class="line">{bar}{zero}</span></td>'
            f'<td class="words">{escape(explanation_of(method))}</td></tr>'
        )
    names = (
        f'<th scope="col">Method</th><th scope="col" class="n">{look.term("rmse", "RMSE")}, in '
        f"{unit}</th>"
        f'<th scope="col" class="n">{look.term("bias", "Bias")}</th>'
        '<th scope="col" class="n">Gain over the average</th>'
        '<td class="gains head"></td><th scope="col" class="words">What it does</th>'
    )
    st.html(
        '<table class="mf-table mf-methods"><caption>Errors on the hidden ratings, smallest '
        f"first.{escape(against)}</caption>"
        f"<thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _signed(text: str) -> str:
    """A rounded number with its sign; none on zero."""
    return with_minus(text) if float(text) else text.lstrip("+-")


@st.fragment
def draw_maps(view: View, found: Sequence[Run]) -> None:
    """Draws the switch of what is shown, and the maps of methods."""
    shown = address.choose("Show", SHOWS, "maps")
    if shown == ERRORS and not view.run.task.hidden.nnz:
        look.small("No rating is hidden, so no error is known.")
        return
    name = ("maps", shown, *((method.name, method.rmse) for method in found))
    data = kept(view, name, lambda: _maps(view, found, shown))
    component.draw_apart(data, "compared", "maps")


def _maps(view: View, methods: Sequence[Run], shown: str) -> dict[str, Any]:
    """The maps as the player draws them."""
    low, high = view.run.range
    given = view.given
    hidden = view.window.dense(view.run.task.hidden) if view.run.task.hidden.nnz else None
    maps = []
    if hidden is not None and shown == RATINGS:
        truth = np.where(np.isnan(given), hidden, given)
        maps.append(Still("Truth", "", truth, low, high, noun="true rating"))
    for method in methods:
        detail = "" if method.rmse is None else f"RMSE {rounded(method.rmse)}"
        values = method.filled(view.window)
        if hidden is not None and shown == ERRORS:
            ends = ((high - low) / 2, "too low", "too high")
            maps.append(Still.signed(method.name, detail, values - hidden, *ends))
        else:
            maps.append(Still(method.name, detail, values, low, high))
    return view.scene(maps, truth=hidden, ends=(low, high))
