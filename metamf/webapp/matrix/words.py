"""The sentences of the pages, from runs: what one sees, what an error means here, what to keep in mind."""

from __future__ import annotations

import numpy as np

import metamf
from metamf.checkpoints.bundled import TITLES, checkpoint_title
from metamf.figures.maps import NAMED_CELLS
from metamf.tasks.run import LEVEL, SHOWN, TaskRun
from metamf.tasks.task import Task
from metamf.tasks.view import View
from metamf.wording import counted, percent, rounded

CAPTIONS = {
    "universal": "Takes any size and any scale, and says how sure it is.",
    "ml-1m": "The paper's model, for films.",
    "ml-100k": "The same, from fewer films.",
    "jester": "The same, for jokes.",
}


def checkpoints() -> list[str]:
    """The bundled checkpoints, the universal one first."""
    return sorted(metamf.list_pretrained(), key=lambda name: (*CAPTIONS, name).index(name))


def checkpoint_caption(name: str) -> str:
    return CAPTIONS.get(name, "A checkpoint of your own.")


def size(task: Task) -> str:
    N, M = task.given.shape
    return f"{N:,} row{'s' if N != 1 else ''} × {M:,} column{'s' if M != 1 else ''}"


def share(task: Task) -> str:
    N, M = task.given.shape
    return f"{task.given.nnz:,} of {counted(N * M, 'cell')}"


def hidden_cells(task: Task) -> str:
    """What 'error on hidden cells' means for this matrix."""
    if not task.hidden.nnz:
        return "No rated cell is hidden, so no error can be measured. Keep less of the matrix to hide some."
    if task.matrix.truth is not None:
        return (
            f"This matrix is made up, so the true rating of every cell is known: the error is measured on all "
            f"{counted(task.hidden.nnz, 'cell')} that the model was not given."
        )
    return (
        f"Only cells that somebody rated can be checked: the error is measured on the "
        f"{counted(task.hidden.nnz, 'rated cell')} that {'were' if task.hidden.nnz > 1 else 'was'} held back. "
        "What is estimated for the others, nobody knows to be right or wrong."
    )


def finding(run: TaskRun) -> str:
    """One sentence on what one sees, at the last step."""
    task = run.task
    if task.given.nnz == task.given.n_rows * task.given.n_cols:
        return "Every cell is given: there is nothing to fill in."
    if run.hidden_errors is None:
        return f"From {share(task)} the model fills in the others; nothing is hidden to check it against."
    ours, mean = run.hidden_errors.rmse[-1], task.mean_rmse
    start = f"From {share(task)}, the model estimates the hidden ratings with a typical error (RMSE) of {rounded(ours)}"
    if ours < mean:
        return f"{start}: {percent(1 - ours / mean)} less than the {rounded(mean)} of always guessing the mean."
    return f"{start}. Always guessing the mean does no worse here: {rounded(mean)}."


def inside(run: TaskRun) -> str:
    """'203 of 224 inside, 90 % expected'"""
    return f"{run.covered:,} of {counted(run.task.hidden.nnz, 'hidden cell')} inside, {percent(LEVEL)} expected"


def about_intervals(run: TaskRun) -> str:
    share = run.covered / run.task.hidden.nnz
    text = (
        f"{percent(share)} of the hidden ratings lie inside the {percent(LEVEL)} interval around their estimate. The "
        "widths were set on other matrices, so on a single one the share differs."
    )
    return text if run.task.hidden.nnz <= SHOWN else f"{text} {SHOWN} of the cells are drawn."


def coverage_tile(run: TaskRun) -> tuple[str, str, str]:
    """What the hidden cells tell of the intervals, or how many there are."""
    if run.covered is None:
        return "Hidden cells", f"{run.task.hidden.nnz:,}", f"of {size(run.task)}"
    share = percent(run.covered / run.task.hidden.nnz)
    return f"In the {percent(LEVEL)} interval", share, f"of {counted(run.task.hidden.nnz, 'hidden cell')}"


def cell_notes(view: View, t: int) -> np.ndarray:
    """(n, m) a word on each cell for the text under the pointer; after the last sweep its interval, too."""
    notes = np.where(view.is_given, "given", "estimated").astype(object)
    if view.ends is not None and t == view.run.T and notes.size <= NAMED_CELLS:
        lower, upper = view.ends
        for n, m in zip(*np.nonzero(~view.is_given)):
            notes[n, m] = f"estimated<br>{percent(LEVEL)} interval: {lower[n, m]:.2f} to {upper[n, m]:.2f}"
    return notes


def no_intervals(run: TaskRun) -> str:
    return (
        f"The checkpoint {checkpoint_title(run.imputation.checkpoint)} gives no intervals; {TITLES['universal']} does."
    )


def step_rule(run: TaskRun) -> str | None:
    """A note where the paper's fixed step size diverged."""
    if run.imputation.step_rule != "safe":
        return None
    return (
        "With the paper's fixed step size the steps diverge on this matrix, which is denser or larger than those the "
        "checkpoint learned from. Safe steps are shown instead; the page Watch shows both rules, and why."
    )


def wins_without_other_matrices(name: str, network: bool) -> str:
    """Compare: what is said where a method that was not meta-trained has the smallest error."""
    if network:
        return f"No other matrix was needed here: {name}, a network trained on this one alone, has the smallest error."
    return f"A simple method wins here: {name}, which takes no network, has the smallest error."
