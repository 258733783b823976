"""Meta-training on matrices that are drawn afresh for every update: film nights, and Jester's complete rows.

What was not given is known there, so a network can learn what people choose to rate, too. Units are fixed: the level of
a world is learned, and no mean of the given ratings hides it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from metamf import datasets
from metamf.datasets.film_nights import STARS, FilmNightWorld, draw_night
from metamf.datasets.synthetic import standardized, weighted_draw
from metamf.learning.episodes import DrawnSampler, EpisodeBatch, split_ids
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import Standardization

FILM_NIGHTS, JESTER_CHOSEN = "film-nights", "jester-chosen"
DRAWN = FILM_NIGHTS, JESTER_CHOSEN
STAR_UNITS = Standardization(3.5, 1.2)  # about those of a film night, whichever ratings are given
VALIDATION_MATRICES, TEST_MATRICES = 200, 400
JOKES_BLOCK = 30, 20  # people and jokes
JOKES_GIVEN = 0.3  # share of a block's ratings
JOKES_LIKING = 0.0, 2.0  # log-odds of being given for a rating one standard deviation higher


@dataclass(frozen=True, eq=False)
class DrawnData:
    """What a network learns from, and matrices to measure on that share no person and no item with it."""

    name: str
    sampler: DrawnSampler
    validation: EpisodeBatch
    test: EpisodeBatch
    scale: RatingScale
    mean: float  # of all ratings that are learned from, given or not, in rating units
    density: tuple[float, float]  # smallest and largest share of given cells
    sizes: tuple[tuple[int, int], tuple[int, int]]  # smallest and largest numbers of rows, and of columns


def drawn_data(name: str, folder: str | Path | None = None, split: int = 0) -> DrawnData:
    """The data of a name of ``DRAWN``; Jester's archive is read as by ``datasets.load``, whose errors are raised."""
    if name == FILM_NIGHTS:
        world = FilmNightWorld()
        sampler = DrawnSampler(drawn_film_night, STAR_UNITS)
        rng = np.random.default_rng([split, 2])
        mean = float(np.mean([draw_night(rng).truth.mean() for _ in range(2000)]))
        held_out = _held_out(sampler, sampler, split)
        return DrawnData(name, sampler, *held_out, STARS, mean, world.given, (world.people, world.films))
    parts = complete_jokes(folder, split)
    units = Standardization.of(parts[0].values)
    samplers = [DrawnSampler(joke_blocks(part), units) for part in parts]
    held_out = _held_out(samplers[1], samplers[2], split)
    sizes = tuple((size, size) for size in JOKES_BLOCK)
    scale = parts[0].scale or RatingScale(-10, 10)
    density = (JOKES_GIVEN, JOKES_GIVEN)
    return DrawnData(name, samplers[0], *held_out, scale, units.mean, density, (sizes[0], sizes[1]))


def drawn_film_night(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Every rating (N, M) of a film night, and which of them are given."""
    night = draw_night(rng)
    return night.truth, night.given()


def complete_jokes(folder: str | Path | None = None, split: int = 0) -> tuple[Ratings, Ratings, Ratings]:
    """The people who rated all 100 jokes, in the three parts of the split of ``jester``, which share no person and no
    joke: 70, 10 and 20 jokes."""
    ratings = datasets.load("jester", folder, zeros_are_missing=False)
    complete = np.flatnonzero(ratings.row_counts == ratings.n_cols)
    rows, cols = split_ids(ratings, split)
    train, validation, test = (
        ratings.submatrix(np.intersect1d(row_ids, complete), col_ids) for row_ids, col_ids in zip(rows, cols)
    )
    return train, validation, test


def joke_blocks(ratings: Ratings) -> Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]:
    """Draws blocks of complete ``ratings``, of which people rather give what they like, with strengths that are drawn,
    too."""
    X = ratings.to_dense()

    def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        rows, cols = (rng.choice(have, min(want, have), replace=False) for want, have in zip(JOKES_BLOCK, X.shape))
        block = X[np.ix_(rows, cols)]
        liking = rng.uniform(*JOKES_LIKING)
        return block, weighted_draw(liking * standardized(block), JOKES_GIVEN, rng.gumbel(size=block.shape))

    return draw


def _held_out(validation: DrawnSampler, test: DrawnSampler, split: int) -> tuple[EpisodeBatch, EpisodeBatch]:
    return (
        validation.sample(np.random.default_rng([split, 0, 1]), VALIDATION_MATRICES),
        test.sample(np.random.default_rng([split, 0, 2]), TEST_MATRICES),
    )
