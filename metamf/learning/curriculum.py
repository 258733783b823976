"""Episodes of every size and density, for a model that is to take any matrix.

Algorithm 2 allows the number of rows and columns to change from epoch to epoch; here they change from episode to
episode, with the share of support entries, and every matrix is read in units of its own, as a matrix of an unknown
domain will be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metamf.episodes import Episode, EpisodeBatch, divide_entries
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import ScaleUnits

LARGEST_MADE_UP = 100_000  # cells, since all of them are drawn


@dataclass(frozen=True)
class MixedSampler:
    """Batches of matrices that hold about ``entries`` observed entries together, drawn from any of ``matrices``.

    Sizes are log-uniform from ``smallest`` to ``largest`` rows and columns, support shares uniform in ``shares``. A
    share ``large`` of the batches is one matrix near the upper end, from those that have the columns for it. A share
    ``known`` of the matrices is read in ``units`` that know the rating scale, the others in those of what is observed.
    A share ``made_up`` of those that are not too large is made by ``invent``, of so many rows and columns, and none of
    ``matrices``.
    """

    matrices: Sequence[Ratings]  # in rating units
    entries: int = 12_000
    smallest: int = 10
    largest: tuple[int, int] = (1000, 1700)
    shares: tuple[float, float] = (0.1, 0.9)
    large: float = 0.2
    units: ScaleUnits = ScaleUnits()
    known: float = 0.5
    made_up: float = 0.0
    invent: Callable[[np.random.Generator, int, int], Ratings] | None = None

    def sample(self, rng: np.random.Generator, count: int, device="cpu") -> EpisodeBatch:
        """At most ``count`` episodes as one batch."""
        return EpisodeBatch.of(self.episodes(rng, count), device=device)

    def episodes(self, rng: np.random.Generator, count: int) -> list[Episode]:
        """At most ``count`` episodes.

        Raises ValueError if 1,000 draws in a row have nothing to predict, or far too many entries.
        """
        wide = [ratings for ratings in self.matrices if ratings.n_cols >= self.largest[1] / 2]
        if wide and rng.random() < self.large:
            sizes = [rng.uniform(0.4, 1) * size for size in self.largest]
            return [self._episode(wide[rng.integers(len(wide))], sizes, rng)]
        episodes: list[Episode] = []
        entries = rejected = 0
        while entries < self.entries and len(episodes) < count:
            sizes = [np.exp(rng.uniform(np.log(self.smallest), np.log(size))) for size in self.largest]
            episode = self._episode(self._matrix(sizes, rng), sizes, rng)
            nnz = episode.support.nnz + episode.query.nnz
            if episode.query.nnz and nnz <= 2 * self.entries:
                episodes.append(episode)
                entries, rejected = entries + nnz, 0
            elif (rejected := rejected + 1) == 1000:
                raise ValueError(
                    f"1,000 draws in a row had no query entry or more than {2 * self.entries} entries: "
                    f"the matrices do not fit {self!r}"
                )
        return episodes

    def _matrix(self, sizes: Sequence[float], rng: np.random.Generator) -> Ratings:
        if rng.random() < self.made_up and sizes[0] * sizes[1] <= LARGEST_MADE_UP:
            return self.invent(rng, *(int(size) for size in sizes))
        return self.matrices[rng.integers(len(self.matrices))]

    def _episode(self, ratings: Ratings, sizes: Sequence[float], rng: np.random.Generator) -> Episode:
        ids = (rng.choice(have, min(int(want), have), replace=False) for want, have in zip(sizes, ratings.shape))
        episode = divide_entries(ratings.submatrix(*ids), rng.uniform(*self.shares), rng)
        if rng.random() >= self.known:
            episode = Episode(*(replace(part, scale=None) for part in (episode.support, episode.query)))
        return episode.standardized(self.units)
