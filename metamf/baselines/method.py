"""The protocol of a method: its description, how it is fitted, and how its settings are chosen."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from torch import nn

from metamf.learning.episodes import EpisodeBatch
from metamf.learning.objectives import adapted
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.randomness import own_random_state
from metamf.ratings.units import Standardization


def check_settings(config: Any, *positive: str, **least: float) -> None:
    """Raises ValueError, which names the setting, where one of the ``positive`` ones is not above
    zero, or another one below its ``least`` value."""
    wrong = [f"{name} above 0" for name in positive if not getattr(config, name) > 0]
    wrong += [
        f"{name} of {bound} or more"
        for name, bound in least.items()
        if not getattr(config, name) >= bound
    ]
    if wrong:
        raise ValueError(f"settings need {' and '.join(wrong)}, got {config}")


class PerMatrix(nn.Module):
    """A method without parameters of its own: ``adapt`` fits every matrix of a batch from scratch,
    all at once."""

    default: ClassVar[Any]  # the configuration of ``METHODS``

    def __init__(self, config: Any = None):
        super().__init__()
        self.config = self.default if config is None else config


@dataclass(frozen=True, kw_only=True)
class MethodSpec:
    """One method of ``METHODS``; it is meta-learned (``metamf.learning.training`` trains it on
    episodes), its variances are estimated (by ``estimate_config``), or it is fitted per matrix
    (nothing is learned across matrices)."""

    key: str  # the name in code and in files
    label: str  # the name in tables, the paper's where the method is in the paper
    explanation: str  # one sentence for a page
    method: Callable[[Any], nn.Module]  # the class, which takes a configuration
    default: Any  # the default configuration
    kind: Literal["meta-learned", "fitted per matrix", "variances estimated"] = "fitted per matrix"
    grid: tuple[
        Any, ...
    ] = ()  # the configurations that ``choose`` tries on meta-validation episodes
    parameters_of: str | None = (
        None  # the method whose meta-trained parameters it starts from, if not its own
    )
    estimate_config: Callable[[EpisodeBatch], Any] | None = (
        None  # from episodes of meta-training data
    )
    cells: int | None = (
        None  # largest number of cells of a matrix that takes about ten seconds on one core
    )
    entries: int | None = 100_000  # largest number of observed entries of such a matrix

    def feasible(self, ratings: Ratings, fits: int = 1) -> bool:
        """Whether ``fits`` fits to matrices such as ``ratings`` take about ten seconds at most."""
        many = self.entries is not None and fits * ratings.nnz > self.entries
        large = self.cells is not None and ratings.n_rows * ratings.n_cols > self.cells
        return not many and not large

    def build(self, config: Any = None, seed: int = 0) -> nn.Module:
        """The method in evaluation mode (dropout off), by default with the default configuration.

        ``seed`` is that of the initial parameters; torch's own generator is left as it is.
        TypeError for the configuration of another method.
        """
        if config is None:
            config = self.default
        if not isinstance(config, type(self.default)):
            raise TypeError(
                f"{self.key} is configured by a {type(self.default).__name__}, not by {config!r}"
            )
        with own_random_state(seed):
            return self.method(config).eval()


def matrix_units(given: Ratings) -> Standardization:
    """The units of a baseline that is fitted to one matrix: zero mean and unit variance on its
    observed entries."""
    return Standardization.of(given.values)


@dataclass(frozen=True, eq=False)
class Fitted:
    """A method fitted to one matrix: a function of integer rows and columns, of any shapes that
    broadcast, that gives estimates of that shape in rating units, float64, not clipped."""

    found: Any  # with ``predict(row, col)``, in standardised units
    units: Standardization

    @torch.inference_mode()
    def __call__(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        rows, cols = np.broadcast_arrays(rows, cols)
        z = self.found.predict(torch.from_numpy(rows.flatten()), torch.from_numpy(cols.flatten()))
        return self.units.undo_at(z.numpy().astype(np.float64).reshape(rows.shape), rows, cols)


def predictor(method: nn.Module, given: Ratings, units: Standardization | None = None) -> Fitted:
    """Adapts a method to the observed ratings of one matrix, in rating units.

    ``units`` standardise them: those of the training data of a meta-trained method, by default
    ``matrix_units``.
    """
    units = matrix_units(given) if units is None else units
    z = units.apply_at(given.values.astype(np.float64), given.rows, given.cols)
    return Fitted(adapted(method, RatingsBatch.of([given.with_values(z)])), units)


@dataclass(frozen=True)
class ChosenConfig:
    """The configuration with the lowest mean squared error over query entries, in standardised
    units (squared), and the errors of all; inf where an estimate was not finite."""

    config: Any
    errors: dict[Any, float]


def choose(
    factory: Callable[[Any], nn.Module], grid: Sequence[Any], episodes: EpisodeBatch
) -> ChosenConfig:
    """The configuration of ``grid`` whose method predicts the query entries of meta-validation
    episodes best.

    ValueError if the grid is empty, or the episodes have no query entry.
    """
    if not len(grid) or not len(episodes.query_x):
        raise ValueError(
            f"a choice needs settings to try and query entries, "
            f"got {len(grid)} settings and {len(episodes.query_x)} query entries"
        )
    errors = {}
    with torch.no_grad():
        for config in grid:
            found = adapted(factory(config).eval(), episodes.support)
            estimate = found.predict(episodes.query_row, episodes.query_col)
            error = (estimate - episodes.query_x).square().mean().item()
            errors[config] = error if math.isfinite(error) else math.inf
    return ChosenConfig(min(errors, key=errors.__getitem__), errors)
