"""Meta-training to watch: from random weights, with the error on held-out matrices after every few
updates.

Algorithm 2 as ``metamf.learning.training`` carries it out, on the model of the bundled checkpoints,
which learn from 100 updates in what is a second here. It reports more often at first, when most is
learned: the reports are evenly spaced on a logarithmic axis. The learning rate can be changed at
any time, so it is constant in between. It learns from film nights, or from a data set that is split
as the bundled checkpoints' data are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import cast

import numpy as np
import torch

from metamf import datasets
from metamf.baselines import METHODS
from metamf.baselines.biases import Mean
from metamf.checkpoints.bundled import checkpoint_title, list_pretrained, open_checkpoint
from metamf.checkpoints.info import CheckpointInfo, TrainingDomain
from metamf.checkpoints.paper_comparison import STEPS_TAKEN, steps_taken
from metamf.datasets.film_nights import (
    SHOWN,
    STARS,
    FilmNight,
    FilmNightWorld,
    draw_night,
    film_night,
)
from metamf.learning.episodes import (
    BlockSampler,
    DrawnSampler,
    Episode,
    EpisodeBatch,
    Sampler,
    divide_entries,
    held_out_blocks,
    split_ids,
)
from metamf.learning.evaluation import summarize
from metamf.learning.objectives import query_error
from metamf.learning.training import MetaTraining
from metamf.network.meta_mf import MetaMF
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import Standardization
from metamf.recipes.cards import card_of, save_with_card
from metamf.recipes.data import TEST, VALIDATION, prepare_ratings
from metamf.recipes.drawn import FILM_NIGHTS, RECIPES, STAR_UNITS, drawn_film_night
from metamf.recipes.paper import domain_of_blocks
from metamf.recipes.presets import PRESETS, Preset

LIVE_SPLIT = 0  # that of the bundled checkpoints: what is held out here was held out there
HELD_OUT = 100  # matrices to measure the error on, and as many for the final one
EPISODE = 3  # seed of the episodes that are looked at; its value means nothing
SHOWN_LINES = 12  # rows and columns of the block that is shown, so that names can be read
#: A held-out film night: of the size that the app shows, 30 % given, rather what people like.
SHOWN_NIGHT = replace(SHOWN, given=(0.3, 0.3), liking=(1.0, 1.0), chosen=1.0)
#: RMSE of others on the validation nights of ``film_nights``, in stars, over all hidden ratings.
#: The test of this name's values measures them again.
OTHERS_ON_NIGHTS = {
    "average of the training tables": 1.1013,
    "matrix factorization": 1.3983,
    "best simple method": 1.3611,  # a normal distribution
}
EPOCH = 5  # updates between two moments at which training can be paused
GROWTH = 1.03  # ratio of the numbers of updates of two reports in a row, once they differ by EPOCH
MOST_UPDATES = 20_000  # about as many as those of the bundled checkpoints, or more
# larger than in the presets: what counts is what is learned in the first seconds
LEARNING_RATE = 3e-3


@dataclass(frozen=True, eq=False)
class LiveData:
    """What a training learns from, and what it is measured on.

    ``shown`` is a matrix in rating units that no training sees: a film night, or the
    ``SHOWN_LINES`` rows and columns of the meta-test part that have most ratings, half of which are
    given.
    """

    name: str  # a data set of ``metamf.datasets``, or FILM_NIGHTS
    preset: Preset
    sampler: Sampler
    validation: EpisodeBatch  # in standardised units, as all batches
    test: EpisodeBatch
    units: Standardization
    scale: RatingScale
    learned_from: TrainingDomain
    shown: Episode

    @classmethod
    def load(cls, name: str, folder: str | Path | None = None) -> LiveData:
        """Film nights, which are made up, or a data set (``metamf.datasets.load``)."""
        return (
            cls.film_nights() if name == FILM_NIGHTS else cls.of(name, datasets.load(name, folder))
        )

    @classmethod
    def film_nights(cls) -> LiveData:
        """Learns from nights of all kinds, and is measured on those of ``SHOWN_NIGHT``."""
        held_out = DrawnSampler(partial(drawn_film_night, world=SHOWN_NIGHT), STAR_UNITS)
        validation, test = (
            held_out.sample(np.random.default_rng([LIVE_SPLIT, seed]), HELD_OUT)
            for seed in (VALIDATION, TEST)
        )
        night = film_night(0)
        given = night.given(SHOWN_NIGHT.given[0], SHOWN_NIGHT.liking[0])
        world = FilmNightWorld()
        return cls(
            FILM_NIGHTS,
            RECIPES[FILM_NIGHTS],
            DrawnSampler(drawn_film_night, STAR_UNITS),
            validation,
            test,
            STAR_UNITS,
            STARS,
            TrainingDomain(world.people, world.films, world.given, (STARS,)),
            _divided(night.ratings(), given),
        )

    @classmethod
    def of(cls, name: str, ratings: Ratings) -> LiveData:
        """The ratings of all people, in rating units, split into parts that share no row and no
        column."""
        # of the meta-test part
        row_ids, col_ids = (ids[2] for ids in split_ids(ratings, LIVE_SPLIT))
        part = ratings.submatrix(row_ids, col_ids)
        cols = _most_rated(part.cols, part.n_cols)
        rows = _most_rated(part.rows[np.isin(part.cols, cols)], part.n_rows)
        shown = divide_entries(part.submatrix(rows, cols), 0.5, np.random.default_rng(LIVE_SPLIT))
        data = prepare_ratings(ratings, LIVE_SPLIT, HELD_OUT)
        sampler = BlockSampler([data.train])
        return cls(
            name,
            PRESETS["tuned"],
            sampler,
            data.validation,
            data.test,
            data.standardization,
            data.scale,
            domain_of_blocks(sampler, data.scale),
            shown,
        )

    def episode(self, number: int) -> Episode:
        """One episode of the kind that a training draws, in rating units, the same for a number:
        a film night, or a block of the meta-training part."""
        if not isinstance(self.sampler, BlockSampler):
            return film_night_episode(number)
        matrix = self.sampler.matrices[0]
        (block,) = held_out_blocks(matrix, 1, [LIVE_SPLIT, EPISODE, number], self.sampler.size)
        support, query = (
            part.with_values(self.units.undo(part.values)) for part in (block.support, block.query)
        )
        return Episode(support, query)

    @cached_property
    def episodes(self) -> EpisodeBatch:
        """The first ``HELD_OUT`` of these episodes, in standardised units."""
        return EpisodeBatch.of(
            [self.episode(number).in_units(self.units) for number in range(HELD_OUT)]
        )

    @property
    def table_size(self) -> tuple[int, int] | None:
        """Rows and columns of the one table that blocks are taken from; None where each episode
        draws a table of its own."""
        return self.sampler.matrices[0].shape if isinstance(self.sampler, BlockSampler) else None

    def given_by_liking(self, number: int) -> bool:
        """Whether the given ratings of ``episode(number)`` are rather what people like; otherwise
        they are a random part, as those of a block are."""
        return not isinstance(self.sampler, BlockSampler) and _night_of(number).liking > 0

    def support_mean_error(self) -> float:
        """The mean squared error of the support mean on the held-out matrices, standardised units
        squared."""
        return float(query_error(Mean(), self.validation))

    def bundled_error(self) -> tuple[str, float] | None:
        """Title and error, as above, of the bundled checkpoint of this data; None if there is no
        such checkpoint."""
        if self.name not in list_pretrained():
            return None
        network, _ = open_checkpoint(self.name)
        with torch.no_grad():
            adapted = network.adapt(self.validation.support, step_rule="auto")
            estimates = adapted.predict(self.validation.query_row, self.validation.query_col)
            error = (estimates - self.validation.query_x).square().mean()
        return checkpoint_title(self.name), float(error)


def film_night_episode(number: int) -> Episode:
    """A film night as a training draws it, divided into what is given and the rest, in stars."""
    night = _night_of(number)
    return _divided(night.ratings(number), night.given())


def _divided(ratings: Ratings, given: np.ndarray) -> Episode:
    """A matrix of which every cell is rated, divided by the mask (N, M) of what is given."""
    return Episode(ratings.select(given.ravel()), ratings.select(~given.ravel()))


def _night_of(number: int) -> FilmNight:
    return draw_night(np.random.default_rng([LIVE_SPLIT, EPISODE, number]))


def _most_rated(ids: np.ndarray, size: int) -> np.ndarray:
    """The ``SHOWN_LINES`` rows, or columns, that most of ``ids`` name, ascending."""
    return np.sort(np.argsort(-np.bincount(ids, minlength=size), kind="stable")[:SHOWN_LINES])


@dataclass(frozen=True)
class LiveProgress:
    """Progress of a training; errors are mean squared errors in standardised units squared."""

    update: int  # number of updates of the parameters so far
    # over the query entries of the episodes since the last report; nan before the first update
    loss: float
    error: float  # over the query entries of the held-out matrices


class LiveTraining:
    """Meta-training of the paper's model, a few updates at a time.

    ``learning_rate`` is the first learning rate, ``seed`` that of the initial weights and of the
    episodes.
    """

    def __init__(self, data: LiveData, learning_rate: float = LEARNING_RATE, seed: int = 0):
        self.data = data
        self.seed = seed
        self.rates = {
            0: learning_rate
        }  # learning rates, by the number of updates from which each holds
        self.diverged = False
        config = replace(
            data.preset.training,
            learning_rate=learning_rate,
            epochs=MOST_UPDATES // EPOCH,
            updates_per_epoch=EPOCH,
            schedule="constant",
            averaging=0.0,
            seed=seed,
        )
        method = METHODS["ours"].build(data.preset.model, seed)
        self.training = MetaTraining(method, data.sampler, data.validation, config)

    @property
    def update(self) -> int:
        return len(self.training.history) * EPOCH

    def change_learning_rate(self, value: float) -> None:
        """Uses another learning rate from the next update on."""
        if value != self.training.learning_rate:
            self.training.learning_rate = value
            self.rates[self.update] = value

    def run(self) -> Iterator[LiveProgress | None]:
        """Trains until MOST_UPDATES, or until it diverges; yields every EPOCH updates, a report or
        None.

        The first report is on the random weights.
        """
        with torch.no_grad():
            error = float(query_error(self.training.learner, self.data.validation))
        yield LiveProgress(0, math.nan, error)
        losses = []
        due = EPOCH
        try:
            for progress in self.training.run():
                losses.append(progress.train_error)
                if self.update < due and not self.training.finished:
                    yield None
                    continue
                due = max(self.update + EPOCH, math.ceil(self.update * GROWTH))
                yield LiveProgress(self.update, float(np.mean(losses)), progress.validation_error)
                losses = []
        except FloatingPointError:
            self.diverged = True

    def estimates(self, best: bool = False) -> np.ndarray:
        """Estimates (n, m) of the shown matrix by the present parameters, or the best so far, in
        rating units.

        Steps that are too long for it are shortened, as wherever else a checkpoint is used.
        """
        given = self.data.shown.support
        units = self.data.units
        batch = RatingsBatch.of([given.with_values(units.apply(given.values))])
        with torch.no_grad():
            network = self.training.method if best else self.training.average
            found = cast(MetaMF, network).adapt(batch, step_rule="auto")
        return self.data.scale.clip(units.undo((found.U @ found.V.T).double().numpy()))

    def finish(self, out: str | Path) -> CheckpointInfo:
        """Measures the best parameters on the meta-test matrices, and writes the checkpoint and its
        card."""
        data = self.data
        training = self.training
        network = cast(MetaMF, training.method)
        return save_with_card(
            out,
            network,
            live_card,
            data=data.name,
            standardization=data.units,
            scale=data.scale,
            split_seed=LIVE_SPLIT,
            recipe={
                "preset": "live",
                "training": asdict(training.config),
                "learning_rates": {str(update): rate for update, rate in self.rates.items()},
                "updates": self.update,
                "kept_update": training.kept_epoch * EPOCH,
                "diverged": self.diverged,
                STEPS_TAKEN: steps_taken(network, data.test),
                "command": "Live training in the app",
            },
            errors=summarize(network, Mean(), data.test),
            learned_from=data.learned_from,
        )


def live_card(info: CheckpointInfo, model: MetaMF) -> str:
    """The card of a checkpoint that a visitor of the app trained."""
    archive = datasets.ARCHIVES.get(info.data)
    if archive is None:
        learned_on = "film nights, made-up matrices of which each is drawn afresh,"
        licence = "Nobody's: people, films and ratings are made up."
    else:
        part = "the meta-training part (70 % of the rows, 70 % of the columns)"
        learned_on = f"{part} of split {info.split_seed} of {archive.title},"
        licence = f"{archive.licence} {archive.page}"
    rates = (
        f"{rate:g} from update {int(update):,} on"
        for update, rate in info.recipe["learning_rates"].items()
    )
    return card_of(
        "live_card.md",
        info,
        model,
        learned_on=learned_on,
        rates=", ".join(rates),
        diverged=" After that update training diverged." if info.recipe["diverged"] else "",
        licence=licence,
    )
