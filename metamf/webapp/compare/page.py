"""The page Compare: the methods' answers, which one is best, the table of errors, and maps of estimates."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

import streamlit as st

from metamf.answer.significance import lead
from metamf.checkpoints.bundled import DATA_TITLES, checkpoint_title, data_set_for
from metamf.ratings.matrix import Ratings
from metamf.webapp import address, look, waiting
from metamf.webapp.explore.choices import AppState, checkpoint_choices
from metamf.webapp.explore.comparison import AT_FIRST, BASELINES, Contender, of_baseline, of_run
from metamf.webapp.explore.page import key_of_run
from metamf.webapp.explore.view import ShownView, cached, is_small, run_of
from metamf.webapp.explore.what_if import desk
from metamf.webapp.explore.words import size
from metamf.webapp.player import component, still
from metamf.webapp.player.still import Still
from metamf.wording import rounded, with_minus

BEST, MAY_BE_BEST = "best", "may be best"
RATINGS, ERRORS = "ratings", "errors"
SHOWS = {RATINGS: "what they fill in", ERRORS: "what they get wrong"}  # in links, too
_PAUSE = 0.15  # seconds between two answers that are worth showing one by one


def contenders(view: ShownView, baselines: Sequence[str]) -> Iterator[tuple[list[Contender], str | None]]:
    """Yields the answers so far, the best one first if cells are hidden, and the key of the next baseline or None: once
    those are there that answer at once, and then whenever some time has passed.

    The checkpoints that can be chosen answer first. A meta-learned baseline answers in the units of a checkpoint
    trained on the same data; where there is none, it is left out.
    """
    state, matrix, made = AppState.read(st.session_state), view.matrix, desk().edits
    keys = {name: key_of_run(replace(state, model=name), matrix, made) for name in checkpoint_choices()}
    runs = {name: run_of(key, matrix) for name, key in keys.items()}
    learned_from = {}
    for method in sorted(baselines, key=list(BASELINES).index):
        meta_learned = BASELINES[method].kind == "meta-learned"
        data = data_set_for(method, state.model, runs) if meta_learned else None
        if data is not None or not meta_learned:
            learned_from[method] = data
    key, task, scale = keys[state.model], view.run.task, view.run.answer.limits
    at_first = tuple((method, data) for method, data in learned_from.items() if method in AT_FIRST)

    def answers(asked: Sequence[tuple[str, str | None]]) -> dict[str, Contender]:
        return {method: of_baseline(method, task, scale, data) for method, data in asked}

    def answer(method: str) -> Contender:
        asked = (method, learned_from[method])
        if method not in AT_FIRST:
            return waiting.compute_once(("contender", key, *asked), of_baseline, method, task, scale, asked[1])
        together = at_first if is_small(matrix) else (asked,)
        return cached(("contenders", together), key, matrix, partial(answers, together))[method]

    for found, next_one in in_order(list(learned_from), answer):
        found = [*map(of_run, runs.values()), *found]
        yield sorted(found, key=lambda method: method.rmse) if task.hidden.nnz else found, next_one


def in_order(keys: Sequence[str], answer: Callable[[str], Contender]) -> Iterator[tuple[list[Contender], str | None]]:
    """Asks for one answer after the other, and yields those so far and the key of the next one, or None."""
    slow = next((key for key in keys if BASELINES[key].entries is not None), None)
    found: list[Contender] = []
    shown = time.perf_counter()
    for key in keys:
        if key == slow or time.perf_counter() - shown > _PAUSE:
            yield list(found), key
            shown = time.perf_counter()
        found.append(answer(key))
    yield found, None


def winner(found: Sequence[Contender], cells: Ratings) -> str:
    """The sentence on the best method; ``found``: the methods, the smallest error first, at least one.

    A method counts as the winner only if chance does not explain its lead over the best method of the other kind:
    those trained on other matrices, and those that see only this one. Both were picked by their errors on these
    cells, so the test corrects for as many comparisons as there are other methods.
    """
    best = found[0]
    of_data = best.name in DATA_TITLES.values() and best.name != checkpoint_title("universal")
    name = f"The model {'trained on ' if of_data else ''}{best.name}" if best.meta_learned else best.name
    start = f"{name} has the smallest error, {rounded(best.rmse)}"
    other = next((method for method in found if method.meta_learned != best.meta_learned), None)
    if other is None:
        return f"{start}."
    kind = "trained on other matrices" if other.meta_learned else "that sees only this matrix"
    second = f"{other.name} ({rounded(other.rmse)}), the best method {kind}"
    ahead = lead(best.squares, other.squares, cells, picked_from=len(found) - 1)
    if not ahead.ahead:
        return f"{start}, but its lead over {second}, may be due to chance."
    text = f"{start}: {size(ahead)} less than {second}."
    if best.meta_learned:
        return text
    return f"{'This matrix alone suffices' if best.network else 'A simple method wins here'}. {text}"


def marks(found: Sequence[Contender], cells: Ratings) -> list[str]:
    """A mark for each method, of which the first has the smallest error: BEST for the first if it is ahead of every
    other beyond chance; otherwise MAY_BE_BEST for it and all that may be behind by chance."""
    first, *others = [method.squares for method in found]
    behind = [lead(first, other, cells, picked_from=len(others)).ahead for other in others]
    if all(behind):
        return [BEST, *("" for _ in others)]
    return [MAY_BE_BEST, *("" if is_behind else MAY_BE_BEST for is_behind in behind)]


def draw_table(found: Sequence[Contender], cells: Ratings, mean_rmse: float | None) -> None:
    """Draws the table; ``mean_rmse`` is the error of always guessing the mean, in rating units."""
    gains = [1 - method.rmse / mean_rmse if mean_rmse else 0.0 for method in found]
    low, high = min(0.0, *gains), max(0.0, *gains)
    length = high - low or 1.0
    rows = ""
    for method, gain, mark in zip(found, gains, marks(found, cells)):
        tag = f'<span class="tag{"" if mark == BEST else " open"}">{mark}</span>' if mark else ""
        left, width = 100 * (min(gain, 0.0) - low) / length, 100 * abs(gain) / length
        side, percent = "less" if gain < 0 else "more", round(100 * gain)
        bar = f'<span class="gain {side}" style="left:{left:.1f}%;width:{width:.1f}%"></span>'
        zero = f'<span class="zero" style="left:{100 * -low / length:.1f}%"></span>'
        rows += (
            f'<tr class="{"best" if mark == BEST else ""}"><th scope="row">{escape(method.name)}{tag}</th>'
            f'<td class="n">{method.rmse:.3f}</td><td class="n">{method.errors.mean():.3f}</td>'
            f'<td class="n">{with_minus(f"{percent:+d}") if percent else 0}&nbsp;%</td>'
            f'<td class="gains" aria-hidden="true"><span class="line">{bar}{zero}</span></td>'
            f'<td class="words">{escape(method.description)}</td></tr>'
        )
    names = (
        f'<th scope="col">Method</th><th scope="col" class="n">{look.term("rmse", "Typical error")}</th>'
        f'<th scope="col" class="n">{look.term("mae")}</th><th scope="col" class="n">Gain over the mean</th>'
        '<td class="gains head"></td><th scope="col" class="words">What it does</th>'
    )
    st.html(
        '<table class="mf-table mf-methods"><caption>Errors on the hidden ratings, smallest first.</caption>'
        f"<thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table>"
    )


@st.fragment
def draw_maps(view: ShownView, found: Sequence[Contender], at_first: Sequence[str]) -> None:
    """Draws switches and the maps of the chosen methods; ``at_first`` names the methods chosen at first."""
    names, control = [method.name for method in found], address.control("maps", SHOWS.__getitem__)
    shown = st.segmented_control(
        "Maps of", list(SHOWS), default=RATINGS, format_func=SHOWS.__getitem__, required=True, **control
    )
    first = [name for name in at_first if name in names]
    chosen = st.pills(
        "of these methods", names, selection_mode="multi", default=first, **address.control("map_methods")
    )
    if shown == ERRORS and not view.run.task.hidden.nnz:
        look.small("No rating is hidden, so no error is known.")
        return
    methods = [method for method in found if method.name in chosen]
    name = ("maps", shown, *((method.name, method.rmse) for method in methods))
    data = view.once(name, lambda: _maps(view, methods, shown))
    if data is not None:
        component.draw_apart(data, "compared", "maps", address={"prefix": "maps_"})


def _maps(view: ShownView, methods: Sequence[Contender], shown: str | None) -> dict[str, Any] | None:
    """The maps as the player draws them; None where there is none."""
    task, (low, high) = view.run.task, view.run.range
    maps = []
    if task.hidden.nnz and shown == RATINGS:
        maps.append(Still("Truth", "where it is known", view.known, low, high, noun="true rating"))
    for method in methods:
        detail, values = f"RMSE {rounded(method.rmse)}" if task.hidden.nnz else "", method.estimate(view)
        if shown == ERRORS:
            errors = values - view.hidden
            maps.append(Still.signed(method.name, detail, errors, (high - low) / 2, "too low", "too high"))
        else:
            maps.append(Still(method.name, detail, values, low, high))
    if not maps:
        return None
    truth = view.hidden if task.hidden.nnz else None
    name, shape, ends = task.matrix.name, task.given.shape, (low, high)
    return still.scene_of(name, maps, view.axes(), given=view.given, truth=truth, shape=shape, ends=ends)
