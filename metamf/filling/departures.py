"""Departures of a table from what a checkpoint has learned from, in words."""

from __future__ import annotations

import numpy as np

from metamf.checkpoints.info import CheckpointInfo, TrainingDomain
from metamf.ratings.matrix import Ratings
from metamf.wording import counted, percent_of_any_size

# How far beyond the trained range counts as outside; all chosen by hand.
_SIZE_FACTOR = 1.6
_DENSITY_FACTOR = 2
_FAR = 6  # standard deviations from the mean of the ratings: stars and grades stay within about three
_FEW_VALUES = 3  # different ratings; the data sets of the bundled checkpoints have five or more


def departures(ratings: Ratings, info: CheckpointInfo) -> list[str]:
    """The ways in which a matrix lies outside what a checkpoint has learned from, as its header describes that.

    Parameters
    ----------
    ratings : Ratings
        The matrix, in rating units.
    info : CheckpointInfo
        The checkpoint's own account of itself. If it does not say which sizes and densities it has learned from,
        none of these is outside.

    Returns
    -------
    list of str
        A clause for each way, such as 'it has 3 rows, and training had 10 to 1,000'.
    """
    domain = info.learned_from
    return ([] if domain is None else _shape_departures(ratings, domain)) + _value_departures(ratings, info)


def _shape_departures(ratings: Ratings, domain: TrainingDomain) -> list[str]:
    clauses = []
    for size, (low, high), noun in zip(ratings.shape, (domain.rows, domain.cols), ("row", "column")):
        if not low / _SIZE_FACTOR <= size <= high * _SIZE_FACTOR:
            sizes = f"{low:,} to {high:,}" if low < high else f"{low:,}"
            clauses.append(f"it has {counted(size, noun)}, and training had {sizes}")
    low, high = domain.density
    if not low / _DENSITY_FACTOR <= ratings.density <= high * _DENSITY_FACTOR:
        shares = [percent_of_any_size(share) for share in (low, high)]
        learned = " to ".join(shares) if low < high else f"about {shares[0]}"
        clauses.append(f"{percent_of_any_size(ratings.density)} of its cells are observed, and training had {learned}")
    return clauses


def _value_departures(ratings: Ratings, info: CheckpointInfo) -> list[str]:
    values, clauses = ratings.values, []
    if info.scale is not None:
        scale = ratings.scale
        low, high = (values.min(), values.max()) if scale is None else (scale.minimum, scale.maximum)
        if low < info.scale.minimum or high > info.scale.maximum:
            clauses.append(
                f"its ratings run from {low:g} to {high:g}, and training had {info.scale.minimum:g} to "
                f"{info.scale.maximum:g}: they are brought to a common unit"
            )
    distinct, spread = len(np.unique(values)), values.std()
    if distinct < _FEW_VALUES:
        held = "one value" if distinct == 1 else "two different values"
        clauses.append(f"it holds {held} only, and ratings usually have five or more")
    elif spread > 0 and (far := np.abs(values - values.mean()).max() / spread) > _FAR:
        clauses.append(f"some numbers lie {far:.0f} standard deviations from the mean: these are unusual ratings")
    return clauses
