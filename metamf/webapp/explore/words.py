"""The sentences of the pages on one matrix, made from a run: what you see, what an error means, and its intervals."""

from __future__ import annotations

import math

import numpy as np

from metamf.answer.division import Task
from metamf.answer.significance import Lead
from metamf.checkpoints.bundled import DATA_TITLES, checkpoint_title
from metamf.ratings.matrix import Ratings
from metamf.webapp import look
from metamf.webapp.explore.run import Patterns, Run, View
from metamf.wording import counted, percent, percent_with_error, rounded

DIVERGED = (
    "The steps diverge here with the paper's fixed step size, so shorter ones are shown. The page Inside shows where "
    "the steps break, and why."
)
_WORTH = 0.1  # a simple method whose lead is smaller is named, and the model may still be relied on
_SURE = 3  # standard errors below the level from which intervals are too short
_SHORT = 0.05  # and the least share by which they are
_ALIKE = 0.9  # cosine between two parts from which a reader would name both after the same things


def hidden_cells(task: Task) -> str:
    """Returns the sentence on what "error on hidden cells" means for this matrix."""
    if not task.hidden.nnz:
        return "No rated cell is hidden, so no error can be measured. Give the model fewer ratings to hide some."
    if task.matrix.truth is not None:
        return (
            "This matrix is made up, so the true rating of every cell is known. The error is measured on all "
            f"{counted(task.hidden.nnz, 'cell')} that the model was not given."
        )
    return (
        "Only cells that somebody rated can be checked, so the error is measured on the "
        f"{counted(task.hidden.nnz, 'rated cell')} hidden from the model. Nobody knows whether the estimates of the "
        "missing cells are right."
    )


def finding(run: Run, over: Lead | None, told: bool = False) -> str:
    """Returns one or two sentences on the result of a run; ``over``: its lead over the best simple method, or over the
    same network without them if it was ``told`` the genres."""
    given = run.task.given
    if given.nnz == given.n_rows * given.n_cols:
        return "Every cell is given, so there is nothing to fill in."
    if run.rmse is None or over is None:
        share = f"{given.nnz:,} of {counted(given.n_rows * given.n_cols, 'cell')}"
        return f"From {share}, the model estimates all others. No rating is hidden to check the estimates."
    known = "Told genre and year of each film" if told else "Trained on other people and other things"
    start = f"{known}, the model estimates the hidden ratings of this draw with a typical error of {rounded(run.rmse)}"
    other = "the same network, without them" if told else f"the best simple method, {over.over}"
    best = f"{other} ({rounded(over.rmse)})"
    if over.ahead:
        return f"{start}, {size(over)} less than {best}."
    if over.behind:
        return f"{start}. {best[:1].upper()}{best[1:]}, is closer."
    return f"{start}. The difference from {best}, may be due to chance."


def rows_without_ratings(given: Ratings, noun: str) -> str:
    """Returns what happens to rows of which nothing is given, whose plural is ``noun``; '' where there are none."""
    many = given.n_rows - len(set(given.rows.tolist()))
    if many < 2:
        return ""
    return f"{many:,} {noun} have no rating that is given: they all get the same estimates."


def size(over: Lead) -> str:
    """Returns the size of a lead with its standard error: '13 ± 3 %'."""
    return percent_with_error(abs(over.share), over.standard_error)


def doubt(run: Run, over: Lead | None) -> str:
    """Returns the warning where a simple method is clearly better or the intervals are too short; otherwise ''."""
    wrong = []
    if over is not None and over.behind and over.share < -_WORTH:
        wrong.append(f"a simple method, {over.over}, is closer to the hidden ratings")
    level, n = run.answer.level, run.task.hidden.nnz
    if run.covered is not None and level is not None and n:
        chance, share = _SURE * math.sqrt(level * (1 - level) / n), run.covered / n
        if share < level - max(_SHORT, chance):
            wrong.append(f"only {percent(share)} of the hidden ratings lie inside the {percent(level)} interval")
    return f"Do not rely on it here: {'; '.join(wrong)}." if wrong else ""


def no_intervals(run: Run) -> str:
    """Returns the sentence where the model gives no intervals."""
    return f"{checkpoint_title(run.answer.method)} gives no intervals; {DATA_TITLES['universal']} does."


def low_rank(factors: int, n_rows: int, n_cols: int, steps: int, found: Patterns) -> str:
    """Returns why K factors make an N x M matrix of low rank after T steps of the paper's model; '' where they do not.

    ``found`` holds the patterns of U(T) V(T)^T.
    """
    if not 0 < found.count <= min(factors, n_rows, n_cols) / 3:
        return ""
    smaller = counted(n_cols, "column") if n_cols <= n_rows else counted(n_rows, "row")
    many = f" for {smaller}" if factors >= min(n_rows, n_cols) else ""
    held = percent(min(math.floor(1000 * found.share) / 1000, 0.999), 1)
    return (
        f"Why do {factors} factors{many} still make a matrix of low rank? The network proposes nearly the same "
        f"{factors} numbers for every row, and for every column, and a step only mixes what it proposed. So "
        f"{counted(found.count, 'pattern')} (one number for every row times one for every column) "
        f"{'makes' if found.count == 1 else 'make'} up {held} of the sum of squares of U({steps}) V({steps})ᵀ."
    )


def parts(lowest: float, scale_known: bool, V: np.ndarray) -> str:
    """Returns what estimates by positive factors are made of, and whether the parts (M, K) of the columns are alike."""
    text = f"No minus signs: an estimate is the lowest rating, {lowest:g}, plus {V.shape[1]} parts that only add up."
    if not scale_known:
        text += f" No rating scale is known, so no estimate is below {lowest:g}."
    unit = V / np.linalg.norm(V, axis=0)
    least = math.floor(100 * (unit.T @ unit).min()) / 100
    if least < _ALIKE:
        return text
    return (
        f"{text} They are alike here (cosine between any two, over the columns: at least {least:.2f}). Do not read "
        "them as kinds of things."
    )


def strip(view: View) -> look.Picture | None:
    """The intervals of hidden cells; None where the checkpoint gives no intervals or no cell is hidden."""
    run, shown = view.run, view.run.hidden_intervals
    if shown is None or not run.task.hidden.nnz:
        return None
    from metamf.figures.lines import interval_strip  # with Plotly

    assert run.answer.level is not None
    hidden, level = counted(run.task.hidden.nnz, "hidden cell"), percent(run.answer.level)
    inside = f"{run.covered:,} of {hidden} inside, {level} expected"
    low, high = (rounded(float(end)) for end in (shown.estimate.min(), shown.estimate.max()))
    widths = sorted(shown.upper - shown.lower)
    narrow, wide = rounded(float(widths[0])), rounded(float(widths[-1]))
    alt = (
        f"{counted(len(widths), 'interval')} of hidden cells beside their true ratings, sorted by their estimates, "
        f"{low} to {high}; {narrow} to {wide} wide. {inside}."
    )
    columns = shown.estimate, shown.lower, shown.upper, shown.truth
    lines = [
        [str(place), *(rounded(float(values[at])) for values in columns)]
        for place, at in enumerate(shown.estimate.argsort(), 1)
    ]
    table = look.table("Intervals of hidden cells.", ["place", "estimate", "from", "to", "true rating"], lines)
    below = "The widths were set on other matrices, so on a single one the share differs."
    if len(widths) < run.task.hidden.nnz:
        below += f" {len(widths)} of the cells are drawn."
    chart = interval_strip(*shown, height=320)
    return look.Picture("Does it hold?", inside, chart, "intervals", alt, table, below)
