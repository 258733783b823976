"""The paper's protocol: rows and columns split without overlap, blocks, support and query entries.

Section 4.1 and Algorithm 2, lines 3 to 5. ``BlockSampler`` draws blocks of one size, as the paper
does; ``MixedSampler`` draws episodes of every size and density, for a model that is meant for any
matrix. Everything random comes from seeds: a held-out block is determined by (data, split seed,
block seed) alone. torch is imported where episodes become a batch: to divide entries does without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from metamf.ratings.matrix import Ratings
from metamf.ratings.units import LITTLE_SPREAD, ScaleUnits, Standardization

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from metamf.ratings.batch import RatingsBatch

SHARES = (
    0.7,
    0.1,
)  # of the rows, and of the columns, for meta-training and meta-validation; the rest is meta-test
SUPPORT_SHARE = 0.5  # of the observed entries of a block, on average
# probability that a block has none of its features, so that a network learns to do without
DROPPED_FEATURES = 0.2
SUPPORT_SHARES = 0.1, 0.9  # of an episode of mixed size; uniform in between
REJECTED_DRAWS = 1000  # in a row that are rejected before an error is raised
REFINEMENTS = 4  # rounds in which rows and columns are told apart by those that they meet
# between values that are not the same, as a share of the largest: what arithmetic keeps apart
LITTLEST_GAP = 1e-14


class Split(NamedTuple):
    """Three matrices of one data set that share no row and no column: meta-training,
    meta-validation, meta-test."""

    train: Ratings
    validation: Ratings
    test: Ratings


@dataclass(frozen=True)
class Episode:
    """One matrix whose observed entries were divided."""

    support: Ratings  # the entries that a method is given
    query: Ratings  # the entries that it is to predict

    def standardized(self, units: ScaleUnits) -> Episode:
        """The episode in the standardised units that ``units`` computes from its support."""
        return self.in_units(units.of(self.support))

    def in_units(self, units: Standardization) -> Episode:
        """The episode in ``units``."""
        return Episode(
            *(part.with_values(units.apply(part.values)) for part in (self.support, self.query))
        )


@dataclass(frozen=True, eq=False)
class EpisodeBatch:
    """Many episodes laid end to end."""

    support: RatingsBatch  # the support entries of all of them
    query_row: Tensor  # (n_query,) the rows of the query entries, as positions in the support batch
    query_col: Tensor  # (n_query,) their columns
    query_x: Tensor  # (n_query,) their values, standardised units

    @classmethod
    def of(
        cls,
        episodes: Sequence[Episode],
        dtype: torch.dtype | None = None,
        device: torch.device | str = "cpu",
    ) -> EpisodeBatch:
        import torch

        from metamf.ratings.batch import RatingsBatch

        dtype = torch.float32 if dtype is None else dtype
        support = RatingsBatch.of([episode.support for episode in episodes], dtype, device)
        query = RatingsBatch.of([episode.query for episode in episodes], dtype, device)
        return cls(support, query.row, query.col, query.x)

    @classmethod
    def divided(
        cls,
        cells: Sequence[np.ndarray],
        support: np.ndarray,
        n_rows: Sequence[int] | np.ndarray,
        n_cols: Sequence[int] | np.ndarray,
        device: torch.device | str,
        features: Sequence[np.ndarray | None] = (),
    ) -> EpisodeBatch:
        """The batch of some cells, values, rows and columns, (n,) each, as positions in the batch;
        where the mask ``support`` (n,) is False they are query entries. ``features`` are those of
        the rows and of the columns."""
        import torch

        from metamf.ratings.batch import RatingsBatch

        x, row, col = (part[support] for part in cells)
        batch = RatingsBatch.from_arrays(
            x, row, col, n_rows, n_cols, torch.float32, device, *features
        )
        query_x, query_row, query_col = (
            torch.as_tensor(part[~support], device=device) for part in cells
        )
        return cls(batch, query_row, query_col, query_x.to(torch.float32))

    @property
    def query_matrix(self) -> Tensor:
        """(n_query,) the number of the matrix that each query entry belongs to."""
        return self.support.row_matrix[self.query_row]


def split_rows_and_columns(ratings: Ratings, seed: int) -> Split:
    """A random split of rows and columns into meta-training, meta-validation and meta-test (Section
    4.1 of the paper).

    Each part keeps the cells where its rows and its columns meet; all others are dropped, so that
    no user and no item is shared. Raises ValueError if the matrix is too small for every part to
    have a row and a column.
    """
    parts = split_ids(ratings, seed)
    return Split(*(ratings.submatrix(row_ids, col_ids) for row_ids, col_ids in zip(*parts)))


def split_ids(ratings: Ratings, seed: int) -> list[list[np.ndarray]]:
    """The rows of the three parts of ``split_rows_and_columns``, and the columns of the three
    parts, each ascending."""
    rng = np.random.default_rng([seed, 0])
    ends = np.cumsum(SHARES)
    parts = [
        np.split(rng.permutation(size), np.rint(ends * size).astype(int)) for size in ratings.shape
    ]
    if min(len(ids) for side in parts for ids in side) == 0:
        raise ValueError(
            f"{ratings!r} is too small to divide its rows and its columns into three parts by "
            f"{SHARES}"
        )
    return [[np.sort(ids) for ids in side] for side in parts]


def divide_entries(
    ratings: Ratings,
    support_share: float,
    rng: np.random.Generator,
    among: np.ndarray | None = None,
) -> Episode:
    """Divides the observed entries at random into support and query.

    ``among`` (nnz,) is the order of the entries in which they are drawn: with ``canonical_order``
    the same ones are drawn from a shuffled copy.

    The number of support entries is rounded up, so that a single entry is support. With a share
    below one and two or more entries, at least one is left to query.
    """
    order = rng.permutation(ratings.nnz if among is None else among)
    n_support = int(np.ceil(support_share * ratings.nnz - 1e-9))
    if support_share < 1 and ratings.nnz >= 2:
        n_support = min(n_support, ratings.nnz - 1)
    return Episode(
        *(ratings.select(np.sort(ids)) for ids in (order[:n_support], order[n_support:]))
    )


def canonical_order(ratings: Ratings) -> np.ndarray:
    """(nnz,) an order of the entries that does not depend on the order of rows and columns, nor on
    the unit.

    By value, then by what the entry's row and column hold: what is drawn at random from entries in
    this order is the same for a matrix and for its shuffled copy, but for entries between which
    nothing in the matrix tells.
    """
    keys: list[np.ndarray] = []
    for z in _values(ratings):
        of_rows, of_cols = _marks(ratings, z)
        keys += [np.round(z, 6), *of_rows[:, ratings.rows], *of_cols[:, ratings.cols]]
        order = np.lexsort(keys[::-1])
        if not _has_equal(keys, order):
            break
    return order


def canonical_lines(ratings: Ratings) -> tuple[np.ndarray, np.ndarray]:
    """Orders of the rows (N,) and of the columns (M,) that depend neither on their order nor on the
    unit."""
    of_rows: list[np.ndarray] = []
    of_cols: list[np.ndarray] = []
    for z in _values(ratings):
        more = _marks(ratings, z)
        of_rows += [*more[0]]
        of_cols += [*more[1]]
        orders = np.lexsort(of_rows[::-1]), np.lexsort(of_cols[::-1])
        if not (_has_equal(of_rows, orders[0]) or _has_equal(of_cols, orders[1])):
            break
    return orders


def _has_equal(keys: list[np.ndarray], order: np.ndarray) -> bool:
    """Whether neighbours in an order have the same keys."""
    return bool(np.all([np.diff(key[order]) == 0 for key in keys], axis=0).any())


def _values(ratings: Ratings) -> Iterator[np.ndarray]:
    """The values in standard deviations from their mean, and then their ranks within 0 ... 1, which
    tell values apart that are alike next to one of another order of magnitude."""
    x = ratings.values.astype(np.float64)
    x = np.ldexp(x, -np.frexp(np.abs(x).max(initial=0.0))[1])  # squares are ordinary floats
    z = x - x.mean()
    spread = z.std()
    largest = np.abs(x).max(initial=0.0)
    yield z / spread if spread > LITTLE_SPREAD * largest else np.zeros_like(z)
    order = np.argsort(x)
    higher = np.diff(x[order], prepend=x[order[:1]]) > LITTLEST_GAP * largest
    rank = np.empty(len(x))
    rank[order] = np.cumsum(higher) / len(x)
    yield rank


def _marks(ratings: Ratings, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers (K, N) and (K, M) that tell rows and columns apart: the mean and the number of their
    entries ``z``, and then, over and over, a mean over these and the last marks of the lines that
    they meet (colour refinement)."""
    rows = ratings.rows
    cols = ratings.cols
    n_rows = ratings.row_counts
    n_cols = ratings.col_counts

    def means(ids: np.ndarray, values: np.ndarray, count: np.ndarray) -> np.ndarray:
        return np.round(np.bincount(ids, values, len(count)) / np.maximum(count, 1), 6)

    of_row = means(rows, z, n_rows)
    of_col = means(cols, z, n_cols)
    of_rows = [of_row, n_rows]
    of_cols = [of_col, n_cols]
    for _ in range(REFINEMENTS):
        met = np.cos(z + 3 * of_col[cols]), np.cos(z + 3 * of_row[rows])
        of_row = means(rows, met[0], n_rows)
        of_col = means(cols, met[1], n_cols)
        of_rows.append(of_row)
        of_cols.append(of_col)
    return np.stack(of_rows), np.stack(of_cols)


def held_out_blocks(
    ratings: Ratings,
    count: int,
    seed: Sequence[int],
    size: tuple[int, int] = (30, 30),
    support_share: float = 0.5,
) -> list[Episode]:
    """Returns ``count`` random blocks of rows and columns, their entries divided into support and
    query.

    Block i depends on (``seed``, i) only. A block with fewer than two observed entries cannot be
    scored, so it is drawn again; ValueError after ``REJECTED_DRAWS`` such draws in a row. A matrix
    with fewer rows or columns than ``size`` gives all it has (Jester's 20 columns).
    """
    n, m = (min(want, have) for want, have in zip(size, ratings.shape))
    blocks = []
    for index in range(count):
        rng = np.random.default_rng([*seed, index])
        for _ in range(REJECTED_DRAWS):
            block = ratings.submatrix(
                _choose(rng, ratings.n_rows, n), _choose(rng, ratings.n_cols, m)
            )
            if block.nnz >= 2:
                break
        else:
            raise ValueError(
                f"no {n} x {m} block of {ratings!r} with two observed entries in "
                f"{REJECTED_DRAWS:,} draws"
            )
        blocks.append(divide_entries(block, support_share, rng))
    return blocks


class Sampler(Protocol):
    """The source of meta-training episodes."""

    def sample(
        self, rng: np.random.Generator, count: int, device: torch.device | str = "cpu"
    ) -> EpisodeBatch:
        """At most ``count`` random episodes."""


@dataclass(frozen=True)
class BlockSampler:
    """Random blocks of random matrices, as in Algorithm 2, lines 3 to 5: an observed entry is
    support with probability ``SUPPORT_SHARE``."""

    matrices: Sequence[Ratings]  # in standardised units, each as likely as any other
    # rows and columns of a block; a matrix with fewer gives all it has
    size: tuple[int, int] = (30, 30)

    def sample(
        self, rng: np.random.Generator, count: int, device: torch.device | str = "cpu"
    ) -> EpisodeBatch:
        """``count`` episodes, ordered by the matrix that they come from."""
        from metamf.ratings.batch import end_to_end

        parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []  # values, rows, columns
        n_rows: list[int] = []
        n_cols: list[int] = []
        of_rows: list[np.ndarray | None] = []  # features of each episode
        of_cols: list[np.ndarray | None] = []
        equally = np.full(len(self.matrices), 1 / len(self.matrices))
        for ratings, D in zip(self.matrices, rng.multinomial(count, equally)):
            if D == 0:
                continue
            n, m = (min(want, have) for want, have in zip(self.size, ratings.shape))
            row_ids = np.stack([_choose(rng, ratings.n_rows, n) for _ in range(D)])
            col_ids = np.stack([_choose(rng, ratings.n_cols, m) for _ in range(D)])
            entries, rows, cols = ratings.locate(row_ids, col_ids)
            parts.append((ratings.values[entries], rows + sum(n_rows), cols + sum(n_cols)))
            n_rows += [n] * D
            n_cols += [m] * D
            known = ratings.row_features
            of_rows += [None if known is None else known[ids] for ids in row_ids]
            known = ratings.col_features
            of_cols += [None if known is None else known[ids] for ids in col_ids]
        cells = [np.concatenate(part) for part in zip(*parts)]
        support = rng.random(len(cells[0])) < SUPPORT_SHARE
        features = [end_to_end(of_rows, n_rows), end_to_end(of_cols, n_cols)]
        if any(known is not None for known in features):
            keeps = rng.random(count) >= DROPPED_FEATURES
            features = [
                None if known is None else known * np.repeat(keeps, lengths)[:, np.newaxis]
                for known, lengths in zip(features, (n_rows, n_cols))
            ]
        return EpisodeBatch.divided(cells, support, n_rows, n_cols, device, features)


def _choose(rng: np.random.Generator, size: int, count: int) -> np.ndarray:
    return rng.choice(size, count, replace=False, shuffle=False)


@dataclass(frozen=True)
class DrawnSampler:
    """Episodes of complete matrices, made up or real, of which each and what is given of it are
    drawn afresh.

    ``units`` are the same for all: what a network reads in them shows whether the given ratings are
    higher than others, which units of the given ratings would hide.
    """

    #: A generator -> the ratings (N, M) of every cell, in rating units, and the mask (N, M) of
    #: those that are given.
    draw: Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]
    units: Standardization

    def sample(
        self, rng: np.random.Generator, count: int, device: torch.device | str = "cpu"
    ) -> EpisodeBatch:
        """``count`` episodes: what is given is support, all the rest is query."""
        drawn = [self.draw(rng) for _ in range(count)]
        sizes = np.array([given.shape for _, given in drawn])
        first = np.cumsum(sizes, axis=0) - sizes  # row and column of each matrix
        at = [np.indices(size).reshape(2, -1) + start[:, None] for size, start in zip(sizes, first)]
        x = self.units.apply(np.concatenate([X.ravel() for X, _ in drawn]))
        support = np.concatenate([given.ravel() for _, given in drawn])
        n_rows, n_cols = sizes.T
        cells = [x, *np.concatenate(at, axis=1)]
        return EpisodeBatch.divided(cells, support, n_rows, n_cols, device)


LARGEST_SYNTHETIC = 100_000  # cells of a synthetic matrix at most, since every cell is drawn
SMALLEST_LARGE = 0.4  # of ``largest``: the smallest size of a "large" matrix


@dataclass(frozen=True)
class MixedSampler:
    """Episodes of mixed sizes and densities, batched so that a batch has about ``entries`` observed
    entries.

    Algorithm 2 allows the number of rows and columns to change from epoch to epoch; here they
    change from episode to episode, as does the share of support entries, and every matrix is
    standardised by itself, as a matrix of an unknown domain will be.
    What the synthetic matrices are worth is measured in benchmarks/results/ablations.csv.
    """

    matrices: Sequence[Ratings]  # to draw from, in rating units, each as likely as any other
    # at which a batch is full; an episode with more than twice as many is drawn again
    entries: int = 12_000
    smallest: int = 10  # number of rows, and of columns
    largest: tuple[int, int] = (
        1000,
        1700,
    )  # numbers of rows and of columns; sizes are log-uniform in between
    #: Probability that a batch is one large matrix instead, ``SMALLEST_LARGE`` to 1 times
    #: ``largest``, from those of ``matrices`` that have at least half as many columns.
    large_share: float = 0.2
    # in which an episode is standardised, from its support entries and rating scale
    units: ScaleUnits = ScaleUnits()
    # probability that an episode keeps its rating scale; otherwise its entries give the units
    known_share: float = 0.5
    # probability that a matrix of at most ``LARGEST_SYNTHETIC`` cells is synthetic
    synthetic_share: float = 0.0
    #: (generator, number of rows, number of columns) -> a synthetic matrix; needed if
    #: ``synthetic_share`` is positive
    synthesise: Callable[[np.random.Generator, int, int], Ratings] | None = None

    def sample(
        self, rng: np.random.Generator, count: int, device: torch.device | str = "cpu"
    ) -> EpisodeBatch:
        return EpisodeBatch.of(self.episodes(rng, count), device=device)

    def episodes(self, rng: np.random.Generator, count: int) -> list[Episode]:
        """At most ``count`` episodes; ValueError if ``REJECTED_DRAWS`` draws in a row have no query
        entry, or more than twice as many entries as a batch."""
        wide = [ratings for ratings in self.matrices if ratings.n_cols >= self.largest[1] / 2]
        if wide and rng.random() < self.large_share:
            sizes = [rng.uniform(SMALLEST_LARGE, 1) * size for size in self.largest]
            return [self._episode(wide[rng.integers(len(wide))], sizes, rng)]
        episodes: list[Episode] = []
        entries = rejected = 0
        while entries < self.entries and len(episodes) < count:
            sizes = [
                np.exp(rng.uniform(np.log(self.smallest), np.log(size))) for size in self.largest
            ]
            episode = self._episode(self._matrix(sizes, rng), sizes, rng)
            nnz = episode.support.nnz + episode.query.nnz
            if episode.query.nnz and nnz <= 2 * self.entries:
                episodes.append(episode)
                entries = entries + nnz
                rejected = 0
            elif (rejected := rejected + 1) == REJECTED_DRAWS:
                raise ValueError(
                    f"{REJECTED_DRAWS:,} draws in a row had no query entry or more than "
                    f"{2 * self.entries} entries: "
                    f"give other matrices or settings than {self!r}"
                )
        return episodes

    def _matrix(self, sizes: Sequence[float], rng: np.random.Generator) -> Ratings:
        if rng.random() < self.synthetic_share and sizes[0] * sizes[1] <= LARGEST_SYNTHETIC:
            if self.synthesise is None:
                raise ValueError(
                    "a share of synthetic matrices needs ``synthesise``, which draws them"
                )
            return self.synthesise(rng, *(int(size) for size in sizes))
        return self.matrices[int(rng.integers(len(self.matrices)))]

    def _episode(
        self, ratings: Ratings, sizes: Sequence[float], rng: np.random.Generator
    ) -> Episode:
        ids = (
            rng.choice(have, min(int(want), have), replace=False)
            for want, have in zip(sizes, ratings.shape)
        )
        episode = divide_entries(ratings.submatrix(*ids), rng.uniform(*SUPPORT_SHARES), rng)
        if rng.random() >= self.known_share:
            support, query = (
                replace(part, scale=None) for part in (episode.support, episode.query)
            )
            episode = Episode(support, query)
        return episode.standardized(self.units)
