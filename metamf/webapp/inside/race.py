"""The page of a race of starts: what the start matters, and how long the steps are."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np
import streamlit as st

from metamf.checkpoints.bundled import PRETRAINED, describe, in_sentence
from metamf.datasets.examples import FULL_HOUSE
from metamf.webapp import address, look
from metamf.webapp.choices import DEFAULT, AppState, checkpoint_choices
from metamf.webapp.look import Picture
from metamf.webapp.run.matrix_page import View, kept, run_of
from metamf.webapp.run.measured_run import Run, trained_safe
from metamf.webapp.run.starts import LEARNED, MEANS, RANDOM, ZERO, Lane, Race, curves_figure, race
from metamf.wording import counted, rounded, written

HEIGHT = 380  # pixels
TIMES_ETA = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)  # multiples of the learned eta
TIMES_LAMBDA = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0)  # of the learned lambda
ETA = "race_eta"
LAMBDA = "race_lambda"
# by whether the checkpoint was trained with safe steps, which the switch then begins with
SAFE = {False: "race_safe", True: "race_safe_trained"}
LEARNED_VALUES = {ETA: 1.0, LAMBDA: 1.0, "steps": DEFAULT.steps}
LEARNED_VALUES |= {key: trained_so for trained_so, key in SAFE.items()}
FOR_THE_END = "film-nights"  # the checkpoint of Eq. (9)
EVERY_STEP = "film-nights-every-step"  # the one whose loss is the error after any step
FOR_EVERY_STEP = PRETRAINED / "inside" / f"{EVERY_STEP}.safetensors"
TRAINED = {FOR_THE_END: "after the last step", EVERY_STEP: "after every step"}
NAMES = {
    LEARNED: "the learned prior",
    MEANS: "the column means",
    RANDOM: "random numbers",
    ZERO: "zero",
}
_TRIES = {
    # the paper's steps are all eta long; safe ones would hide what that does
    "Make the step 100 times as long": {ETA: 100.0} | dict.fromkeys(SAFE.values(), False),
    # after ten steps it has hardly begun to fit noise
    "No pull of the prior: λ = 0, 40 steps": {LAMBDA: 0.0, "steps": 40},
}
SEED = 1  # of the random starts
EXPERIMENT = "experiment"  # key of the choice of a section of the page
TITLE = "A race of starts"
TOO_LONG = AppState(FULL_HOUSE, keep=50, seed=1, model="ml-1m")
_MOVED = "race_moved"  # in the session: whether a button of this fragment has chosen another matrix


def paper_run(view: View) -> Run:
    """The view's run where it takes MAP steps, else one of the first checkpoint that does."""
    if view.run.step_size is not None:
        return view.run
    steps = [name for name, choice in checkpoint_choices().items() if not choice.takes_sweeps]
    name = next(name for name in steps if describe(name).is_usual)
    steps_here = AppState.read(st.session_state).steps  # a button sets them; the sidebar has sweeps
    return run_of(replace(view.key, model=name, steps=steps_here), view.matrix)


def race_of_starts(view: View) -> None:
    """Draws the controls, the verdict, the pictures, and what to try."""
    if st.session_state.pop(_MOVED, False):
        st.rerun()  # the whole page, as the sidebar has changed
    look.heading("Does it matter where the steps start?")
    run = paper_run(view)
    if run is not view.run:
        takes = f"{in_sentence(run.method)} takes the steps here"
        look.small(f"The chosen model has no step size, so {takes}.")
    controls, drawn, tries = (st.container() for _ in range(3))
    if run.method == FOR_THE_END and FOR_EVERY_STEP.is_file():
        run = _trained_for(view, run)
    with controls:
        eta, lam, safe = _controls(run)

    def races() -> tuple[Race, Race, Race | None]:
        """The race, the learned prior with the learned values, and with safe steps where it
        diverges without them."""
        found = race(run, step_size=eta, prior_precision=lam, safe=safe, seed=SEED)
        usual = race(run, names=[LEARNED])
        if not found.learned.breaks:
            return found, usual, None
        rescued = race(run, step_size=eta, prior_precision=lam, safe=True, names=[LEARNED])
        return found, usual, rescued

    found, usual, rescued = kept(view, ("race", run.method, run.T, eta, lam, safe), races)
    with drawn:
        look.finding(verdict(found, rescued))
        if sentence := beside_learned(found, usual):
            look.small(sentence)
        pictures = [_lengths(found)]
        if found.learned.hidden is not None:
            chart, table = curves_figure(found, rescued, height=HEIGHT)
            alt = alt_of_curves(found)
            title = "Error on hidden cells"
            below = spread(found)
            if found.learned.breaks and run.answer.limits is not None:
                below = f"{CLIPPED} {below}"
            pictures.insert(0, Picture(title, "RMSE per step", chart, "race", alt, table, below))
        for place, picture in zip(st.columns([1.35, 1], gap="medium"), pictures):
            with place:
                picture.draw()
        look.small(why(found))
    with tries.container(horizontal=True, gap="small"):
        for label, values in _TRIES.items():
            st.button(label, key=f"try {label}", on_click=_try, args=(values,))
        if run.T != DEFAULT.steps or not _is_learned(found, usual):
            label = "Back to the learned values"
            st.button(label, key="race_back", on_click=_try, args=({},), type="tertiary")
        if AppState.read(st.session_state).data != FULL_HOUSE:
            label = "A table on which the step is too long"
            st.button(label, icon=":material/straighten:", key="too_long", on_click=_to_too_long)


def _trained_for(view: View, end: Run) -> Run:
    """Draws the switch of what the prior was trained for; returns the run of that network."""
    key = replace(view.key, model=str(FOR_EVERY_STEP), steps=end.T)
    every = run_of(key, view.matrix)
    chosen = address.choose("Trained for a small error", TRAINED, "race_trained")
    if end.hidden_errors is not None and every.hidden_errors is not None:
        guess, last = (rounded(float(end.hidden_errors[step])) for step in (0, -1))
        other_guess, other_last = (rounded(float(every.hidden_errors[step])) for step in (0, -1))
        look.small(
            "Eq. (9) counts the error after the last step only: before the first step the estimates "
            f"are off by {guess}, after the last by {last}. The prior is the best start, not the "
            "best guess. Where the training counts the error after every step: "
            f"{other_guess} and {other_last}."
        )
    return every if chosen == EVERY_STEP else end


def _controls(run: Run) -> tuple[float, float, bool]:
    """Draws the controls; returns eta, lambda, and whether steps are limited."""
    assert run.step_size is not None and run.prior_precision is not None
    one, two, three = st.columns(3, gap="medium", vertical_alignment="bottom")
    how: dict[str, Any] = {"value": 1.0, "format_func": "{:g}".format}
    times_eta = one.select_slider(
        "Step size: the learned η, times", TIMES_ETA, **how, **address.control(ETA)
    )
    times_lambda = two.select_slider(
        "Pull of the prior: the learned λ, times", TIMES_LAMBDA, **how, **address.control(LAMBDA)
    )
    trained_so = trained_safe(run.method)
    help = "Shortens the step of every row and column that would overshoot. The paper has none"
    if trained_so:
        help += "; this network was trained with them"
    safe = three.toggle("Safe steps", trained_so, help=help, **address.control(SAFE[trained_so]))
    eta = run.step_size * times_eta
    lam = run.prior_precision * times_lambda
    learned = f"η = {written(run.step_size)}, λ = {written(run.prior_precision)}"
    here = f"η = {written(eta)}, λ = {written(lam) if lam else '0'}"
    beside = "" if here == learned else f" Training found {learned}."
    look.small(f"{here}, T = {run.T} steps.{beside}")
    return eta, lam, safe


def _try(values: dict[str, float]) -> None:
    """Takes the learned values but for ``values``; the number of steps belongs to the sidebar."""
    session = st.session_state
    before = AppState.read(session).steps
    session.update(LEARNED_VALUES | values)
    session[_MOVED] = session.steps != before


def _is_learned(found: Race, usual: Race) -> bool:
    """Whether steps are as long, as safe and pulled back as much as in the training."""
    one, other = ((run.step_size, run.prior_precision, run.safe) for run in (found, usual))
    return one == other


def _to_too_long() -> None:
    values = asdict(TOO_LONG) | {EXPERIMENT: TITLE}
    address.follow(address.Link("pages/inside.py", values))
    st.session_state[_MOVED] = True


def _lengths(found: Race) -> Picture:
    """The figure of the steps that were taken from the learned prior, or, where these are all eta
    long, of eta next to the safe ones."""
    from metamf.figures.lines import step_lengths  # with Plotly

    eta = f"η = {written(found.step_size)}"
    if found.safe:
        band = found.taken
        detail = "safe: η, or shorter"
        names = ("taken", "η")
        said = "Steps taken"
    else:
        band = found.limits
        detail = "all η, next to safe ones"
        names = ("would be safe", "η, taken")
        said = "Steps that would be safe"
    chart = step_lengths(band, *names, found.step_size, found.T, height=HEIGHT)
    alt = f"{said}, from {_ends(band)}, next to {eta}."
    lines = [[str(t), *map(written, ends)] for t, ends in enumerate(band, 1)]
    table = look.table(f"{said}, of rows and columns.", ["step", "shortest", "longest"], lines)
    below = "The band reaches from the shortest of a row or column to the longest."
    return Picture("Length of the steps", detail, chart, "lengths", alt, table, below)


def _ends(band: np.ndarray) -> str:
    return f"{written(band.min())} to {written(band.max())}"


# -- sentences

CLIPPED = (  # where steps diverge
    "Estimates of hidden cells are clipped to the rating scale, so this error stays small however "
    "far the factors are off. A cross marks the last step with finite factors."
)


def verdict(found: Race, rescued: Race | None = None) -> str:
    """The sentences on which start wins, by how much, and whether by chance; or on steps that
    diverge, where ``rescued`` is the race of the learned prior with safe steps."""
    learned = found.learned
    if learned.breaks:
        return _diverged(found, rescued)
    if learned.hidden is None:
        return (
            "No rating is hidden, so the starts cannot be compared. Show the model fewer ratings."
        )
    over = found.lead
    assert over is not None  # zero always stays finite
    other = next(lane for lane in found.lanes if lane.name == over.over)
    chance = ""
    if not over.ahead:
        harm = "here the learned prior does harm"
        chance = f": {harm if found.harms else 'the difference may be chance'}"
    return (
        f"After {counted(found.T, 'step')}, the learned prior is off by {rounded(learned.last)}; "
        f"the best other start, {_start(other)}, by {rounded(other.last)}{chance}."
    )


def _diverged(found: Race, rescued: Race | None) -> str:
    """How the steps of the learned prior diverge, what safe steps make of it, and the best
    start."""
    given = found.learned.given[0]
    end = int(np.flatnonzero(np.isfinite(given))[-1])  # the last step with finite factors
    overflow = f", and step {end + 1} overflows" if end < found.T else ""
    text = (
        "The steps are too long: from the learned prior, the error on the given ratings, unclipped, "
        f"grows from {written(given[0])} to {written(given[end])} in {counted(end, 'step')}{overflow}."
    )
    if not found.order:
        return text
    best = found.order[0]
    if rescued is not None and not rescued.learned.breaks:
        last = rescued.learned.last
        text += f" With safe steps, the error on the hidden cells falls to {rounded(last)}."
        if best.last < last:
            text += (
                f" Even smaller is that of {_start(best)}, {rounded(best.last)}: no prior is needed "
                "here."
            )
        return text
    if best.name == ZERO:
        off = rounded(best.last)
        return f"{text} Zero never moves and has an error of {off} on the hidden cells."
    return (
        f"{text} The smallest error on the hidden cells is {rounded(best.last)}, of {_start(best)}."
    )


def _start(lane: Lane) -> str:
    many = f" ({len(lane.given)} starts on average)" if len(lane.given) > 1 else ""
    return f"{NAMES[lane.name]}{many}"


def beside_learned(found: Race, usual: Race) -> str:
    """The sentence on what another eta or lambda does to the errors on given and hidden cells; ''
    where they are the learned ones, or the steps diverge."""
    if _is_learned(found, usual) or found.learned.breaks or found.learned.hidden is None:
        return ""
    pull = "With these values" if found.prior_precision else "Without the pull of the prior"
    given, usual_given = (float(one.learned.given[0, -1]) for one in (found, usual))
    return (
        f"{pull}, the given cells end {rounded(given)} off instead of {rounded(usual_given)}, and "
        f"the hidden ones {rounded(found.learned.last)} instead of {rounded(usual.learned.last)}."
    )


def spread(found: Race) -> str:
    """The sentences on the spread of the random starts, and on why zero stays where it is."""
    text = "Zero factors never move: each gradient is a multiple of the other side."
    lane = next(lane for lane in found.lanes if lane.name == RANDOM)
    if lane.hidden is None or not np.isfinite(lane.last):
        return text
    last = lane.hidden[:, -1]
    return (
        f"The band holds {len(last)} random starts as large as the learned one; they end between "
        f"{rounded(last.min())} and {rounded(last.max())}. {text}"
    )


def why(found: Race) -> str:
    """The sentences on how long the steps are, and why those of the learned prior diverge, or do
    not."""
    eta = f"η = {written(found.step_size)}"
    shortest = found.limits[:, 0]
    if found.safe:
        text = f"Here they were {_ends(found.taken)} long. Nothing overshoots, however large η is."
    elif found.step_size <= shortest.min():
        text = f"{eta} is below all of them, which are at least {written(shortest.min())}."
    elif not found.learned.breaks:
        times = found.step_size / shortest.min()
        text = f"{eta} is up to {times:.1f} times as long, and the steps arrive all the same."
    else:
        text = (
            f"In step 1, {eta} is {found.step_size / shortest[0]:.1f} times as long as the "
            f"shortest of them, {written(shortest[0])}. It lands higher up on the other side of "
            "the valley: the factors grow, the curvature grows with their squares, what is safe "
            "shrinks, and each step overshoots further."
        )
    return (
        "The paper's steps are all η long. A safe step of a row is the smaller of η and "
        "1 / (2 × curvature), where its curvature is λ plus the sum of the squared factors of the "
        f"columns it rated; columns likewise. {text}"
    )


def alt_of_curves(found: Race) -> str:
    ends = [
        f"{NAMES[lane.name]} {rounded(lane.last) if np.isfinite(lane.last) else 'diverged'}"
        for lane in found.lanes
    ]
    return (
        f"Error on the hidden cells per step from four starts. After step {found.T}: "
        f"{', '.join(ends)}."
    )
