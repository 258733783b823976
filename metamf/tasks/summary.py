"""The numbers of one step of a run, ready for sentences: nothing in them has to be computed or looked up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SHOWN_INTERVALS = 120  # hidden cells whose intervals are drawn: what a screen has room for


@dataclass(frozen=True)
class StepSummary:
    """The numbers of a run after one of its sweeps or steps. Errors are in rating units.

    Attributes
    ----------
    n_rows, n_cols : int
        Size of the matrix.
    n_given, n_hidden : int
        Number of ratings that the model was given, and of cells on which its error is measured.
    truth_known : bool
        Whether the true rating of every cell is known, as in a synthetic matrix.
    checkpoint : str
        Name of the checkpoint.
    round : {'sweep', 'step'}
        Word for a round of its adaptation.
    step, last_step : int
        Number of this round, and of the last one; 0 is the prior.
    diverged : bool
        Whether the paper's fixed step size diverges on this matrix, so that safe steps were taken.
    given_rmse : float
        Root mean squared error on the given cells after this step.
    hidden_rmse, hidden_mae : float or None
        Root mean squared and mean absolute error on the hidden cells after this step; None where no cell is hidden.
    mean_rmse : float or None
        Root mean squared error on the hidden cells of guessing the mean of the given ratings everywhere; None where no
        cell is hidden.
    level : float or None
        Level of the intervals after the last step; None for a checkpoint without intervals.
    covered : int or None
        Number of hidden cells that lie inside their interval; None without intervals.
    """

    n_rows: int
    n_cols: int
    n_given: int
    n_hidden: int
    truth_known: bool
    checkpoint: str
    round: Literal["sweep", "step"]
    step: int
    last_step: int
    diverged: bool
    given_rmse: float
    hidden_rmse: float | None
    hidden_mae: float | None
    mean_rmse: float | None
    level: float | None
    covered: int | None

    @property
    def n_cells(self) -> int:
        """Number of cells of the matrix."""
        return self.n_rows * self.n_cols
