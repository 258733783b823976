"""Rating matrices of domains that are themselves drawn at random, for a model that is meant for any
matrix.

    signal = row effect + column effect + U diag(s) V^T + noise,        of variance one on average

A domain is a draw of everything that a model has to find out: how much of the variance is noise,
what the rest consists of, how many factors there are, whose ratings are noisier, which cells are
observed, and on which scale people answer. All distributions are wide enough to contain films,
jokes, marks and measurements; what training on such matrices is worth is measured by
benchmarks/results/ablations.csv (variants "none made up", "three in ten").
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metamf.datasets.synthetic import MISSING_PATTERNS, from_signal
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale

# Ranges that random worlds are drawn from, wide on purpose. What a network gains that was trained
# on them is in benchmarks/results/transfer.csv.
NOISE_LOG_ODDS = (
    0.5,
    2.0,
)  # mean and standard deviation of the log-odds of the noise's share: 1 to 99 % of the variance
# Dirichlet concentration of the shares of row effects, column effects and taste: often very unequal
INEQUALITY = 0.6
LARGEST_RANK = 8  # of taste
# probability that people are of two kinds in each factor instead of differing gradually
TWO_KINDS = 0.3
# largest standard deviation, over rows or columns, of the logarithm of the noise's deviation
UNEVEN_NOISE = 0.5
SPARSEST = 0.02  # share of the cells that is observed, at least; log-uniform up to all of them
LONG_TAILED = 0.15  # probability of an unbounded scale with a long tail
TAIL = 0.3, 1.0  # standard deviation of the logarithm of such ratings
NUMBERS_OF_VALUES = 2, 3, 5, 7, 10, 1000  # of a bounded scale
OFF_CENTRE = 0.5  # standard deviation of the mean answer from the middle of the scale
HALF_LENGTH = (
    0.7,
    3.5,
)  # of the scale, in standard deviations of the answers: 0.7 clips half of them


def random_domain(rng: np.random.Generator, n_rows: int, n_cols: int) -> Ratings:
    """The observed entries of an N x M matrix of a random domain, in rating units, with its rating
    scale unless the domain is one with a long tail; every draw comes from ``rng``."""
    signal = _signal(rng, n_rows, n_cols)
    density = float(np.exp(rng.uniform(np.log(SPARSEST), 0)))
    missing = MISSING_PATTERNS[rng.integers(len(MISSING_PATTERNS))]
    # the logarithm of a rating is proportional to the signal: counts, prices, times
    if rng.random() < LONG_TAILED:
        ratings = np.exp(rng.uniform(*TAIL) * signal)
        everything = RatingScale(0, 2 * float(ratings.max()))
        matrix = from_signal(rng, ratings, density=density, scale=everything, missing=missing)
        return replace(matrix.ratings, scale=None)
    # 0, 1, ..., such as stars, marks and answers; clipped beyond
    highest = int(rng.choice(NUMBERS_OF_VALUES)) - 1
    off_centre = rng.normal(0, OFF_CENTRE)
    ratings = highest * (0.5 + (signal + off_centre) / (2 * rng.uniform(*HALF_LENGTH)))
    return from_signal(
        rng, ratings, density=density, scale=RatingScale(0, highest, 1), missing=missing
    ).ratings


def _signal(rng: np.random.Generator, n_rows: int, n_cols: int) -> np.ndarray:
    """(N, M) answers without a scale, noise included."""
    noise = 1 / (1 + np.exp(-rng.normal(*NOISE_LOG_ODDS)))
    # with ``noise``, shares of the variance
    row, column, taste = (1 - noise) * rng.dirichlet([INEQUALITY] * 3)
    rank = int(rng.integers(1, min(n_rows, n_cols, LARGEST_RANK) + 1))
    U, V = rng.standard_normal((n_rows, rank)), rng.standard_normal((n_cols, rank))
    if rng.random() < TWO_KINDS:
        U = np.sign(U)
    U = U * np.sqrt(rng.dirichlet(np.ones(rank)))  # products of variance one on average
    uneven_rows, uneven_columns = rng.uniform(0, UNEVEN_NOISE, 2)
    # how noisy each row is, and each column, around 1
    of_rows = np.exp(rng.normal(0, uneven_rows, (n_rows, 1)))
    of_columns = np.exp(rng.normal(0, uneven_columns, (1, n_cols)))
    return (
        np.sqrt(row) * rng.standard_normal((n_rows, 1))
        + np.sqrt(column) * rng.standard_normal((1, n_cols))
        + np.sqrt(taste) * U @ V.T
        + np.sqrt(noise) * of_rows * of_columns * rng.standard_normal((n_rows, n_cols))
    )
