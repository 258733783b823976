"""Selection of the cells that share their units (the whole matrix, a column or a row) by the matrix's own entries.

Lines (columns, or rows) may have units of their own only where their ranks differ beyond chance. Then some of the
observed entries are hidden, and the pretrained model predicts them in each kind of units. Units of columns
or rows are taken only if their errors are lower beyond chance: on rating matrices units by column cost 1 to 3 %, on
tables of measurements no useful answer is possible without them. The order of rows and columns makes no difference
(``metamf.learning.episodes.canonical_order``).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from metamf.answer.hidden_check import answers_of, cut_squares, hidden_check
from metamf.checkpoints.bundled import open_checkpoint
from metamf.learning.episodes import Episode, canonical_lines, canonical_order, divide_entries
from metamf.network.protocol import Network
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import LITTLE_SPREAD, By, SidedUnits, Standardize, UnitRule

DIVISIONS = 4  # divisions of the entries into given and hidden ones
HIDDEN_SHARE = 0.2
FEWEST_TO_CHOOSE = 20  # entries; fewer decide nothing
MOST_ENTRIES = 20_000  # of more entries a random part decides
CHANCE = 1e-4  # probability of ranks so different, below which lines may have units of their own
BEYOND_CHANCE = 2.0  # standard errors of the paired difference
SMALLEST_SCALE = 1e-100  # size of the largest number: squares of smaller ones, or of its inverse, are not floats


def one_unit(checkpoint: str, ratings: Ratings) -> Standardize:
    """The value of the imputer's ``standardize`` by which all cells of a matrix share one unit, so that a picture of
    U V^T is, but for one shift and one factor, one of the ratings."""
    return "matrix" if open_checkpoint(checkpoint).units(ratings).gives_way else "auto"


def chosen_units(network: Network, ratings: Ratings, whole: UnitRule) -> UnitRule:
    """The rule that standardises a matrix without a known rating scale: ``whole``, by which all cells have the same
    units, unless ``SidedUnits`` are better beyond chance.

    ``network`` predicts the hidden entries of ``ratings``, in rating units.
    """
    largest = float(np.abs(ratings.values).max(initial=0.0))
    if ratings.nnz < FEWEST_TO_CHOOSE or min(ratings.shape) < 2 or not SMALLEST_SCALE < largest < 1 / SMALLEST_SCALE:
        return whole
    rules = [whole, *(SidedUnits(by) for by in (By.COLUMN, By.ROW) if lines_differ(ratings, by))]
    if len(rules) == 1:
        return whole
    rng = np.random.default_rng(0)
    part = random_part(ratings, MOST_ENTRIES, rng)
    order = canonical_order(part)
    divisions = [divide_entries(part, 1 - HIDDEN_SHARE, rng, order) for _ in range(DIVISIONS)]
    losses = np.stack([_losses(network, divisions, rule) for rule in rules])  # (rules, hidden entries of all divisions)
    best = whole
    gain_of_best = 0.0
    for rule, loss in zip(rules[1:], losses[1:]):
        gain = losses[0] - loss
        spread = gain.std(ddof=1) / np.sqrt(len(gain) / DIVISIONS)  # an entry may be hidden in several divisions
        if gain.mean() > max(BEYOND_CHANCE * spread, gain_of_best):
            best = rule
            gain_of_best = float(gain.mean())
    return best


def lines_vary(ratings: Ratings, by: By) -> bool:
    """Whether at least half of the columns, or the rows, with two entries vary, and there are two such at least."""
    lines, size = (ratings.cols, ratings.n_cols) if by is By.COLUMN else (ratings.rows, ratings.n_rows)
    values = ratings.values.astype(np.float64)
    several = np.bincount(lines, minlength=size) > 1
    if np.count_nonzero(several) < 2:
        return False
    lowest = np.full(size, np.inf)
    highest = np.full(size, -np.inf)
    np.minimum.at(lowest, lines, values)
    np.maximum.at(highest, lines, values)
    lowest = lowest[several]
    highest = highest[several]
    varies = highest - lowest > LITTLE_SPREAD * np.maximum(np.abs(lowest), np.abs(highest))
    return bool(varies.mean() >= 0.5)


def lines_differ(ratings: Ratings, by: By) -> bool:
    """Whether the columns, or the rows, vary and differ in level or in spread beyond chance: otherwise they have no
    units of their own.

    Judged by ranks (Kruskal and Wallis 1952), of the entries and of their distances from the median of all: a few
    entries that are out of all proportion say nothing of units.
    """
    if not lines_vary(ratings, by):
        return False
    lines, size = (ratings.cols, ratings.n_cols) if by is By.COLUMN else (ratings.rows, ratings.n_rows)
    values = ratings.values.astype(np.float64)
    n = np.bincount(lines, minlength=size)
    return any(_ranks_differ(each, lines, n) for each in (values, np.abs(values - np.median(values))))


def _ranks_differ(values: np.ndarray, lines: np.ndarray, n: np.ndarray) -> bool:
    from scipy.special import chdtrc  # takes a quarter of a second, which --help does without

    tied, times = np.unique(_rounded(values), return_inverse=True, return_counts=True)[1:]
    rank = (np.cumsum(times) - (times - 1) / 2)[tied] - (len(values) + 1) / 2  # from the mean rank
    variance = float(np.square(rank).sum()) / (len(values) - 1)
    seen = n > 0
    between = float((np.bincount(lines, rank, len(n))[seen] ** 2 / n[seen]).sum())
    return variance > 0 and bool(chdtrc(np.count_nonzero(seen) - 1, between / variance) < CHANCE)


def _rounded(values: np.ndarray) -> np.ndarray:
    """The values, equal where rounding alone tells them apart."""
    step = LITTLE_SPREAD * float(np.abs(values).max(initial=0.0))
    return np.round(values / step) if step > 0 else values


def random_part(ratings: Ratings, most: int, rng: np.random.Generator) -> Ratings:
    """Random rows and columns with about ``most`` entries, or all where there are fewer, and none without an entry."""
    if ratings.nnz > most:
        share = np.sqrt(most / ratings.nnz)
        shuffled = (rng.permutation(order) for order in canonical_lines(ratings))
        part = ratings.submatrix(*(order[: max(2, round(share * len(order)))] for order in shuffled))
        ratings = part if part.nnz >= FEWEST_TO_CHOOSE else ratings
    seen = (np.flatnonzero(counts) for counts in (ratings.row_counts, ratings.col_counts))
    return ratings.submatrix(*seen)


def _losses(network: Network, divisions: list[Episode], rule: UnitRule) -> np.ndarray:
    """Squared errors on the hidden entries, in units of the spread of their columns, so all columns count alike."""
    predict = partial(answers_of, network, rule, farthest=1e6)
    return np.concatenate([cut_squares(part.errors / part.spreads) for part in hidden_check(predict, divisions)])
