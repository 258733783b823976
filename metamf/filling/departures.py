"""Where a table departs from what a checkpoint has learned from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metamf.checkpoints.info import CheckpointInfo
from metamf.learning.curriculum import MixedSampler
from metamf.ratings.matrix import Ratings
from metamf.wording import counted, percent_of_any_size

_BLOCK = 30  # rows and columns that the paper's models learned on
_DENSITY = {"ml-100k": 0.063, "ml-1m": 0.042, "jester": 0.725}  # share of the cells that the data sets observe


@dataclass(frozen=True)
class Domain:
    """Lowest and highest number of rows and columns, and share of observed cells, that training had."""

    rows: tuple[int, int]
    cols: tuple[int, int]
    density: tuple[float, float]


def learned_from(info: CheckpointInfo) -> Domain:
    """From the checkpoint's recipe: matrices of all sizes and densities, or blocks of 30 x 30, half of them given."""
    observed = [_DENSITY[name] for name in info.data.split(", ") if name in _DENSITY] or [0.5]
    if info.standardization is None:
        smallest, (rows, cols) = MixedSampler.smallest, MixedSampler.largest
        low, high = MixedSampler.support_shares
        return Domain((smallest, rows), (smallest, cols), (low * min(observed), high * max(observed)))
    return Domain((_BLOCK, _BLOCK), (_BLOCK, _BLOCK), (min(observed) / 2, max(observed) / 2))


def departures(ratings: Ratings, info: CheckpointInfo) -> list[str]:
    """Clauses, one for each way in which the matrix lies outside what the checkpoint learned from; maybe none.

    A size beyond the trained ones by a factor of 1.6, or a density beyond them by a factor of 2, counts as outside.
    """
    domain, found = learned_from(info), []
    for size, (low, high), what in zip(ratings.shape, (domain.rows, domain.cols), ("row", "column")):
        if not low / 1.6 <= size <= 1.6 * high:
            learned = f"{low:,} to {high:,}" if low < high else f"{low:,}"
            found.append(f"it has {counted(size, what)}, and training had {learned}")
    low, high = domain.density
    if not low / 2 <= ratings.density <= 2 * high:
        learned = (
            f"{percent_of_any_size(low)} to {percent_of_any_size(high)}"
            if low < high
            else f"about {percent_of_any_size(low)}"
        )
        found.append(f"{percent_of_any_size(ratings.density)} of its cells are observed, and training had {learned}")
    return found + _scale_departures(ratings, info)


def _scale_departures(ratings: Ratings, info: CheckpointInfo) -> list[str]:
    values = ratings.values
    found = []
    if info.scale is not None:
        low, high = (
            (values.min(), values.max()) if ratings.scale is None else (ratings.scale.minimum, ratings.scale.maximum)
        )
        if low < info.scale.minimum or high > info.scale.maximum:
            found.append(
                f"its ratings run from {low:g} to {high:g}, and training had {info.scale.minimum:g} to "
                f"{info.scale.maximum:g}: they are brought to a common unit"
            )
    distinct = len(np.unique(values))
    if distinct < 3:
        found.append(
            f"it holds {'one value' if distinct == 1 else 'two different values'} only, and training had five or more"
        )
    elif (spread := values.std()) > 0 and (far := np.abs(values - values.mean()).max() / spread) > 6:
        found.append(f"some numbers lie far from the rest, {far:.0f} standard deviations: these are no usual ratings")
    return found
