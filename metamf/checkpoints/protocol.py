"""The protocol of pretrained models, all that everything above the checkpoints knows of one: how to ask it.

The paper's model takes T gradient steps and gives estimates; the extended one makes T exact sweeps and gives an
interval for each cell, too. ``PaperModel`` and ``ExtendedModel`` put them behind this protocol.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
import torch
from torch import Tensor

from metamf.checkpoints.info import CheckpointInfo
from metamf.learning.tuning import Tuning, TuningProgress, TuningReport
from metamf.model.prior import PriorNetwork
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardize, UnitRule

StepRule = Literal["auto", "paper", "safe"]


class AdaptedModel(Protocol):
    """A model adapted to one matrix, or to many that lie end to end in a batch; in standardised units."""

    @property
    def U(self) -> Tensor:
        """(N, K) factors of the rows."""

    @property
    def V(self) -> Tensor:
        """(M, K) factors of the columns."""

    @property
    def path(self) -> Tensor:
        """(T + 1, N + M, K) U on top of V after every round; index 0 is the prior mean."""

    @property
    def rule(self) -> Literal["exact", "paper", "safe"]:
        """The kind of the rounds: exact sweeps, or steps of the paper's fixed size or of a bounded one."""

    @property
    def step_rule(self) -> StepRule:
        """The step rule by which a model makes rounds of this kind again, of whatever matrix."""

    def predict(self, row: Tensor, col: Tensor) -> Tensor:
        """(n,) estimates at positions of the batch."""


class HalfWidths(Protocol):
    """Half-widths of the intervals of one level, in standardised units, computed where they are asked for."""

    def at(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """(n,) half-widths at the cells of integer positions ``rows`` and ``cols``, (n,) each."""

    def block(self, rows: slice, cols: slice) -> np.ndarray:
        """(n, m) half-widths at all cells of some rows and columns."""


class PretrainedModel(Protocol):
    """A checkpoint's model, ready to adapt to a matrix.

    Attributes
    ----------
    info : CheckpointInfo
        The checkpoint's description of itself; ``info.gives_intervals`` and ``info.round_name`` are known without
        opening it.
    double_up_to : int
        Number of observed entries up to which the model is to be opened in double precision.
    """

    info: CheckpointInfo
    double_up_to: int

    @property
    def dtype(self) -> torch.dtype:
        """The precision of its parameters, which is that of batches it reads."""

    def single(self) -> PretrainedModel:
        """The same model in single precision: itself, if it is."""

    @property
    def rounds(self) -> int:
        """T, how many steps or sweeps it makes where nobody says otherwise."""

    @property
    def step_size(self) -> float | None:
        """eta of Eqs. (6) and (7), in standardised units; None for a model that takes no steps of a size."""

    @property
    def prior_precision(self) -> float | None:
        """lambda of Eqs. (6) and (7), in standardised units; None for a model that takes no steps of a size."""

    @property
    def prior_network(self) -> PriorNetwork | None:
        """The exchangeable layers of Eqs. (4) and (5), from ratings to prior means; None where layers are others."""

    def units(self, ratings: Ratings, standardize: Standardize = "auto") -> UnitRule:
        """The rule by which the matrix is standardised; ValueError if the model has no units of its own, and they are
        asked for."""

    def adapt(self, batch: RatingsBatch, steps: int | None = None, step_rule: StepRule = "auto") -> AdaptedModel:
        """The factors of every matrix of the batch after ``steps`` rounds (default T), and their path."""

    def tuned(
        self, ratings: Ratings, settings: Tuning, progress: Callable[[TuningProgress], object] | None = None
    ) -> tuple[PretrainedModel, TuningReport]:
        """A copy that was tuned to one matrix by hiding (``metamf.learning.tuning``), by the model's own objective.

        ``ratings`` : the observed entries, in standardised units.
        """

    def save(self, path: str | Path, info: CheckpointInfo | None = None) -> Path:
        """Writes the model as a checkpoint, whole or not at all; ``info`` says other things of it than its own."""

    def descends(self, adapted: AdaptedModel, batch: RatingsBatch) -> bool:
        """Whether the rounds ended below the prior mean's objective; if not, the fixed step size was too large."""

    def fold_in(self, batch: RatingsBatch, adapted: AdaptedModel) -> Tensor:
        """(n, K) factors of new rows (a batch of one n x M matrix) of a matrix that was adapted to.

        Columns stay as they are, and a row that the matrix held gets the factors that it has there.
        """

    def intervals(self, adapted: AdaptedModel, batch: RatingsBatch, level: float, scale_weighs_in: bool) -> HalfWidths:
        """Half-widths of the intervals of ``level`` of the one matrix of ``batch``, to which the model was adapted.

        ``scale_weighs_in`` : whether the matrix was standardised with the help of its rating scale.

        Raises
        ------
        ValueError
            If the model gives no intervals, or none of this level.
        """
