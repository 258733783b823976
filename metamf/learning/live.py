"""The data of a meta-training that is watched, and the held-out matrix that it is watched on.

A data set, or ratings that are made up where none is there; split as the bundled checkpoints' data are.

FIXME Meta-training to watch: from random weights, with the error on held-out matrices after every few updates.

Algorithm 2 as ``metamf.learning.training`` carries it out, on the model of the bundled checkpoints, which learn from
100 updates in what is a second here. It reports more often at first, when most is learned: the reports are evenly
spaced on a logarithmic axis. The learning rate can be changed at any time, so it is constant in between.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch

from metamf import datasets
from metamf.baselines import METHODS
from metamf.baselines.biases import Mean
from metamf.checkpoints.bundled import checkpoint_title, list_pretrained, open_checkpoint
from metamf.checkpoints.info import CheckpointInfo
from metamf.checkpoints.models import model_of
from metamf.datasets.synthetic import SyntheticMatrix, synthetic
from metamf.learning.data import PreparedData, prepare_ratings
from metamf.learning.episodes import BlockSampler, Episode, divide_entries, split_ids
from metamf.learning.evaluation import summarize
from metamf.learning.objectives import query_error
from metamf.learning.recipes import PRESETS, domain_of_blocks, live_card, made_now, save_with_card
from metamf.learning.training import MetaTraining, TrainingConfig
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardization

MADE_UP = "made-up"  # the data where no data set is there
LIVE_SPLIT = 0  # that of the bundled checkpoints: what is held out here was held out there
HELD_OUT_BLOCKS = 100  # held out to measure the error on, and as many for the final one
SHOWN_LINES = 12  # rows and columns of the matrix that is shown, so that names can be read


@dataclass(frozen=True, eq=False)
class LiveData:
    """The data that a training learns from, and the data that it is measured on.

    Attributes
    ----------
    name : str
        A data set of ``metamf.datasets``, or MADE_UP.
    prepared : PreparedData
        The ratings, split and standardised; the three parts share no row and no column.
    shown : Episode
        A matrix of the meta-test part, in rating units: its ``SHOWN_LINES`` rows and columns with most ratings. Half of
        them are given; all of them where the others, which are the query then, are known.
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
        if name == MADE_UP:
            matrix = made_up_matrix()
            return cls.of(name, matrix.ratings, matrix.truth)
        return cls.of(name, datasets.load(name, folder))

    @classmethod
    def of(cls, name: str, ratings: Ratings, truth: np.ndarray | None = None) -> LiveData:
        """The ratings of all people, in rating units, split; ``truth``: (N, M) what every cell would be, if known."""
        row_ids, col_ids = (ids[2] for ids in split_ids(ratings, LIVE_SPLIT))  # of the meta-test part
        test = ratings.submatrix(row_ids, col_ids)
        cols = _most_rated(test.cols, test.n_cols)
        rows = _most_rated(test.rows[np.isin(test.cols, cols)], test.n_rows)
        chosen = test.submatrix(rows, cols)
        if truth is None:
            shown = divide_entries(chosen, 0.5, np.random.default_rng(LIVE_SPLIT))
        else:
            shown = Episode(chosen, _unobserved(chosen, truth[np.ix_(row_ids[rows], col_ids[cols])]))
        return cls(name, prepare_ratings(ratings, LIVE_SPLIT, HELD_OUT_BLOCKS), shown)

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


def made_up_matrix() -> SyntheticMatrix:
    """Three in ten of the ratings of 900 people for 600 films; neither exist.

    The settings were chosen by hand: people and films differ, and so do tastes, while there is little noise, so that
    much can be learned that a mean does not know.
    """
    rng = np.random.default_rng(7)
    effects = {"row_effect": 0.15, "column_effect": 0.2, "taste": 0.15, "noise": 0.05}
    return synthetic(rng, 900, 600, rank=2, density=0.3, **effects)


def _most_rated(ids: np.ndarray, size: int) -> np.ndarray:
    """The ``SHOWN_LINES`` rows, or columns, that most of ``ids`` name, ascending."""
    return np.sort(np.argsort(-np.bincount(ids, minlength=size), kind="stable")[:SHOWN_LINES])


def _unobserved(ratings: Ratings, truth: np.ndarray) -> Ratings:
    """All cells of ``truth`` (n, m) that ``ratings`` does not hold."""
    free = np.ones(truth.shape, bool)
    free[ratings.rows, ratings.cols] = False
    rows, cols = np.nonzero(free)
    return Ratings(rows, cols, truth[rows, cols], truth.shape, ratings.row_labels, ratings.col_labels, ratings.scale)


EPOCH = 5  # updates between two moments at which training can be paused
GROWTH = 1.03  # ratio of the numbers of updates of two reports in a row, once they differ by EPOCH
MOST_UPDATES = 20_000  # ten times as many as those of the bundled checkpoints
# Those of the bundled checkpoints.
LEARNING_RATE, BATCH_SIZE = PRESETS["tuned"].training.learning_rate, PRESETS["tuned"].training.batch_size


@dataclass(frozen=True)
class Report:
    """Progress of a training.

    Attributes
    ----------
    update : int
        Number of updates of the parameters so far.
    loss : float
        Mean squared error over the query entries of the episodes since the last report, standardised units squared;
        nan before the first update.
    error : float
        The same over the query entries of the held-out matrices.
    best_update : int
        Update after which the held-out error was lowest: those parameters are kept.
    """

    update: int
    loss: float
    error: float
    best_update: int


class LiveTraining:
    """Meta-training of the paper's model on one data set, a few updates at a time.

    Parameters
    ----------
    data : LiveData
        The data that it learns from.
    learning_rate : float
        The first learning rate.
    seed : int
        Seed of the initial weights and of the episodes.
    batch_size : int
        Number of matrices that an update learns from.
    """

    def __init__(
        self, data: LiveData, learning_rate: float = LEARNING_RATE, seed: int = 0, batch_size: int = BATCH_SIZE
    ):
        self.data, self.seed = data, seed
        self.rates = {0: learning_rate}  # learning rates, by the number of updates from which each holds
        self.diverged = False
        config = TrainingConfig(learning_rate, MOST_UPDATES // EPOCH, EPOCH, batch_size, seed=seed)
        method = METHODS["ours"].build(PRESETS["tuned"].model, seed)
        self.training = MetaTraining(method, BlockSampler([data.prepared.train]), data.prepared.validation, config)

    @property
    def update(self) -> int:
        """Number of updates so far."""
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

    def estimates(self, best: bool = False) -> np.ndarray:
        """Estimates (n, m) of the shown matrix by the present parameters, or the best so far, in rating units.

        Steps that are too long for it are shortened, as wherever else a checkpoint is used.
        """
        given, units = self.data.shown.support, self.data.units
        with torch.no_grad():
            network = self.training.method if best else self.training.average
            found = model_of(network, self._info("now")).adapt(
                RatingsBatch.of([given.with_values(units.apply(given.values))])
            )
        return self.data.prepared.scale.clip(units.undo((found.U @ found.V.T).double().numpy()))

    def finish(self, out: str | Path) -> CheckpointInfo:
        """Measures the best parameters on the meta-test matrices and writes checkpoint and card beside each other.

        Parameters
        ----------
        out : str or Path
            Path of the checkpoint; the card has the same name and the suffix ``.md``.
        """
        out, model = Path(out), self.training.method
        info = replace(self._info(out.stem), errors=summarize(model, Mean(), self.data.prepared.test))
        save_with_card(out, model, info, live_card(info, model))
        return info

    def _info(self, name: str) -> CheckpointInfo:
        """The description of a checkpoint of the best parameters so far, but for its errors."""
        prepared, training = self.data.prepared, self.training
        return CheckpointInfo(
            name=name,
            data=self.data.name,
            standardization=prepared.standardization,
            scale=prepared.scale,
            split_seed=LIVE_SPLIT,
            recipe={
                "preset": "live",
                "training": asdict(training.config),
                "learning_rates": {str(update): rate for update, rate in self.rates.items()},
                "updates": self.update,
                "kept_update": training.kept_epoch * EPOCH,
                "diverged": self.diverged,
                "command": "the page Train of the app",
            },
            **made_now(),
            learned_from=domain_of_blocks(training.sampler, prepared.scale),
        )
