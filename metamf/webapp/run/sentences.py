"""The sentences of the pages on one matrix, made from a run: what you see, what an error means, and
its intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from metamf.answer.division import Task
from metamf.answer.significance import Lead
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import ColumnLimits, RatingScale
from metamf.webapp import look
from metamf.webapp.run.measured_run import Patterns, Run
from metamf.wording import counted, listed, percent, rounded

DIVERGED = (
    "The paper's step is too long for so many ratings, so shorter steps are used (Inside "
    "shows why)."
)
_SURE = 3  # standard errors below the level from which intervals are too short
_SHORT = 0.05  # and the least share by which they are
_ALIKE = 0.9  # cosine between two parts from which a reader would name both after the same things
_NO_BIAS = 0.05  # rating units; a smaller one is none


class Off(NamedTuple):
    """How far a method's estimates are off on hidden cells: RMSE and bias, estimate minus truth, in
    rating units."""

    rmse: float
    bias: float

    @classmethod
    def by(cls, errors: np.ndarray) -> Off:
        """From the signed errors (n,), at least one."""
        return cls(float(np.sqrt(np.square(errors).mean())), float(errors.mean()))

    def said(self, unit: str = "") -> str:
        """'0.71 stars'."""
        return f"{rounded(self.rmse)} {unit}".strip()


class BesideSimple(NamedTuple):
    """A run next to the best simple method on the same hidden cells: its lead over that one, and
    how far the two are off."""

    over: Lead
    own: Off
    simple: Off


class Measured(NamedTuple):
    """What was measured over many draws of a world: their number and noun, the model and the best
    simple method."""

    draws: str
    model: Off
    simple: Off


def unit(scale: RatingScale | ColumnLimits | None) -> str:
    """The word for one unit of a rating."""
    return (
        "stars"
        if isinstance(scale, RatingScale) and (scale.minimum, scale.maximum) == (1, 5)
        else "points"
    )


def seen(task: Task) -> str:
    """Returns how many of the ratings the model sees."""
    every = task.given.nnz + (task.hidden.nnz if task.matrix.ratings.density == 1 else 0)
    every = max(every, task.matrix.ratings.nnz)
    return f"The model sees {task.given.nnz:,} of {counted(every, 'rating')}."


def hidden_cells(task: Task) -> str:
    """Returns the sentence on what the error is measured on; '' where nothing is hidden."""
    if not task.hidden.nnz:
        return "No rating is hidden, so no error can be measured. Show the model fewer ratings."
    if task.matrix.truth is not None:
        return (
            "Made up, so every true rating is known: errors are over all "
            f"{counted(task.hidden.nnz, 'hidden cell')}."
        )
    return (
        f"Errors are over the {counted(task.hidden.nnz, 'rated cell')} hidden from the model. "
        "Nobody knows the ratings "
        "of the others."
    )


def finding(
    run: Run, beside: BesideSimple | None, measured: Measured | None, liked: bool = False
) -> str:
    """Returns the result of a run in one to three sentences.

    ``measured``: over many draws of the same world; ``liked``: whether people rate what they like,
    and the model learned on tables in which they do.
    """
    given = run.task.given
    cells = given.n_rows * given.n_cols
    if given.nnz == cells:
        return "Every cell is given, so there is nothing to fill in."
    if beside is None:
        return (
            f"The model fills in {cells - given.nnz:,} of {counted(cells, 'cell')}. None is "
            "hidden to check it."
        )
    over, own, other = beside
    if over.behind:
        return loses(over, own.rmse)
    word = unit(given.scale)
    why = ""
    if liked and over.ahead and other.bias > max(_NO_BIAS, 2 * abs(own.bias)):
        why = " People rate what they like, so the gaps are lower; other tables taught the model that."
    both = (
        f"The model is off by {own.said(word)}; the best simple method, {over.over}, by "
        f"{other.said()}"
    )
    text = f"{both}.{why}" if over.ahead else f"{both}: {chance(over)}."
    if measured is None:
        return text
    return (
        f"{text} Over {measured.draws}: {measured.model.said()} against {measured.simple.said()} "
        "for the simple method that is best over all of them."
    )


def chance(over: Lead) -> str:
    """Returns which of two is better where that may be chance."""
    if over.share == 0:
        return "no difference"
    return "better, maybe by chance" if over.share > 0 else "worse, maybe by chance"


def rivals(errors: Mapping[str, float], word: str) -> str:
    """Returns how far off the paper's meta-learned rivals are, which learned from the same tables
    as the model; '' without any."""
    if not errors:
        return ""
    said = listed([f"{label} by {rounded(error)}" for label, error in errors.items()])
    return f"Meta-trained on the same tables and asked the same cells: {said} {word}."


def with_features(over: Lead, own: float, word: str) -> str:
    """Returns the result of a run that knows the genres; ``over``: its lead over the same network
    without them."""
    clear = "" if over.ahead or over.behind else f": {chance(over)}"
    return (
        f"Told genre and year, the model is off by {rounded(own)} {word}; without them by "
        f"{rounded(over.rmse)}{clear}."
    )


def loses(over: Lead, own: float) -> str:
    """Returns the sentence where a simple method is clearly better."""
    return (
        f"The model loses here: {over.over} is off by {rounded(over.rmse)}, the model by "
        f"{rounded(own)}."
    )


def rows_without_ratings(given: Ratings, noun: str) -> str:
    """Returns what happens to rows of which nothing is given, whose plural is ``noun``; '' where
    there are none."""
    many = given.n_rows - len(set(given.rows.tolist()))
    if many < 2:
        return ""
    return f"{many:,} {noun} have rated nothing the model sees, so they get the same estimates."


def doubt(run: Run) -> str:
    """Returns the warning where the intervals are too short; otherwise ''."""
    level = run.answer.level
    n = run.task.hidden.nnz
    if run.covered is None or level is None or not n:
        return ""
    chance = _SURE * math.sqrt(level * (1 - level) / n)
    share = run.covered / n
    if share >= level - max(_SHORT, chance):
        return ""
    return (
        f"Too sure here: only {percent(share)} of the hidden ratings lie inside the "
        f"{percent(level)} interval."
    )


NO_INTERVALS = "Want to know how sure it is? Choose Universal."


def low_rank(factors: int, n_rows: int, n_cols: int, steps: int, found: Patterns) -> str:
    """Returns how many patterns K factors carry after T steps of the paper's model; '' where they
    are not few.

    ``found`` holds the patterns of U(T) V(T)^T.
    """
    if not 0 < found.count <= min(factors, n_rows, n_cols) / 3:
        return ""
    held = percent(min(math.floor(1000 * found.share) / 1000, 0.999), 1)
    verb = "carries" if found.count == 1 else "carry"
    return (
        f"Of {factors} factors, {counted(found.count, 'pattern')} {verb} {held} of U({steps}) "
        f"V({steps})ᵀ: a step only "
        "mixes what the network proposed."
    )


def parts(lowest: float, scale_known: bool, V: np.ndarray) -> str:
    """Returns what estimates by positive factors are made of, and whether the parts (M, K) of the
    columns are alike."""
    text = (
        f"Non-negative factors: an estimate is the lowest rating, {lowest:g}, plus "
        f"{V.shape[1]} parts that only add."
    )
    if not scale_known:
        text += f" No rating scale is known, so no estimate is below {lowest:g}."
    unit = V / np.linalg.norm(V, axis=0)
    least = math.floor(100 * (unit.T @ unit).min()) / 100
    if least < _ALIKE:
        return text
    return (
        f"{text} Here they are alike (cosines from {least:.2f} up), so do not read them as "
        "kinds of things."
    )


def strip(run: Run) -> look.Picture | None:
    """The intervals of hidden cells, where the checkpoint gives intervals; None where no cell is
    hidden."""
    if not run.task.hidden.nnz:
        return None
    from metamf.figures.lines import interval_strip  # with Plotly

    assert run.answer.level is not None
    shown = run.hidden_intervals()
    estimate, lower, upper, _ = shown
    hidden = counted(run.task.hidden.nnz, "hidden cell")
    inside = f"{run.covered:,} of {hidden} inside, {percent(run.answer.level)} expected"
    ends = [f"{rounded(x.min())} to {rounded(x.max())}" for x in (estimate, upper - lower)]
    alt = (
        f"{counted(len(estimate), 'interval')} of hidden cells next to their true ratings, sorted "
        f"by their estimates, {ends[0]}; {ends[1]} wide. {inside}."
    )
    lines = [
        [str(place), *(rounded(values[at]) for values in shown)]
        for place, at in enumerate(estimate.argsort(), 1)
    ]
    head = ["place", "estimate", "from", "to", "true rating"]
    table = look.table("Intervals of hidden cells.", head, lines)
    below = "The widths were set on other tables, so the share differs on a single one."
    if len(estimate) < run.task.hidden.nnz:
        below += f" {len(estimate)} of the cells are drawn."
    chart = interval_strip(*shown, height=320)
    return look.Picture("Does it hold?", inside, chart, "intervals", alt, table, below)
