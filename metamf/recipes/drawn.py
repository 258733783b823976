"""Meta-training on matrices that are drawn afresh for every update: film nights, and Jester's
complete rows.

What was not given is known there, so a network can learn what people choose to rate, too. Units are
fixed: the level of a world is learned, and no mean of the given ratings hides it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from metamf import datasets
from metamf.baselines import METHODS
from metamf.baselines.biases import Mean
from metamf.checkpoints.info import CheckpointInfo, TrainingDomain
from metamf.checkpoints.paper_comparison import STEPS_TAKEN, steps_taken
from metamf.datasets.film_nights import STARS, FilmNightWorld, draw_night
from metamf.datasets.synthetic import standardized, weighted_draw
from metamf.learning.episodes import DrawnSampler, EpisodeBatch, split_ids
from metamf.learning.evaluation import summarize
from metamf.learning.objectives import errors_at_any_step, squared_errors
from metamf.learning.training import MetaTraining, TrainingConfig
from metamf.network.meta_mf import MetaMF, MetaMFConfig
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import Standardization
from metamf.recipes.cards import card_of, save_with_card, text_of, training_of
from metamf.recipes.presets import Preset

FILM_NIGHTS = "film-nights"
EVERY_STEP = "film-nights-every-step"
JESTER_CHOSEN = "jester-chosen"
# Safe steps, since where many cells are given steps of a fixed size diverge. Four factors are as
# good as 32 on film nights, and can be looked at.
STEPS: dict[str, Any] = {
    "step_size": 0.015,
    "learn_step_size": True,
    "safe_steps": True,
    "dropout": 0.0,
}
NIGHTS = MetaMFConfig(rank=4, channels=64, hidden=64, **STEPS)  # with 32 the errors are 1 % larger
TRAINING = TrainingConfig(
    learning_rate=1e-3,
    epochs=240,
    updates_per_epoch=250,
    schedule="cosine",
    averaging=0.99,
    clip_gradient=1.0,
)
RECIPES = {  # by the names of the checkpoints
    FILM_NIGHTS: Preset(NIGHTS, TRAINING),
    EVERY_STEP: Preset(NIGHTS, replace(TRAINING, epochs=36)),
    JESTER_CHOSEN: Preset(MetaMFConfig(**STEPS), replace(TRAINING, epochs=8)),
}
STAR_UNITS = Standardization(3.5, 1.2)  # about those of a film night, whichever ratings are given
VALIDATION_MATRICES = 200
TEST_MATRICES = 400
JOKES_BLOCK = 30, 20  # people and jokes
JOKES_GIVEN = 0.3  # share of a block's ratings
JOKES_LIKING = 0.0, 2.0  # log-odds of being given for a rating one standard deviation higher


@dataclass(frozen=True, eq=False)
class DrawnData:
    """What a network learns from, and matrices to measure on that share no person and no item with
    it."""

    name: str
    sampler: DrawnSampler
    validation: EpisodeBatch
    test: EpisodeBatch
    scale: RatingScale
    mean: float  # of all ratings that are learned from, given or not, in rating units
    density: tuple[float, float]  # smallest and largest share of given cells
    # smallest and largest numbers of rows, and of columns
    sizes: tuple[tuple[int, int], tuple[int, int]]


def drawn_data(name: str, folder: str | Path | None = None, split: int = 0) -> DrawnData:
    """The data of a name of ``RECIPES``; Jester's archive is read as by ``datasets.load``, whose
    errors are raised."""
    if name == JESTER_CHOSEN:
        parts = complete_jokes(folder, split)
        units = Standardization.of(parts[0].values)
        train, validation, test = (DrawnSampler(joke_blocks(part), units) for part in parts)
        scale = parts[0].scale or RatingScale(-10, 10)
        mean = units.mean
        density = (JOKES_GIVEN, JOKES_GIVEN)
        rows, cols = ((size, size) for size in JOKES_BLOCK)
    else:
        name = FILM_NIGHTS
        train = validation = test = DrawnSampler(drawn_film_night, STAR_UNITS)
        scale = STARS
        rng = np.random.default_rng([split, 2])
        mean = float(np.mean([draw_night(rng).truth.mean() for _ in range(2000)]))
        world = FilmNightWorld()
        density = world.given
        rows = world.people
        cols = world.films
    held_out = (
        validation.sample(np.random.default_rng([split, 0, 1]), VALIDATION_MATRICES),
        test.sample(np.random.default_rng([split, 0, 2]), TEST_MATRICES),
    )
    return DrawnData(name, train, *held_out, scale, mean, density, (rows, cols))


def drawn_film_night(
    rng: np.random.Generator, world: FilmNightWorld = FilmNightWorld()
) -> tuple[np.ndarray, np.ndarray]:
    """Every rating (N, M) of a film night, and which of them are given."""
    night = draw_night(rng, world)
    return night.truth, night.given()


def complete_jokes(
    folder: str | Path | None = None, split: int = 0
) -> tuple[Ratings, Ratings, Ratings]:
    """The people who rated all 100 jokes, in the three parts of the split of ``jester``, which
    share no person and no joke: 70, 10 and 20 jokes."""
    ratings = datasets.load("jester", folder, zeros_are_missing=False)
    complete = np.flatnonzero(ratings.row_counts == ratings.n_cols)
    rows, cols = split_ids(ratings, split)
    train, validation, test = (
        ratings.submatrix(np.intersect1d(row_ids, complete), col_ids)
        for row_ids, col_ids in zip(rows, cols)
    )
    return train, validation, test


def joke_blocks(ratings: Ratings) -> Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]:
    """Draws blocks of complete ``ratings``, of which people rather give what they like, with
    strengths that are drawn, too."""
    X = ratings.to_dense()

    def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        rows, cols = (
            rng.choice(have, min(want, have), replace=False)
            for want, have in zip(JOKES_BLOCK, X.shape)
        )
        block = X[np.ix_(rows, cols)]
        liking = rng.uniform(*JOKES_LIKING)
        return block, weighted_draw(
            liking * standardized(block), JOKES_GIVEN, rng.gumbel(size=block.shape)
        )

    return draw


class DrawnRun:
    """One training run on matrices that are drawn afresh, from seeds to a checkpoint with its card.

    ``name`` is one of ``RECIPES``, ``method`` the key of a meta-learned method of ``METHODS``: of
    others than the paper's model, ``parameters`` writes what they learned. Everything but the
    network is the same for all methods.
    """

    def __init__(
        self,
        name: str,
        data: DrawnData,
        split: int = 0,
        seed: int = 0,
        epochs: int | None = None,
        method: str = "ours",
    ):
        self.name = name
        self.data = data
        self.split = split
        preset = RECIPES[name]
        spec = METHODS[method]
        training = replace(preset.training, seed=seed, epochs=epochs or preset.training.epochs)
        objective = errors_at_any_step if name == EVERY_STEP else squared_errors
        network = spec.build(preset.config_of(spec), seed)
        self.training = MetaTraining(network, data.sampler, data.validation, training, objective)

    def errors(self) -> dict[str, float]:
        """Errors on matrices that share nothing with those of the training, in standardised
        units."""
        return summarize(self.training.method, Mean(), self.data.test)

    def finish(self, out: str | Path, command: str) -> CheckpointInfo:
        """Measures the model, and writes the checkpoint and its card; ``command`` makes the
        checkpoint."""
        data = self.data
        network = cast(MetaMF, self.training.method)
        return save_with_card(
            out,
            network,
            drawn_card,
            data=data.name,
            standardization=data.sampler.units,
            scale=data.scale,
            split_seed=self.split,
            recipe={
                "preset": self.name,
                **training_of(self.training),
                "training_mean": data.mean,
                STEPS_TAKEN: steps_taken(network, data.test),
                "command": command,
            },
            errors=self.errors(),
            learned_from=TrainingDomain(*data.sizes, data.density, (data.scale,)),
        )


def drawn_card(info: CheckpointInfo, model: MetaMF) -> str:
    """The card of a checkpoint that learned on matrices that were drawn afresh."""
    jokes = info.data == JESTER_CHOSEN
    every = ""
    if info.name == EVERY_STEP:
        every = " The error after a random number of steps, 0 to 10, was minimised."
    licence = "Nobody's: people, films and ratings are made up."
    if jokes:
        archive = datasets.ARCHIVES["jester"]
        licence = f"{archive.licence} The archive is not part of this repository: {archive.page}"
    world = text_of("jokes_world.md" if jokes else "nights_world.md").strip()
    return card_of("drawn_card.md", info, model, world=world, every=every, licence=licence)
