"""Episodes of every size and density, for a model that is meant for any matrix.

Algorithm 2 allows the number of rows and columns to change from epoch to epoch; here they change from episode to
episode, as does the share of support entries, and every matrix is standardised by itself, as a matrix of an unknown
domain will be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from metamf.episodes import Episode, EpisodeBatch, divide_entries
from metamf.ratings.matrix import Ratings
from metamf.ratings.whole_units import ScaleUnits

if TYPE_CHECKING:
    import torch

LARGEST_SYNTHETIC = 100_000  # cells of a synthetic matrix at most, since every cell is drawn
SMALLEST_LARGE = 0.4  # of ``largest``: the smallest size of a "large" matrix
REJECTED_DRAWS = 1000  # in a row that are rejected before an error is raised


@dataclass(frozen=True)
class MixedSampler:
    """Episodes of mixed sizes and densities, batched so that a batch has about ``entries`` observed entries.

    What the share of synthetic matrices is worth is measured by
    ``benchmarks.accuracy.ablations``.

    Parameters
    ----------
    matrices : the rating matrices to draw from, in rating units, each as likely as any other
    entries : the number of observed entries (support and query) at which a batch is full; an episode with more than
        twice as many is drawn again
    smallest : the smallest number of rows, and of columns
    largest : the largest numbers of rows and of columns; sizes are log-uniform in between
    support_shares : the smallest and the largest share of the observed entries that become support; uniform in between
    large_share : the probability that a batch is one large matrix instead, ``SMALLEST_LARGE`` to 1 times ``largest``,
        from those of ``matrices`` that have at least half as many columns
    units : the units that an episode is standardised in, from its support entries and its rating scale
    known_share : the probability that an episode keeps its rating scale; without one its units come from its support
        entries alone
    synthetic_share : the probability that a matrix of at most ``LARGEST_SYNTHETIC`` cells is synthetic instead of being
        drawn from ``matrices``
    synthesise : (generator, number of rows, number of columns) -> a synthetic matrix; needed where ``synthetic_share``
        is positive
    """

    matrices: Sequence[Ratings]
    entries: int = 12_000
    smallest: int = 10
    largest: tuple[int, int] = (1000, 1700)
    support_shares: tuple[float, float] = (0.1, 0.9)
    large_share: float = 0.2
    units: ScaleUnits = ScaleUnits()
    known_share: float = 0.5
    synthetic_share: float = 0.0
    synthesise: Callable[[np.random.Generator, int, int], Ratings] | None = None

    def sample(self, rng: np.random.Generator, count: int, device: torch.device | str = "cpu") -> EpisodeBatch:
        """At most ``count`` episodes as one batch."""
        return EpisodeBatch.of(self.episodes(rng, count), device=device)

    def episodes(self, rng: np.random.Generator, count: int) -> list[Episode]:
        """At most ``count`` episodes.

        Raises
        ------
        ValueError
            if ``REJECTED_DRAWS`` draws in a row have no query entry, or more than twice as many entries as a batch.
        """
        wide = [ratings for ratings in self.matrices if ratings.n_cols >= self.largest[1] / 2]
        if wide and rng.random() < self.large_share:
            sizes = [rng.uniform(SMALLEST_LARGE, 1) * size for size in self.largest]
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
            elif (rejected := rejected + 1) == REJECTED_DRAWS:
                raise ValueError(
                    f"{REJECTED_DRAWS:,} draws in a row had no query entry or more than {2 * self.entries} entries: "
                    f"give other matrices or settings than {self!r}"
                )
        return episodes

    def _matrix(self, sizes: Sequence[float], rng: np.random.Generator) -> Ratings:
        if rng.random() < self.synthetic_share and sizes[0] * sizes[1] <= LARGEST_SYNTHETIC:
            if self.synthesise is None:
                raise ValueError("a share of synthetic matrices needs ``synthesise``, which draws them")
            return self.synthesise(rng, *(int(size) for size in sizes))
        return self.matrices[int(rng.integers(len(self.matrices)))]

    def _episode(self, ratings: Ratings, sizes: Sequence[float], rng: np.random.Generator) -> Episode:
        ids = (rng.choice(have, min(int(want), have), replace=False) for want, have in zip(sizes, ratings.shape))
        episode = divide_entries(ratings.submatrix(*ids), rng.uniform(*self.support_shares), rng)
        if rng.random() >= self.known_share:
            episode = Episode(*(replace(part, scale=None) for part in (episode.support, episode.query)))
        return episode.standardized(self.units)
