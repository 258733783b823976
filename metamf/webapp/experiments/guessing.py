"""Guess hidden ratings yourself: some hidden cells of a run, and who comes closest, a person, the model or the mean.

The model's estimate u_n . v_m is that of the last step, Eq. (8), clipped to the rating scale; the mean is that of the
given ratings, the method Mean of the paper's Table 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metamf.evaluate.run import TaskRun

COUNT = 10  # cells of a game; what a class guesses in five minutes
PLAYERS = ("you", "model", "mean")
DECIMALS = 2  # of errors, in rating units, as pages show them: what reads as equal counts as equal


@dataclass(frozen=True, eq=False)
class HiddenCells:
    """Some hidden cells of a run, in the order in which they are guessed.

    Attributes
    ----------
    rows, cols : ndarray of shape (n,)
        Their positions, integers.
    truth, model : ndarray of shape (n,)
        True ratings, and the model's estimates after the last step, in rating units.
    mean : float
        The mean of the given ratings, which answers every cell, in rating units.
    """

    rows: np.ndarray
    cols: np.ndarray
    truth: np.ndarray
    model: np.ndarray
    mean: float

    def __len__(self) -> int:
        return len(self.rows)


class Score(NamedTuple):
    """The result on the cells that were guessed.

    Attributes
    ----------
    answered : int
        Number of cells that were guessed.
    errors : dict
        The mean absolute error of each of ``PLAYERS``, in rating units, rounded to two decimals.
    closest : dict
        Number of cells on which each of them was closest; where several are equally close, each of them was.
    best : tuple of str
        Names of those with the smallest error: more than one if there is a tie.
    """

    answered: int
    errors: dict[str, float]
    closest: dict[str, int]
    best: tuple[str, ...]


def hidden_cells(run: TaskRun, seed: int, count: int = COUNT) -> HiddenCells:
    """Hidden cells of ``run``, drawn without replacement.

    A cell can be guessed where something is known about its row and its column: cells with a given rating in both are
    drawn first, and others only where those do not suffice.

    Parameters
    ----------
    run : TaskRun
        Any checkpoint's answer to any task.
    seed : int
        Seed of the choice, not negative.
    count : int
        Number of cells; all of them where fewer are hidden.

    Raises
    ------
    ValueError
        If no cell is hidden.
    """
    given, hidden = run.task.given, run.task.hidden
    if not hidden.nnz:
        raise ValueError("no cell of the task is hidden, so there is nothing to guess: give less of the matrix")
    known = (given.row_counts[hidden.rows] > 0) & (given.col_counts[hidden.cols] > 0)
    order = np.random.default_rng(seed).permutation(hidden.nnz)
    chosen = order[np.argsort(~known[order], kind="stable")][:count]
    rows, cols = hidden.rows[chosen], hidden.cols[chosen]
    model, scale = run.imputation.trajectory.estimate_at(rows, cols)[-1], run.imputation.scale
    return HiddenCells(
        rows, cols, hidden.values[chosen], model if scale is None else scale.clip(model), float(given.values.mean())
    )


def score(cells: HiddenCells, guesses: Sequence[float | None]) -> Score | None:
    """Who is closer to the truth on the cells that were guessed.

    Parameters
    ----------
    cells : HiddenCells
        The cells.
    guesses : sequence of float or None
        One guess for each cell, in rating units; None where it was left out, and then the cell counts for nobody.

    Returns
    -------
    Score or None
        None where nothing was guessed.

    Raises
    ------
    ValueError
        If there are not as many guesses as cells.
    """
    if len(guesses) != len(cells):
        raise ValueError(f"there are {len(cells)} cells, got {len(guesses)} guesses")
    answered = np.array([guess is not None for guess in guesses], dtype=bool)
    if not answered.any():
        return None
    truth = cells.truth[answered]
    answers = (
        np.array([guess for guess in guesses if guess is not None], dtype=float),
        cells.model[answered],
        np.full(len(truth), cells.mean),
    )
    deviations = np.round(np.abs(np.stack(answers) - truth), DECIMALS)  # (3, answered)
    closest = (deviations == deviations.min(axis=0)).sum(axis=1)
    errors = np.round(np.abs(np.stack(answers) - truth).mean(axis=1), DECIMALS)
    best = tuple(player for player, error in zip(PLAYERS, errors) if error == errors.min())
    return Score(len(truth), dict(zip(PLAYERS, map(float, errors))), dict(zip(PLAYERS, map(int, closest))), best)
