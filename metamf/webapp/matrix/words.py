"""The sentences of the pages on one matrix, made from the numbers of a step: what one sees, what an error means.

Nothing of torch is imported with this module: the first page says kept sentences before torch is there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from metamf.checkpoints.bundled import DATA_TITLES, checkpoint_title
from metamf.evaluate.run import SHOWN_INTERVALS, Patterns, StepSummary
from metamf.evaluate.significance import Lead
from metamf.wording import counted, percent, percent_with_error, rounded

DIVERGED = (
    "with the paper's fixed step size the steps diverge, so safe steps are shown instead (the page Inside shows where "
    "steps break, and why)"
)
_WORTH = 0.05  # a smaller lead of a simple method is said, and no reason not to rely on the model
_SURE = 3  # standard errors below the level from which intervals are too short
_SHORT = 0.05  # and the least share by which they are


def share(found: StepSummary) -> str:
    """'56 of 280 cells'"""
    return f"{found.n_given:,} of {counted(found.n_cells, 'cell')}"


def hidden_cells(found: StepSummary) -> str:
    """The sentence on what "error on hidden cells" means for this matrix."""
    if not found.n_hidden:
        return "No rated cell is hidden, so no error can be measured. Keep less of the matrix to hide some."
    if found.truth_known:
        return (
            f"This matrix is made up, so the true rating of every cell is known: the error is measured on all "
            f"{counted(found.n_hidden, 'cell')} that the model was not given."
        )
    return (
        f"Only cells that somebody rated can be checked: the error is measured on the "
        f"{counted(found.n_hidden, 'rated cell')} that {'were' if found.n_hidden > 1 else 'was'} held back. "
        "Nobody knows whether the estimates of the others are right."
    )


def finding(found: StepSummary, over: Lead | None = None) -> str:
    """One or two sentences on what one sees after this step.

    Parameters
    ----------
    found : StepSummary
        The step.
    over : Lead, optional
        The lead over the best simple method; without it, the mean alone is named.
    """
    if found.n_given == found.n_cells:
        return "Every cell is given: there is nothing to fill in."
    if found.hidden_rmse is None:
        return f"From {share(found)} the model fills in the others; nothing is hidden to check it against."
    ours, mean = found.hidden_rmse, found.mean_rmse
    when = f"after {counted(found.step, found.round)}" if found.step else f"before its first {found.round}"
    start = (
        f"From {share(found)}, the model estimates the hidden ratings {when} with a typical error (RMSE) of "
        f"{rounded(ours)}"
    )
    if over is not None:
        from metamf.evaluate.methods import plain_name

        less = f" Always guessing the mean gives {rounded(mean)}." if over.over != plain_name("mean") else ""
        return f"{start}{clause_on_lead(over)}{less}"
    if ours < mean:
        return f"{start}: {percent(1 - ours / mean)} less than the {rounded(mean)} of always guessing the mean."
    return f"{start}. Always guessing the mean does no worse here: {rounded(mean)}."


def clause_on_lead(over: Lead) -> str:
    """The end of a sentence that compares the error of the model with that of the best simple method."""
    best = f"{over.over} ({rounded(over.rmse)}), the best of {counted(over.of, 'simple method')}"
    if over.ahead:
        return f": {size(over)} less than {best}."
    if over.behind:
        return f". A simple method does better here: {best}."
    return f". The difference from {best}, may be due to chance."


def size(over: Lead) -> str:
    """The size of a lead with its standard error: '13 ± 3 %'."""
    return percent_with_error(abs(over.share), over.standard_error)


def doubt(
    found: StepSummary, over: Lead | None, departures: Sequence[str] = (), diverged: bool = True
) -> tuple[str, str]:
    """The sentence that says when not to believe what the page shows, and its kind; '' if nothing speaks against it.

    Parameters
    ----------
    found : StepSummary
        The last step.
    over : Lead or None
        The lead over the best simple method.
    departures : sequence of str
        In which ways the given ratings lie outside what the model learned from.
    diverged : bool
        Whether to name steps that diverge.

    Returns
    -------
    sentence : str
        The sentence.
    kind : {'warning', 'note'}
        'warning' where something was measured to go wrong; 'note' where the matrix is only unlike those of training.
    """
    wrong = []
    if over is not None and over.behind and over.share < -_WORTH:
        wrong.append(f"a simple method, {over.over}, is closer to the hidden ratings")
    if found.covered is not None and found.n_hidden:
        share = found.covered / found.n_hidden
        chance = _SURE * np.sqrt(found.level * (1 - found.level) / found.n_hidden)
        if share < found.level - max(_SHORT, chance):
            wrong.append(f"only {percent(share)} of the hidden ratings lie inside the {percent(found.level)} interval")
    if found.diverged and diverged:
        wrong.append(DIVERGED)
    unlike = [f"this matrix is unlike those of the training: {'; '.join(departures)}"] if departures else []
    if not wrong and not unlike:
        return "", "note"
    return f"{'Do not rely on it here' if wrong else 'Be careful'}: {'; '.join([*wrong, *unlike])}.", (
        "warning" if wrong else "note"
    )


def tiles(found: StepSummary, over: Lead | None = None) -> list[tuple[str, str, str]]:
    """The errors on the hidden cells: name, number, and what it is; ``over``: the lead over the best simple method."""
    if found.hidden_rmse is None:
        return []
    when = f"the model, after the last {found.round}"
    return [
        ("RMSE on hidden cells", rounded(found.hidden_rmse), when),
        ("MAE on hidden cells", rounded(found.hidden_mae), when),
        ("RMSE of the mean", rounded(found.mean_rmse), "guessing the mean of the given ratings")
        if over is None
        else ("RMSE of the best simple method", rounded(over.rmse), over.over),
        coverage_tile(found),
    ]


def inside(found: StepSummary) -> str:
    """'203 of 224 hidden cells inside, 90 % expected'"""
    return f"{found.covered:,} of {counted(found.n_hidden, 'hidden cell')} inside, {percent(found.level)} expected"


def about_intervals(found: StepSummary) -> str:
    """The sentence below the intervals of hidden cells: how many hold the rating."""
    text = (
        f"{percent(found.covered / found.n_hidden)} of the hidden ratings lie inside the {percent(found.level)} "
        "interval around their estimate. The widths were set on other matrices, so on a single one the share differs."
    )
    return text if found.n_hidden <= SHOWN_INTERVALS else f"{text} {SHOWN_INTERVALS} of the cells are drawn."


def coverage_tile(found: StepSummary) -> tuple[str, str, str]:
    """The tile with the share of hidden cells inside their interval; without intervals, with their number."""
    if found.covered is None:
        return (
            "Hidden cells",
            f"{found.n_hidden:,}",
            f"of {counted(found.n_rows, 'row')} × {counted(found.n_cols, 'column')}",
        )
    share = percent(found.covered / found.n_hidden)
    return f"In the {percent(found.level)} interval", share, f"of {counted(found.n_hidden, 'hidden cell')}"


def no_intervals(found: StepSummary) -> str:
    """The sentence where the model gives no intervals."""
    return f"{checkpoint_title(found.checkpoint)} gives no intervals; {DATA_TITLES['universal']} does."


def low_rank(factors: int, n_rows: int, n_cols: int, steps: int, found: Patterns) -> str:
    """The sentence on why many factors make a matrix of low rank; '' where they do not.

    Parameters
    ----------
    factors, n_rows, n_cols, steps : int
        K, N, M and T of a run of the paper's model.
    found : Patterns
        The patterns of U(T) V(T)^T.
    """
    if not 0 < found.count <= min(factors, n_rows, n_cols) / 3:
        return ""
    smaller = counted(n_cols, "column") if n_cols <= n_rows else counted(n_rows, "row")
    many = f" for {smaller}" if factors >= min(n_rows, n_cols) else ""
    held = percent(min(math.floor(1000 * found.share) / 1000, 0.999), 1)
    return (
        f"Why do {factors} factors{many} still make a matrix of low rank? The network proposes much the same {factors} "
        "numbers for every row, and for every column, and a step only mixes what it proposed. So "
        f"{counted(found.count, 'pattern')}, each one number for every row times one for every column, "
        f"{'makes' if found.count == 1 else 'make'} up {held} of U({steps}) V({steps})ᵀ (of the sum of its squares)."
    )
