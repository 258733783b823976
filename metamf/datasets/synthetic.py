"""Synthetic rating matrices with a known truth: low rank plus row and column effects on a rating
scale.

    signal = middle + U V^T + row effect + column effect        rating = round(clip(signal + noise))

Which ratings are observed is chosen at random, or the way people do it: a few columns are popular
(Zipf), and people rate what they like. No real data is behind them. The app's examples and the
tests use them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale

MissingPattern = Literal["random", "popular"]
MISSING_PATTERNS: tuple[MissingPattern, ...] = ("random", "popular")
ZIPF = 1.0  # the k-th most popular column is observed in proportion to 1 / k ** ZIPF; Zipf's law
# a rating one standard deviation higher has e ** LIKING times the odds of being observed
LIKING = 1.0


@dataclass(frozen=True, eq=False)
class SyntheticMatrix:
    """A sparse matrix and everything that it hides, in rating units."""

    ratings: Ratings  # the observed entries, equal to ``truth`` there
    # (N, M) every rating, noise included: what each person would answer about each item
    truth: np.ndarray
    # (N, M) what an ideal model could know, before noise, rounding and clipping; rank at most K + 2
    signal: np.ndarray


def synthetic(
    rng: np.random.Generator,
    n_rows: int,
    n_cols: int,
    *,
    rank: int = 2,
    density: float = 0.3,
    scale: RatingScale = RatingScale(1, 5, 1),
    row_effect: float = 0.1,
    column_effect: float = 0.12,
    taste: float = 0.15,
    noise: float = 0.08,
    missing: MissingPattern = "random",
) -> SyntheticMatrix:
    """A random matrix of ``n_rows`` people and ``n_cols`` items; every draw comes from ``rng``.

    Standard deviations are shares of the length of the scale (0.1 is 0.4 stars on 1 to 5), so that
    the same settings look alike on every scale. ValueError names a rank, a density or a pattern
    that is outside its range.

    Parameters
    ----------
    rank : K, the rank of U V^T, from 0 to min(N, M)
    density : share of the cells that is observed, in (0, 1]; the number of observed cells is exact,
        and at least one
    scale : the rating scale
    row_effect, column_effect : standard deviations of the two effects
    taste : standard deviation of U V^T
    noise : standard deviation of the noise
    missing : "random": all cells are equally likely to be observed; "popular": those of popular
        columns, and those that people like, are more likely
    """
    if not 0 <= rank <= min(n_rows, n_cols):
        raise ValueError(
            f"rank must be an integer from 0 to min(n_rows, n_cols) = {min(n_rows, n_cols)}, got "
            f"{rank}"
        )
    U = rng.standard_normal((n_rows, rank))  # (N, K)
    V = rng.standard_normal((n_cols, rank))  # (M, K)
    unit = (
        taste * (U @ V.T) / np.sqrt(max(rank, 1))
        + row_effect * rng.standard_normal((n_rows, 1))
        + column_effect * rng.standard_normal((1, n_cols))
    )  # (N, M)
    signal = (scale.minimum + scale.maximum) / 2 + (scale.maximum - scale.minimum) * unit
    return from_signal(rng, signal, density=density, scale=scale, noise=noise, missing=missing)


def from_signal(
    rng: np.random.Generator,
    signal: np.ndarray,
    *,
    density: float,
    scale: RatingScale,
    noise: float = 0.0,
    missing: MissingPattern = "random",
) -> SyntheticMatrix:
    """The matrix of people whose answers are ``signal``, (N, M) in rating units, plus noise.

    The other parameters, and the errors raised, are those of ``synthetic``.
    """
    signal = np.array(signal, dtype=np.float64)
    if missing not in MISSING_PATTERNS:
        raise ValueError(
            f"missing must be one of {', '.join(map(repr, MISSING_PATTERNS))}, got {missing!r}"
        )
    truth = _on_scale(
        signal + noise * (scale.maximum - scale.minimum) * rng.standard_normal(signal.shape), scale
    )
    log_odds = _log_popularity(rng, truth) if missing == "popular" else np.zeros(truth.shape)
    rows, cols = np.nonzero(weighted_draw(log_odds, density, rng.gumbel(size=truth.shape)))
    ratings = Ratings(rows, cols, truth[rows, cols], truth.shape, scale=scale)
    for array in (truth, signal):
        array.flags.writeable = False
    return SyntheticMatrix(ratings, truth, signal)


def weighted_draw(log_odds: np.ndarray, share: float, chance: np.ndarray) -> np.ndarray:
    """(N, M) whether each cell is drawn: a ``share`` of all cells, at least one, without
    replacement.

    The largest of log-weight + Gumbel noise are a weighted draw (Kool et al. 2019); ``chance`` is
    that noise. ValueError for a share outside (0, 1].
    """
    if not 0 < share <= 1:
        raise ValueError(f"the share of cells (density) must lie in (0, 1], got {share!r}")
    keys = log_odds + chance
    drawn = np.zeros(keys.size, dtype=bool)
    count = max(1, round(share * keys.size))
    drawn[np.argpartition(-keys, count - 1, axis=None)[:count]] = True
    return drawn.reshape(keys.shape)


def _log_popularity(rng: np.random.Generator, truth: np.ndarray) -> np.ndarray:
    """(N, M) log-odds of being observed: the columns' Zipf popularity, in random order, and the
    liking of each cell."""
    place = 1 + rng.permutation(truth.shape[1])  # (M,)
    return LIKING * standardized(truth) - ZIPF * np.log(place)


def standardized(values: np.ndarray) -> np.ndarray:
    """The values in standard deviations from their mean; zero where nothing varies."""
    spread = values.std()
    return (values - values.mean()) / spread if spread > 0 else np.zeros(values.shape)


def _on_scale(values: np.ndarray, scale: RatingScale) -> np.ndarray:
    """The nearest value of the scale, in rating units."""
    if scale.step is None:
        return scale.clip(values)
    highest = np.floor((scale.maximum - scale.minimum) / scale.step + 1e-9)
    return scale.minimum + scale.step * np.clip(
        np.round((values - scale.minimum) / scale.step), 0, highest
    )
