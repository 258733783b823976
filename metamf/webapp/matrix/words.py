"""The sentences of the pages on one matrix, made from the numbers of a step: what one sees, what an error means."""

from __future__ import annotations

from metamf.checkpoints.bundled import TITLES, checkpoint_title
from metamf.tasks.run import SHOWN
from metamf.tasks.summary import StepSummary
from metamf.wording import counted, percent, rounded

DIVERGED = (
    "With the paper's fixed step size the steps diverge on this matrix, which is denser or larger than those the "
    "checkpoint learned from. Safe steps are shown instead; the page Watch shows both rules, and why."
)


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


def finding(found: StepSummary) -> str:
    """One sentence on what one sees after this step."""
    if found.n_given == found.n_cells:
        return "Every cell is given: there is nothing to fill in."
    if found.hidden_rmse is None:
        return f"From {share(found)} the model fills in the others; nothing is hidden to check it against."
    ours, mean = found.hidden_rmse, found.mean_rmse
    start = (
        f"From {share(found)}, the model estimates the hidden ratings with a typical error (RMSE) of {rounded(ours)}"
    )
    if ours < mean:
        return f"{start}: {percent(1 - ours / mean)} less than the {rounded(mean)} of always guessing the mean."
    return f"{start}. Always guessing the mean does no worse here: {rounded(mean)}."


def tiles(found: StepSummary) -> list[tuple[str, str, str]]:
    """The errors on the hidden cells: name, number, and what it is."""
    if found.hidden_rmse is None:
        return []
    when = f"the model, after the last {found.round}"
    return [
        ("RMSE on hidden cells", rounded(found.hidden_rmse), when),
        ("MAE on hidden cells", rounded(found.hidden_mae), when),
        ("RMSE of the mean", rounded(found.mean_rmse), "guessing the mean of the given ratings"),
        coverage_tile(found),
    ]


def inside(found: StepSummary) -> str:
    """'203 of 224 hidden cells inside, 90 % expected'"""
    return f"{found.covered:,} of {counted(found.n_hidden, 'hidden cell')} inside, {percent(found.level)} expected"


def about_intervals(found: StepSummary) -> str:
    text = (
        f"{percent(found.covered / found.n_hidden)} of the hidden ratings lie inside the {percent(found.level)} "
        "interval around their estimate. The widths were set on other matrices, so on a single one the share differs."
    )
    return text if found.n_hidden <= SHOWN else f"{text} {SHOWN} of the cells are drawn."


def coverage_tile(found: StepSummary) -> tuple[str, str, str]:
    """The tile with the share of hidden cells inside their interval; without intervals, with their number."""
    if found.covered is None:
        size = f"{counted(found.n_rows, 'row')} × {counted(found.n_cols, 'column')}"
        return "Hidden cells", f"{found.n_hidden:,}", f"of {size}"
    share = percent(found.covered / found.n_hidden)
    return f"In the {percent(found.level)} interval", share, f"of {counted(found.n_hidden, 'hidden cell')}"


def no_intervals(found: StepSummary) -> str:
    return f"The checkpoint {checkpoint_title(found.checkpoint)} gives no intervals; {TITLES['universal']} does."


def wins_without_other_matrices(name: str, network: bool) -> str:
    """The sentence of the page Compare if a method that was not meta-trained has the smallest error."""
    if network:
        return f"No other matrix was needed here: {name}, a network trained on this one alone, has the smallest error."
    return f"A simple method wins here: {name}, which takes no network, has the smallest error."
