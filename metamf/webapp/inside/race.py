"""A race of starts on the page Inside: the same ratings and the same steps, from the learned prior and from others."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from metamf.checkpoints.bundled import checkpoint_title
from metamf.datasets.examples import FULL_HOUSE
from metamf.evaluate.run import TaskRun, run
from metamf.figures.lines import race_curves, step_lengths
from metamf.webapp import address, look
from metamf.webapp.experiments.starts import LEARNED, MEANS, RANDOM, ZERO, Lane, Race, race
from metamf.webapp.look import Picture
from metamf.webapp.matrix.choices import DEFAULT, AppState, checkpoint_choices
from metamf.webapp.matrix.view import ShownView
from metamf.webapp.matrix.words import size
from metamf.wording import counted, rounded, written

HEIGHT = 380  # pixels
TIMES_ETA = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)  # multiples of the learned eta
TIMES_LAMBDA = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0, 300.0)  # of the learned lambda; the last one diverges
ETA, LAMBDA, SAFE, SEED = "race_eta", "race_lambda", "race_safe", "race_seed"
LEARNED_VALUES = {ETA: 1.0, LAMBDA: 1.0, SAFE: False}
RESCUED = "learned prior, safe steps"
NAMES = {LEARNED: "the learned prior", MEANS: "the column means", RANDOM: "random numbers", ZERO: "zero"}
_TRIES = {
    "Make the step 30 times as long": {ETA: 30.0},
    "Let go of the prior: λ = 0": {LAMBDA: 0.0},
    "Let the prior pull 300 times as hard": {LAMBDA: 300.0},
}
_KEPT = ("data", "block", "keep", "by", "seed", "model", "steps", "sweeps", ETA, LAMBDA, SAFE, SEED)
_BEFORE = "before_too_long"  # in the session: the choices before the example of a step that is too long


def paper_run(view: ShownView) -> TaskRun | None:
    """Returns the view's run where it takes MAP steps, else one of the first checkpoint that does, if there is one."""
    if view.run.step_size is not None:
        return view.run
    names = [name for name, choice in checkpoint_choices().items() if not choice.takes_sweeps]
    return view.once(("paper", names[0]), lambda: run(view.run.task, names[0], DEFAULT.steps)) if names else None


def draw(view: ShownView) -> None:
    """Draws the section."""
    look.heading("Does it matter where the steps start?")
    run = paper_run(view)
    if run is None:
        look.note("No bundled checkpoint takes MAP steps, so there is nothing to race.", "warning")
        return
    if run is not view.run:
        title = checkpoint_title(run.checkpoint)
        look.small(
            f"The chosen model makes sweeps, which have no step size. Prior and steps here are those of {title}."
        )
    settings = _controls(run)
    answer, chart = st.empty(), st.empty()
    result, rescued, pictures = view.once(("race", run.checkpoint, *settings), lambda: _result(run, *settings))
    with answer:
        look.finding(verdict(result, rescued))
    with chart:
        for place, picture in zip(st.columns([1.35, 1], gap="medium"), pictures):
            with place:
                picture.draw()
    look.small(why(result))
    if result.learned.hidden is not None:
        look.small(spread(result))
    with st.container(horizontal=True, gap="small"):
        for label, values in _TRIES.items():
            st.button(label, key=f"try {label}", on_click=_set, args=(LEARNED_VALUES | values,))
        st.button("Back to the learned values", key="race_back", on_click=_set, args=(LEARNED_VALUES,), type="tertiary")
        if AppState.read(st.session_state).data != FULL_HOUSE:
            label, icon = "A matrix on which the step is too long", ":material/straighten:"
            if st.button(label, icon=icon, key="too_long", on_click=_to_too_long):
                st.rerun()  # the whole page, as the sidebar has changed


def _controls(run: TaskRun) -> tuple[float, float, bool, int]:
    """Draws the controls; returns eta, lambda, whether steps are limited, and the seed of the random starts."""
    one, two, three, four = st.columns([1.5, 1.5, 1.1, 0.8], gap="medium", vertical_alignment="bottom")
    times = "{:g}".format
    label = "Step size η, as a multiple of the learned one"
    times_eta = one.select_slider(label, TIMES_ETA, 1.0, format_func=times, **address.control(ETA))
    label = "Pull of the prior λ, as a multiple of the learned one"
    times_lambda = two.select_slider(label, TIMES_LAMBDA, 1.0, format_func=times, **address.control(LAMBDA))
    seed = three.number_input("Seed of the random starts", 0, 9999, 1, **address.control(SEED))
    with four:
        help = "Shortens the step of every row and column that would overshoot"
        safe = st.toggle("Safe steps", help=help, **address.control(SAFE))
    assert run.step_size is not None and run.prior_precision is not None
    eta, lam = run.step_size * times_eta, run.prior_precision * times_lambda
    look.small(
        f"T = {run.T} steps (set in the sidebar), η = {written(eta)}, λ = {written(lam)}. Training found "
        f"η = {written(run.step_size)} and λ = {written(run.prior_precision)}."
    )
    return eta, lam, safe, seed


def _set(values: dict[str, Any]) -> None:
    for key, value in values.items():
        st.session_state[key] = value


def _result(run: TaskRun, eta: float, lam: float, safe: bool, seed: int) -> tuple[Race, Race | None, list[Picture]]:
    """The race, the learned prior with safe steps where it diverges without them, and the figures."""
    result = race(run, step_size=eta, prior_precision=lam, safe=safe, seed=seed)
    rescued = None
    if result.learned.breaks:
        rescued = race(run, step_size=eta, prior_precision=lam, safe=True, names=[LEARNED])
    pictures = []
    if result.learned.hidden is not None:
        chart, table = curves_figure(result, rescued, height=HEIGHT)
        alt = alt_of_curves(result)
        pictures.append(Picture("Error on hidden cells", "RMSE per step", chart, "race", alt, table=table))
    if (longest := result.longest) is not None:
        chart = step_lengths(longest, eta, result.T, height=HEIGHT)
        alt = (
            f"Longest step that does not overshoot, from {written(longest[0])} at the start to {written(longest[-1])}, "
            f"beside the step taken, {written(eta)}."
        )
        table = look.table(
            "Longest step that does not overshoot.",
            ["step", "longest"],
            [[str(t), written(value)] for t, value in enumerate(longest)],
        )
        pictures.append(Picture("Longest safe step", "shaded: too long", chart, "lengths", alt, table=table))
    return result, rescued, pictures


def curves_figure(found: Race, rescued: Race | None = None, *, height: int) -> tuple[go.Figure, str]:
    """The figure of the errors on hidden cells per step, and the table of its numbers as HTML."""
    errors = {lane.name: lane.hidden for lane in found.lanes if lane.hidden is not None}
    if rescued is not None and rescued.learned.hidden is not None:
        errors[RESCUED] = rescued.learned.hidden
    columns: dict[str, np.ndarray] = {}
    for name, of_starts in errors.items():
        columns[name] = of_starts.mean(axis=0)
        if len(of_starts) > 1:
            columns |= {"smallest": of_starts.min(axis=0), "largest": of_starts.max(axis=0)}
    lines = [
        [str(t), *(rounded(values[t]) if np.isfinite(values[t]) else "–" for values in columns.values())]
        for t in range(found.T + 1)
    ]
    caption = "RMSE on the hidden cells per step. For random starts: mean, smallest and largest."
    return race_curves(errors, height=height), look.table(caption, ["step", *columns], lines)


def verdict(found: Race, rescued: Race | None = None) -> str:
    """Returns the sentences on which start wins, by how much, and whether by chance; or on steps that diverge.

    ``rescued`` is the race of the learned prior with safe steps, where it diverges without them.
    """
    if found.learned.breaks:
        return f"{_broken(found)} {_others(found, rescued)}"
    if found.learned.hidden is None:
        return "No rating is hidden, so the starts cannot be compared. Show the model fewer ratings."
    first, second = found.order[:2]  # zero always stays finite
    assert found.lead is not None
    cells = counted(len(first.squares), "hidden cell")
    text = (
        f"After {counted(found.T, 'step')}, {_start(first)} has the smallest error on the {cells}, "
        f"{rounded(first.last)}. That is {size(found.lead)} less than the next best start, {_start(second)} "
        f"({rounded(second.last)}). "
    )
    text += (
        "This is more than chance explains."
        if found.lead.ahead
        else "With four starts to compare, such a lead may be due to chance."
    )
    if found.learned not in (first, second):
        text += f" The learned prior has {rounded(found.learned.last)}."
    if found.harms:
        text += " Here the learned prior does harm, more than chance explains."
    return text


def _broken(found: Race) -> str:
    given = found.learned.given[0]
    end = int(np.flatnonzero(np.isfinite(given))[-1])  # the last step with finite factors
    text = (
        f"The steps are too long: from the learned prior, the error on the given ratings grows from "
        f"{written(given[0])} to {written(given[end])} in {counted(end, 'step')}"
    )
    return f"{text}, and step {end + 1} overflows." if end < found.T else f"{text}."


def _others(found: Race, rescued: Race | None) -> str:
    """The best start where the learned prior diverges, and the result of safe steps."""
    if not found.order:
        return ""
    best = found.order[0]
    if rescued is not None and not rescued.learned.breaks:
        text = f"With safe steps, the error on the hidden cells falls to {rounded(rescued.learned.last)}."
        if best.last >= rescued.learned.last:
            return text
        return (
            f"{text} {_start(best).capitalize()} does even better with {rounded(best.last)}: no prior is needed here."
        )
    if best.name == ZERO:
        return f"Zero never moves and has an error of {rounded(best.last)} on the hidden cells."
    return f"The smallest error on the hidden cells is {rounded(best.last)}, of {_start(best)}."


def spread(found: Race) -> str:
    """Returns the sentences on the spread of the random starts, and on why zero stays where it is."""
    text = (
        "Zero is a saddle point: the gradient of U is a multiple of V, and that of V a multiple of U. Where both are "
        "zero, nothing moves, and every cell keeps the same estimate."
    )
    lane = next(lane for lane in found.lanes if lane.name == RANDOM)
    if lane.hidden is None or not np.isfinite(lane.last):
        return text
    last = lane.hidden[:, -1]
    return (
        f"The band holds {len(last)} random starts, with numbers as large as the learned ones. They end between "
        f"{rounded(last.min())} and {rounded(last.max())}. {text}"
    )


def why(found: Race) -> str:
    """Returns the sentences on why the steps of the learned prior diverge, or do not."""
    eta, longest = found.step_size, found.longest
    if found.safe:
        return (
            "A safe step for row n is the smaller of η and 1 / (2 L), where L is λ plus the sum of the squared factors "
            "of the columns it rated; columns likewise. Nothing overshoots, however large η is."
        )
    if longest is None:
        return "The matrix is too large to compute the longest safe step here."
    step, rule = found.first_overshoot, "2 divided by the largest curvature of the objective"
    if step is None:
        return (
            f"η = {written(eta)} stays below the longest step that does not overshoot, which is at least "
            f"{written(longest.min())} ({rule}). The limit falls with the number of ratings per row or column, and "
            "with the size of the factors."
        )
    text = (
        f"In step {step}, η = {written(eta)} is {eta / longest[step - 1]:.1f} times the longest step that does not "
        f"overshoot, {written(longest[step - 1])} ({rule}). "
    )
    if not found.learned.breaks:
        return f"{text}It lands on the other side of the valley, but the factors shrink and later steps recover."
    return (
        f"{text}It lands higher up on the other side of the valley. The factors grow, the curvature grows with their "
        f"squares, and each step overshoots further: the limit falls to {written(longest[-1])}."
    )


def alt_of_curves(found: Race) -> str:
    """Returns the alternative text of the curves."""
    ends = [
        f"{NAMES[lane.name]} {rounded(lane.last) if np.isfinite(lane.last) else 'diverged'}" for lane in found.lanes
    ]
    return f"Error on the hidden cells per step from four starts. After step {found.T}: {', '.join(ends)}."


def _start(lane: Lane) -> str:
    many = f" ({len(lane.given)} starts on average)" if len(lane.given) > 1 else ""
    return f"{NAMES[lane.name]}{many}"


def way_back() -> None:
    """Draws, on the example of a step that is too long, a note and a button back to the choices before it."""
    before = st.session_state.get(_BEFORE)
    if before is None:
        return
    if AppState.read(st.session_state).data != FULL_HOUSE:  # the visitor has left by another way
        del st.session_state[_BEFORE]
        return
    look.note(
        "The learned step is too long here. Each of these 200 guests rated nearly all of 300 dishes, and a step size "
        "that suits small matrices overshoots with so many ratings."
    )
    st.button(f"Back to {before['data']}", icon=":material/undo:", key="too_long_back", on_click=_back)


def _to_too_long() -> None:
    session = st.session_state
    session[_BEFORE] = {key: session[key] for key in _KEPT if session.get(key) is not None}
    untouched = {name: getattr(DEFAULT, name) for name in ("keep", "by", "seed", "steps")}
    _set(untouched | LEARNED_VALUES | {SEED: 1, "data": FULL_HOUSE, "model": "ml-1m"})


def _back() -> None:
    _set(st.session_state.pop(_BEFORE))
