"""A race of starts: the same ratings and the same steps, from the learned prior and from others."""

from __future__ import annotations

import numpy as np
import streamlit as st

from metamf.checkpoints.bundled import checkpoint_title
from metamf.evaluate.run import TaskRun
from metamf.figures.lines import RaceCurve, race_curves, step_lengths
from metamf.webapp import address, look, numbers
from metamf.webapp.experiments.starts import LEARNED, Race, race
from metamf.webapp.inside import parts, race_words, too_long
from metamf.webapp.inside.race_state import ETA, KEYS, LAMBDA, RACE_AT_FIRST, SAFE, SEED, TIMES_ETA, TIMES_LAMBDA
from metamf.webapp.look import Picture
from metamf.webapp.matrix.shown import ShownView
from metamf.wording import rounded, written

HEIGHT = 380  # pixels
_BOUND = {key: address.control(key) for key in KEYS}
_TRIES = {  # button: the settings that it makes
    "Make the step 30 times as long": {ETA: 30.0},
    "Let go of the prior: λ = 0": {LAMBDA: 0.0},
    "Let the prior pull 300 times as hard": {LAMBDA: 300.0},
}


def draw(view: ShownView) -> None:
    """Draws the section."""
    parts.question("The same steps from other starts: does it matter where they begin?")
    run = parts.paper_run(view)
    if run is None:
        look.note("No bundled checkpoint takes MAP steps, so there is nothing to race.", "warning")
        return
    if run is not view.run:
        title = checkpoint_title(run.checkpoint)
        look.small(f"The chosen model makes sweeps, which have no step size: prior and steps are those of {title}.")
    settings = _controls(run)
    answer, chart = st.empty(), st.empty()
    result, rescued, pictures = view.once(("race", run.checkpoint, *settings), lambda: _result(run, *settings))
    with answer:
        look.finding(race_words.verdict(result, rescued))
    with chart:
        look.draw_in(st.columns([1.35, 1], gap="medium"), pictures)
    look.small(race_words.why(result))
    if result.learned.hidden is not None:
        look.small(race_words.spread(result))
    _tries()
    caption = "Error on the hidden cells per step; of random starts the mean, the smallest, the largest."
    look.fold_numbers(numbers.table(caption, *_table(result)))


def _controls(run: TaskRun) -> tuple[float, float, bool, int]:
    """Draws the controls; returns eta, lambda, whether steps are bounded, and the seed of the random starts."""
    one, two, three, four = st.columns([1.5, 1.5, 1.1, 0.8], gap="medium", vertical_alignment="bottom")
    times_eta = one.select_slider(
        "Step size η, in multiples of the learned one", TIMES_ETA, RACE_AT_FIRST[ETA], format_func=_times, **_BOUND[ETA]
    )
    times_lambda = two.select_slider(
        "Pull of the prior λ, in multiples of the learned one",
        TIMES_LAMBDA,
        RACE_AT_FIRST[LAMBDA],
        format_func=_times,
        **_BOUND[LAMBDA],
    )
    seed = three.number_input(
        "Seed of the random starts",
        0,
        9999,
        RACE_AT_FIRST[SEED],
        help="Another number draws other starts",
        **_BOUND[SEED],
    )
    with four:
        safe = st.toggle("Safe steps", help="No row and no column moves further than is safe for it", **_BOUND[SAFE])
    eta, lam = run.step_size * times_eta, run.prior_precision * times_lambda
    look.small(
        f"T = {run.T} steps (the slider in the sidebar), η = {written(eta)}, λ = {written(lam)}; training found "
        f"η = {written(run.step_size)} and λ = {written(run.prior_precision)}."
    )
    return eta, lam, safe, seed


def _result(run: TaskRun, eta: float, lam: float, safe: bool, seed: int) -> tuple[Race, Race | None, list[Picture]]:
    """The race; where it breaks, the learned prior's lane with safe steps; and the pictures."""
    result = race(run, step_size=eta, prior_precision=lam, safe=safe, seed=seed)
    rescued = (
        race(run, step_size=eta, prior_precision=lam, safe=True, names=[LEARNED]) if result.learned.breaks else None
    )
    pictures = []
    if result.learned.hidden is not None:
        curves = [_curve(lane.name, lane.hidden) for lane in result.lanes]
        if rescued is not None:
            curves.append(_curve(race_words.RESCUED, rescued.learned.hidden))
        chart = race_curves(curves, height=HEIGHT)
        pictures.append(
            Picture(
                "Error on hidden cells", "per step, in rating units", chart, "race", race_words.alt_of_curves(result)
            )
        )
    if result.longest is not None:
        chart = step_lengths(result.longest, eta, result.T, height=HEIGHT)
        detail = "shaded: too long"
        pictures.append(Picture("How long a step may be", detail, chart, "lengths", race_words.alt_of_lengths(result)))
    return result, rescued, pictures


def _curve(name: str, errors: np.ndarray) -> RaceCurve:
    """errors : (S, T + 1)"""
    if len(errors) == 1:
        return RaceCurve(name, errors[0])
    return RaceCurve(f"{name}, {len(errors)} times", errors.mean(axis=0), errors.min(axis=0), errors.max(axis=0))


def _tries() -> None:
    look.small("Try:")
    with st.container(horizontal=True, gap="small"):
        for label, settings in _TRIES.items():
            st.button(label, key=f"try {label}", on_click=_set, args=(RACE_AT_FIRST | settings,))
        st.button("Back to the learned values", key="race_back", on_click=_set, args=(RACE_AT_FIRST,), type="tertiary")
        too_long.link()


def _set(settings: dict) -> None:
    for key, value in settings.items():
        if key != SEED:
            st.session_state[key] = value


def _table(result: Race) -> tuple[list[str], list[list[str]]]:
    """Head and lines of the numbers behind both figures."""
    head, columns = ["step"], []
    for lane in result.lanes if result.learned.hidden is not None else ():
        curve = _curve(lane.name, lane.hidden)
        for name, values in ((lane.name, curve.middle), ("smallest", curve.low), ("largest", curve.high)):
            if values is not None:
                head.append(name)
                columns.append([rounded(value) if np.isfinite(value) else "–" for value in values])
    if result.longest is not None:
        head.append("longest step")
        columns.append([written(value) for value in result.longest] + ["–"] * (result.T + 1 - len(result.longest)))
    return head, [[str(t), *(column[t] for column in columns)] for t in range(result.T + 1)]


def _times(value: float) -> str:
    return f"{value:g}"
