"""A game: who guesses some hidden ratings of a run best, a person, the model or the mean of the given ratings?

The model's estimate u_n . v_m is that of the last step, Eq. (8), clipped to the rating scale; the mean is the method
Mean of the paper's Table 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metamf.webapp.explore.run import Run

COUNT = 10  # cells of a game; what a class guesses in five minutes
PLAYERS = ("you", "model", "mean")
DECIMALS = 2  # of errors, in rating units, as pages show them; what reads as equal counts as equal


@dataclass(frozen=True, eq=False)
class HiddenCells:
    """Some hidden cells of a run, (n,), in the order in which they are guessed; ratings in rating units."""

    rows: np.ndarray
    cols: np.ndarray
    truth: np.ndarray
    model: np.ndarray  # the model's estimates
    mean: float  # of the given ratings


class Score(NamedTuple):
    """The result of a game; what is for each player is by ``PLAYERS``."""

    answered: int  # cells
    errors: dict[str, float]  # mean absolute errors in rating units, rounded to two decimals
    closest: dict[str, int]  # number of cells on which each was closest, alone or with others
    best: tuple[str, ...]


def hidden_cells(run: Run, seed: int, count: int = COUNT) -> HiddenCells:
    """Draws ``count`` hidden cells of ``run``, which has some, without replacement, or all of them where fewer are.

    Cells with a given rating in their row and in their column are drawn first, since something is known about them.
    """
    given, hidden = run.task.given, run.task.hidden
    known = (given.row_counts[hidden.rows] > 0) & (given.col_counts[hidden.cols] > 0)
    order = np.random.default_rng(seed).permutation(hidden.nnz)
    return _cells(run, order[np.argsort(~known[order], kind="stable")][:count])


def first_hidden(run: Run, person: str) -> HiddenCells:
    """The first hidden cell of the row with a name. KeyError where there is none."""
    hidden = run.task.hidden
    names = run.task.matrix.ratings.row_labels or ()
    of_row = np.flatnonzero(hidden.rows == list(names).index(person)) if person in names else np.zeros(0, int)
    if not len(of_row):
        raise KeyError(person)
    return _cells(run, of_row[[hidden.cols[of_row].argmin()]])


def _cells(run: Run, chosen: np.ndarray) -> HiddenCells:
    """The hidden cells at positions (n,) among those of the run."""
    hidden = run.task.hidden
    rows, cols = hidden.rows[chosen], hidden.cols[chosen]
    model = run.answer.at(rows, cols)
    return HiddenCells(rows, cols, hidden.values[chosen], model, float(run.task.given.values.mean()))


def score(cells: HiddenCells, guesses: Sequence[float | None]) -> Score | None:
    """Who is closer to the truth, by a guess for each cell or None, which counts for nobody; None without a guess."""
    answered = np.array([guess is not None for guess in guesses], dtype=bool)
    if not answered.any():
        return None
    truth = cells.truth[answered]
    own = np.array([guess for guess in guesses if guess is not None], dtype=float)
    answers = np.stack([own, cells.model[answered], np.full(len(truth), cells.mean)])  # (3, answered)
    deviations = np.abs(answers - truth)
    errors = np.round(deviations.mean(axis=1), DECIMALS)
    shown = np.round(deviations, DECIMALS)
    closest = (shown == shown.min(axis=0)).sum(axis=1)
    best = tuple(player for player, error in zip(PLAYERS, errors) if error == errors.min())
    return Score(len(truth), dict(zip(PLAYERS, map(float, errors))), dict(zip(PLAYERS, map(int, closest))), best)
