"""The check by hiding: some of a matrix's own entries are hidden, and others' estimates of them are compared with them.

Units, weights of members, widths of intervals, the guard and the verdict all rest on it. What is checked is anything
that answers for several matrices at once: a network reads all divisions as one batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch

from metamf.answer.answer import Answer, CellByCell
from metamf.learning.episodes import Episode
from metamf.network.protocol import Adapted, Network, StepRule
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import By, SidedUnits, Standardization, UnitRule

# Standard deviations from the mean at which values are cut off: squares stay finite in single precision, and sums of a
# million of them, too.
FARTHEST = 1e12
FARTHEST_ERROR = 5.0  # standard deviations of the column at which an error is cut off


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Estimates of entries that were hidden, in rating units."""

    given: Ratings
    hidden: Ratings
    estimates: np.ndarray  # (n,) of the hidden entries
    interval: tuple[np.ndarray, np.ndarray] | None = None  # its ends, (n,) each; None without intervals
    half_widths: dict[float, np.ndarray] | None = None  # by level, (n,), where several are looked at

    @property
    def errors(self) -> np.ndarray:
        """(n,) estimate minus truth."""
        return self.estimates - self.hidden.values

    @property
    def spreads(self) -> np.ndarray:
        """(n,) the spread of the column of each entry, by what is given, so that errors of all columns count alike."""
        return SidedUnits(By.COLUMN).of(self.given).std[self.hidden.cols]

    @property
    def covered(self) -> float:
        """The share of the hidden entries inside their interval; nan without intervals."""
        if self.interval is None:
            return np.nan
        lower, upper = self.interval
        return float(np.mean((lower <= self.hidden.values) & (self.hidden.values <= upper)))


def hidden_check(
    predict: Callable[[Sequence[Ratings]], Iterable[Answer]], divisions: Sequence[Episode]
) -> Iterator[HeldOut]:
    """The estimates of the query entries of each division, by what ``predict`` makes of their support entries: at once,
    or of one after the other as they are asked for."""
    for division, answer in zip(divisions, predict([division.support for division in divisions])):
        hidden = division.query
        at = hidden.rows, hidden.cols
        yield HeldOut(division.support, hidden, answer.at(*at), answer.interval_at(*at))


def cut_squares(errors: np.ndarray) -> np.ndarray:
    """Squared errors, cut off at ``FARTHEST_ERROR``; those that are no number count as far off."""
    return np.minimum(np.nan_to_num(errors**2, nan=np.inf), FARTHEST_ERROR**2)


def in_units(ratings: Ratings, units: Standardization, farthest: float = FARTHEST) -> Ratings:
    """The ratings in standardised units, cut off at ``farthest``."""
    values = ratings.values.astype(np.float64)  # less precision would lose them in a large mean
    z = units.apply_at(values, ratings.rows, ratings.cols)
    return ratings.with_values(np.clip(z, -farthest, farthest))


@torch.inference_mode()
def answers_of(
    network: Network,
    rule: UnitRule,
    matrices: Sequence[Ratings],
    *,
    steps: int | None = None,
    step_rule: StepRule = "auto",
    farthest: float = FARTHEST,
) -> list[Answer]:
    """The network's estimates of matrices of one shape, read as one batch, each in units of its own by ``rule``; in
    rating units, not cut."""
    units = [rule.of(ratings) for ratings in matrices]
    given = [in_units(ratings, own, farthest) for ratings, own in zip(matrices, units)]
    adapted = network.adapt(RatingsBatch.of(given, network.dtype, network.device), steps, step_rule)
    shape = matrices[0].shape
    sources = (CellByCell(partial(_estimates, adapted, own, index, shape)) for index, own in enumerate(units))
    return [Answer(ratings, source) for ratings, source in zip(matrices, sources)]


@torch.inference_mode()
def _estimates(
    adapted: Adapted,
    units: Standardization,
    index: int,
    shape: tuple[int, int],
    rows: np.ndarray,
    cols: np.ndarray,
) -> np.ndarray:
    """Estimates at cells of the matrix at ``index`` of a batch of matrices of one ``shape``."""
    row = torch.as_tensor(np.atleast_1d(rows) + index * shape[0], device=adapted.U.device)
    col = torch.as_tensor(np.atleast_1d(cols) + index * shape[1], device=adapted.U.device)
    return units.undo_at(adapted.predict(row, col).double().cpu().numpy(), rows, cols)
