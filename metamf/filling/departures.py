"""Where a table departs from what a checkpoint has learned from."""

from __future__ import annotations

import numpy as np

from metamf.checkpoints.info import CheckpointInfo
from metamf.ratings.matrix import Ratings
from metamf.wording import counted, percent_of_any_size

# What counts as outside: sizes beyond the trained ones by a factor of 1.6, densities by a factor of 2. Chosen by hand.
SIZE_FACTOR, DENSITY_FACTOR = 1.6, 2.0


def departures(ratings: Ratings, info: CheckpointInfo) -> list[str]:
    """Clauses, one for each way in which the matrix lies outside what the checkpoint learned from; maybe none.

    A size beyond the trained ones by ``SIZE_FACTOR``, or a density by ``DENSITY_FACTOR``, counts as outside. Nothing is
    said of sizes and densities where the checkpoint's header does not record those that it learned from.
    """
    domain, found = info.learned_from, []
    if domain is not None:
        for size, (low, high), what in zip(ratings.shape, (domain.rows, domain.cols), ("row", "column")):
            if not low / SIZE_FACTOR <= size <= SIZE_FACTOR * high:
                learned = f"{low:,} to {high:,}" if low < high else f"{low:,}"
                found.append(f"it has {counted(size, what)}, and training had {learned}")
        low, high = domain.density
        if not low / DENSITY_FACTOR <= ratings.density <= DENSITY_FACTOR * high:
            ends = percent_of_any_size(low), percent_of_any_size(high)
            learned = f"{ends[0]} to {ends[1]}" if low < high else f"about {ends[0]}"
            observed = percent_of_any_size(ratings.density)
            found.append(f"{observed} of its cells are observed, and training had {learned}")
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
