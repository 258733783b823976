"""Meta-training to watch: from random weights, with the error on held-out matrices after every few updates.

Algorithm 2 as ``metamf.learning.training`` carries it out, on the model of the bundled checkpoints, which learn from
100 updates in what is a second here. It reports more often at first, when most is learned: the reports are evenly
spaced on a logarithmic axis. The learning rate can be changed at any time, so it is constant in between.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np
import torch

from metamf import datasets
from metamf.baselines import METHODS
from metamf.baselines.mean import Mean
from metamf.checkpoints.bundled import checkpoint_title, list_pretrained, open_checkpoint
from metamf.checkpoints.checkpoint import save_checkpoint
from metamf.checkpoints.info import CheckpointInfo
from metamf.checkpoints.models import PaperModel
from metamf.datasets.synthetic import synthetic
from metamf.episodes import BlockSampler, Episode, divide_entries, split_rows_and_columns
from metamf.files import write_atomically
from metamf.learning.evaluation import summarize
from metamf.learning.objectives import query_error
from metamf.learning.training import MetaTraining, TrainingConfig
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardization
from metamf.recipes.cards import live_card
from metamf.recipes.preparation import PreparedData, prepare_ratings
from metamf.recipes.presets import PRESETS
from metamf.recipes.training_domain import domain_of_blocks

MADE_UP = "made-up"  # the data where no data set is there
SPLIT = 0  # that of the bundled checkpoints: what is held out here was held out there
BLOCKS = 100  # held out to measure the error on, and as many for the final one; chosen by hand
EPOCH = 5  # updates between two moments at which training can be paused; chosen by hand
GROWTH = 1.03  # of the number of updates from one report to the next, once that is more than EPOCH; chosen by hand
MOST_UPDATES = 20_000  # ten times as many as those of the bundled checkpoints; chosen by hand
LEARNING_RATE = PRESETS["tuned"].training.learning_rate  # that of the bundled checkpoints
SHOWN = 14  # rows and columns of the matrix that is shown, so that names can be read; chosen by hand


@dataclass(frozen=True)
class Report:
    """How far training has come.

    Attributes
    ----------
    update : int
        How many updates of the parameters there were.
    loss : float
        Mean squared error over the query entries of the episodes since the last report, standardised units squared;
        nan before the first update.
    error : float
        The same over the query entries of the held-out matrices.
    best_update : int
        After which update the held-out error was lowest: those parameters are kept.
    """

    update: int
    loss: float
    error: float
    best_update: int


@dataclass(frozen=True, eq=False)
class LiveData:
    """What a training learns from, and what it is measured on.

    Attributes
    ----------
    name : str
        A data set of ``metamf.datasets``, or MADE_UP.
    prepared : PreparedData
        Split and standardised; the three parts share no row and no column.
    shown : Episode
        A matrix of the meta-test part, in rating units: its SHOWN rows and columns with most ratings.
    """

    name: str
    prepared: PreparedData
    shown: Episode

    @classmethod
    def load(cls, name: str, folder: str | Path | None = None) -> LiveData:
        """Loads a data set, or draws the ratings of people who do not exist.

        Raises
        ------
        ValueError, FileNotFoundError
            As ``metamf.datasets.load``.
        """
        return cls.of(name, made_up() if name == MADE_UP else datasets.load(name, folder))

    @classmethod
    def of(cls, name: str, ratings: Ratings) -> LiveData:
        """The rating matrix of all the people there are, in rating units, split."""
        prepared = prepare_ratings(ratings, SPLIT, BLOCKS)
        test, rng = split_rows_and_columns(ratings, SPLIT).test, np.random.default_rng(SPLIT)
        columns = np.sort(_most_rated(test.cols, test.n_cols))
        rows = np.sort(_most_rated(test.rows[np.isin(test.cols, columns)], test.n_rows))
        episode = divide_entries(test.submatrix(rows, columns), 0.5, rng)
        return cls(name, prepared, episode)

    @property
    def units(self) -> Standardization:
        """Mean and standard deviation of the meta-training ratings, in rating units."""
        return self.prepared.standardization

    def support_mean_error(self) -> float:
        """The mean squared error of the support mean on the held-out matrices, standardised units squared."""
        return float(query_error(Mean(), self.prepared.validation))

    def bundled_error(self) -> tuple[str, float] | None:
        """Title and error, as above, of the bundled checkpoint of this data; of MovieLens 1M, which never saw anything
        like them, for made-up ratings. None where there is no such checkpoint."""
        name = "ml-1m" if self.name == MADE_UP else self.name
        if name not in list_pretrained():
            return None
        model, info = open_checkpoint(name)
        validation = self.prepared.validation
        with torch.no_grad():
            estimates = model.adapt(validation.support, step_rule="paper").predict(
                validation.query_row, validation.query_col
            )
        return checkpoint_title(name), float((estimates - validation.query_x).square().mean())


class LiveTraining:
    """Meta-training of the paper's model on one data set, a few updates at a time.

    Parameters
    ----------
    data : LiveData
        What it learns from.
    learning_rate : float
        The first one.
    seed : int
        Seed of the initial weights and of the episodes.
    """

    def __init__(self, data: LiveData, learning_rate: float = LEARNING_RATE, seed: int = 0):
        self.data, self.seed = data, seed
        self.rates = {0: learning_rate}  # by the number of updates from which each holds
        self.diverged = False
        config = TrainingConfig(learning_rate, MOST_UPDATES // EPOCH, EPOCH, seed=seed)
        method = METHODS["ours"].build(PRESETS["tuned"].model, seed)
        self.training = MetaTraining(method, BlockSampler([data.prepared.train]), data.prepared.validation, config)

    @property
    def update(self) -> int:
        """How many updates there were."""
        return len(self.training.history) * EPOCH

    def change_learning_rate(self, value: float) -> None:
        """Uses another learning rate from the next update on."""
        if value != self.training.learning_rate:
            self.training.learning_rate = value
            self.rates[self.update] = value

    def run(self) -> Iterator[Report | None]:
        """Trains until MOST_UPDATES, or until it diverges; yields every EPOCH updates, a report or None.

        The first report is on the random weights.
        """
        validation = self.data.prepared.validation
        with torch.no_grad():
            error = float(query_error(self.training.learner, validation))
        yield Report(0, math.nan, error, 0)
        losses, due = [], EPOCH
        try:
            for progress in self.training.run():
                losses.append(progress.train_error)
                if self.update < due and not self.training.finished:
                    yield None
                    continue
                due = max(self.update + EPOCH, math.ceil(self.update * GROWTH))
                loss, best = float(np.mean(losses)), progress.best_epoch * EPOCH
                yield Report(self.update, loss, progress.validation_error, best)
                losses = []
        except FloatingPointError:
            self.diverged = True

    def filled(self, best: bool = False) -> np.ndarray:
        """(n, m) what the present parameters, or the best so far, make of the shown matrix, in rating units.

        Steps that are too long for it are shortened, as wherever else a checkpoint is used.
        """
        given, units = self.data.shown.support, self.data.units
        with torch.no_grad():
            network = self.training.method if best else self.training.average
            found = PaperModel(network, self._info("now")).adapt(
                RatingsBatch.of([given.with_values(units.apply(given.values))])
            )
        return self.data.prepared.scale.clip(units.undo((found.U @ found.V.T).double().numpy()))

    def finish(self, out: str | Path) -> CheckpointInfo:
        """Measures the best parameters on the meta-test matrices and writes checkpoint and card beside each other.

        Parameters
        ----------
        out : str or Path
            Where to write the checkpoint; the card has the same name and the suffix ``.md``.
        """
        out, model = Path(out), self.training.method
        info = replace(self._info(out.stem), errors=summarize(model, Mean(), self.data.prepared.test))
        save_checkpoint(out, model, info)
        write_atomically(out.with_suffix(".md"), live_card(info, model).encode())
        return info

    def _info(self, name: str) -> CheckpointInfo:
        """What a checkpoint of the best parameters so far says of itself, but for its errors."""
        prepared, training = self.data.prepared, self.training
        return CheckpointInfo(
            name=name,
            data=self.data.name,
            standardization=prepared.standardization,
            scale=prepared.scale,
            split_seed=SPLIT,
            recipe={
                "preset": "live",
                "training": asdict(training.config),
                "learning_rates": {str(update): rate for update, rate in self.rates.items()},
                "updates": self.update,
                "kept_update": training.kept_epoch * EPOCH,
                "diverged": self.diverged,
                "command": "the page Train of the app",
            },
            versions={"python": platform.python_version(), "torch": torch.__version__, "numpy": np.__version__},
            created=date.today().isoformat(),
            learned_from=domain_of_blocks(training.sampler, prepared.scale),
        )


def made_up() -> Ratings:
    """Three in ten of the ratings of 900 people for 600 films; neither exist.

    The settings were chosen by hand: people and films differ, and so do tastes, while there is little noise, so that
    much can be learned that a mean does not know.
    """
    rng = np.random.default_rng(7)
    effects = {"row_effect": 0.15, "column_effect": 0.2, "taste": 0.15, "noise": 0.05}
    return synthetic(rng, 900, 600, rank=2, density=0.3, **effects).ratings


def _most_rated(ids: np.ndarray, size: int) -> np.ndarray:
    """The SHOWN rows, or columns, that most of ``ids`` name."""
    return np.argsort(-np.bincount(ids, minlength=size), kind="stable")[:SHOWN]
