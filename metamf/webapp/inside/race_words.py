"""The sentences on a race of starts, made from its numbers."""

from __future__ import annotations

import numpy as np

from metamf.webapp.experiments.starts import LEARNED, MEANS, RANDOM, ZERO, Lane, Race
from metamf.webapp.matrix.words import size
from metamf.wording import counted, rounded, written

RESCUED = "learned prior, safe steps"
NAMES = {LEARNED: "the learned prior", MEANS: "the column means", RANDOM: "random numbers", ZERO: "zero"}


def verdict(race: Race, rescued: Race | None = None) -> str:
    """Who wins, by how much, and whether that is more than chance; first of all what breaks.

    ``rescued``: the learned prior with safe steps, where it breaks without them.
    """
    if race.learned.breaks:
        return f"{_broken(race)} {_others(race, rescued)}"
    if race.learned.hidden is None:
        return "No rating is hidden, so nobody can say which start is best: show the model fewer of them."
    first, second = race.order[:2]  # zero always keeps its numbers
    cells = counted(len(first.squares), "hidden cell")
    text = (
        f"After {counted(race.T, 'step')}, the smallest error on the {cells} is that of {_start(first)}: "
        f"{rounded(first.last)}, {size(race.lead)} less than the {rounded(second.last)} of {_start(second)}. "
    )
    text += "That is more than chance explains." if race.lead.ahead else "Chance alone may explain that."
    harm = "The learned prior does harm here, by more than chance explains." if race.harms else ""
    if race.learned not in (first, second):
        text += f" From the learned prior it is {rounded(race.learned.last)}."
    return f"{text} {harm}".strip()


def _broken(race: Race) -> str:
    """Fate of the learned prior where the steps break."""
    given, end = race.learned.given[0], _last_number(race.learned)
    text = (
        f"The steps are too long: from the learned prior the error on the given ratings goes from {written(given[0])} "
        f"to {written(given[end])} in {counted(end, 'step')}"
    )
    return f"{text}, and step {end + 1} leaves no numbers at all." if end < race.T else f"{text}."


def _others(race: Race, rescued: Race | None) -> str:
    """The best start where the learned prior breaks, and the outcome of safe steps."""
    if not race.order:
        return ""
    if rescued is not None and not rescued.learned.breaks:
        text = f"With safe steps the error on the hidden cells goes to {rounded(rescued.learned.last)}."
        best = race.order[0]
        if best.last >= rescued.learned.last:
            return text
        return f"{text} Smaller still is the {rounded(best.last)} of {_start(best)}: these ratings need no prior."
    best = race.order[0]
    if best.name == ZERO:
        return f"Zero, which never moves, is left with {rounded(best.last)} on the hidden cells."
    return f"The smallest error on the hidden cells is {rounded(best.last)}, of {_start(best)}."


def spread(race: Race) -> str:
    """How far the random starts lie apart, and why zero stays where it is."""
    text = (
        "Zero is a saddle point: the gradient of U is made of V, and that of V of U, so where both are zero nothing "
        "ever moves, and the error stays that of one guess for every cell."
    )
    lane = next(lane for lane in race.lanes if lane.name == RANDOM)
    if lane.hidden is None or not np.isfinite(lane.last):
        return text
    last = lane.hidden[:, -1]
    return (
        f"The band holds {len(last)} random starts: they end between {rounded(last.min())} and {rounded(last.max())}. "
        f"Their numbers are as large as the learned ones. {text}"
    )


def why(race: Race) -> str:
    """Why the steps of the learned prior break, or do not."""
    eta, longest = race.step_size, race.longest
    if race.safe:
        return (
            "Safe steps: row n moves by the smaller of η and 1 / (2 L), where L adds up the squared factors of the "
            "columns that it rated, and λ; columns alike. However long η is, nothing overshoots."
        )
    if longest is None:
        return "The matrix is too large to compute here how long a step may be."
    step = race.first_overshoot
    if step is None:
        return (
            f"η = {written(eta)} is shorter than the longest step that does not overshoot, {written(longest.min())} or "
            "more on the whole way. That length is 2 divided by the largest curvature of the objective: the more "
            "ratings a row or column has, and the larger the factors, the shorter it is."
        )
    text = (
        f"In step {step}, η = {written(eta)} is {eta / longest[step - 1]:.1f} times the longest step that does not "
        f"overshoot, {written(longest[step - 1])}, which is 2 divided by the largest curvature of the objective. "
    )
    if not race.learned.breaks:
        return f"{text}It lands beyond the bottom, but comes down again: the factors shrink, and the steps recover."
    return (
        f"{text}It lands further up on the other side of the valley, the factors grow, the curvature grows with their "
        f"squares, and the next step overshoots further: the longest step falls to {written(longest[-1])}."
    )


def alt_of_curves(race: Race) -> str:
    """Text in place of the curves."""
    ends = [
        f"{NAMES[lane.name]} {rounded(lane.last) if np.isfinite(lane.last) else 'without numbers'}"
        for lane in race.lanes
    ]
    return f"Error on the hidden cells per step from four starts. After step {race.T}: {', '.join(ends)}."


def alt_of_lengths(race: Race) -> str:
    """Text in place of the figure of step lengths."""
    if race.longest is None:
        return ""
    return (
        f"Longest step that does not overshoot, from {written(race.longest[0])} at the start to "
        f"{written(race.longest[-1])}, beside the step that is taken, {written(race.step_size)}. {why(race)}"
    )


def _start(lane: Lane) -> str:
    return f"{NAMES[lane.name]} ({len(lane.given)} starts on average)" if len(lane.given) > 1 else NAMES[lane.name]


def _last_number(lane: Lane) -> int:
    """The last step whose factors are finite."""
    return int(np.flatnonzero(np.isfinite(lane.given[0]))[-1])
