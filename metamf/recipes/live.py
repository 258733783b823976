"""Meta-training to watch: from random weights, with the error on held-out matrices after every few updates.

Algorithm 2 as ``metamf.learning.training`` carries it out, on the model of the bundled checkpoints, which learn from
100 updates in what is a second here. It reports more often at first, when most is learned: the reports are evenly
spaced on a logarithmic axis. The learning rate can be changed at any time, so it is constant in between. The data are a
data set, or made-up ratings where none is there, split as the bundled checkpoints' data are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

from metamf import datasets
from metamf.baselines import METHODS
from metamf.baselines.biases import Mean
from metamf.checkpoints.bundled import checkpoint_title, list_pretrained, open_checkpoint
from metamf.checkpoints.info import CheckpointInfo
from metamf.datasets.synthetic import SyntheticMatrix, synthetic
from metamf.learning.data import PreparedData, prepare_ratings
from metamf.learning.episodes import BlockSampler, Episode, divide_entries, split_ids
from metamf.learning.evaluation import summarize
from metamf.learning.objectives import query_error
from metamf.learning.training import MetaTraining, TrainingConfig
from metamf.network.meta_mf import MetaMF
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.recipes.cards import made_now, save_with_card, size_of, text_of
from metamf.recipes.paper import domain_of_blocks
from metamf.recipes.presets import PRESETS

MADE_UP = "made-up"  # the data where no data set is there
LIVE_SPLIT = 0  # that of the bundled checkpoints: what is held out here was held out there
HELD_OUT_BLOCKS = 100  # held out to measure the error on, and as many for the final one
SHOWN_LINES = 12  # rows and columns of the matrix that is shown, so that names can be read
EPOCH = 5  # updates between two moments at which training can be paused
GROWTH = 1.03  # ratio of the numbers of updates of two reports in a row, once they differ by EPOCH
MOST_UPDATES = 20_000  # ten times as many as those of the bundled checkpoints
# Those of the bundled checkpoints.
LEARNING_RATE, BATCH_SIZE = PRESETS["tuned"].training.learning_rate, PRESETS["tuned"].training.batch_size


@dataclass(frozen=True, eq=False)
class LiveData:
    """The data that a training learns from, and the data that it is measured on.

    ``shown`` is a matrix of the meta-test part, in rating units: its ``SHOWN_LINES`` rows and columns with most
    ratings. Half of the ratings are given; if the truth of all cells is known, all ratings are given, and the other
    cells are the query.
    """

    name: str  # a data set of ``metamf.datasets``, or MADE_UP
    prepared: PreparedData  # the ratings, split and standardised; the three parts share no row and no column
    shown: Episode

    @classmethod
    def load(cls, name: str, folder: str | Path | None = None) -> LiveData:
        """Loads a data set (``metamf.datasets.load``), or draws the ratings of people who do not exist."""
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
            X = truth[np.ix_(row_ids[rows], col_ids[cols])].astype(np.float64)
            X[chosen.rows, chosen.cols] = np.nan
            names = {"row_labels": chosen.row_labels, "col_labels": chosen.col_labels, "scale": chosen.scale}
            shown = Episode(chosen, Ratings.from_dense(X, **names))
        return cls(name, prepare_ratings(ratings, LIVE_SPLIT, HELD_OUT_BLOCKS), shown)

    def support_mean_error(self) -> float:
        """The mean squared error of the support mean on the held-out matrices, standardised units squared."""
        return float(query_error(Mean(), self.prepared.validation))

    def bundled_error(self) -> tuple[str, float] | None:
        """Title and error, as above, of the bundled checkpoint of this data; for made-up ratings of MovieLens 1M, which
        never saw anything like them. None if there is no such checkpoint."""
        name = "ml-1m" if self.name == MADE_UP else self.name
        if name not in list_pretrained():
            return None
        network, info = open_checkpoint(name)
        validation = self.prepared.validation
        with torch.no_grad():
            adapted = network.adapt(validation.support, step_rule="paper")
            estimates = adapted.predict(validation.query_row, validation.query_col)
        return checkpoint_title(name), float((estimates - validation.query_x).square().mean())


def made_up_matrix() -> SyntheticMatrix:
    """Three in ten of the ratings of 900 people for 600 films; neither exist.

    People and films differ, and so do tastes, while there is little noise, so that much can be learned that a mean does
    not know.
    """
    rng = np.random.default_rng(7)
    return synthetic(rng, 900, 600, rank=2, density=0.3, row_effect=0.15, column_effect=0.2, taste=0.15, noise=0.05)


def _most_rated(ids: np.ndarray, size: int) -> np.ndarray:
    """The ``SHOWN_LINES`` rows, or columns, that most of ``ids`` name, ascending."""
    return np.sort(np.argsort(-np.bincount(ids, minlength=size), kind="stable")[:SHOWN_LINES])


@dataclass(frozen=True)
class Report:
    """Progress of a training; errors are mean squared errors in standardised units squared."""

    update: int  # number of updates of the parameters so far
    loss: float  # over the query entries of the episodes since the last report; nan before the first update
    error: float  # over the query entries of the held-out matrices


class LiveTraining:
    """Meta-training of the paper's model on one data set, a few updates at a time.

    ``learning_rate`` is the first learning rate, ``seed`` that of the initial weights and of the episodes.
    """

    def __init__(self, data: LiveData, learning_rate: float = LEARNING_RATE, seed: int = 0):
        self.data, self.seed = data, seed
        self.rates = {0: learning_rate}  # learning rates, by the number of updates from which each holds
        self.diverged = False
        config = TrainingConfig(learning_rate, MOST_UPDATES // EPOCH, EPOCH, BATCH_SIZE, seed=seed)
        method = METHODS["ours"].build(PRESETS["tuned"].model, seed)
        self.sampler = BlockSampler([data.prepared.train])
        self.training = MetaTraining(method, self.sampler, data.prepared.validation, config)

    @property
    def update(self) -> int:
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
        with torch.no_grad():
            error = float(query_error(self.training.learner, self.data.prepared.validation))
        yield Report(0, math.nan, error)
        losses, due = [], EPOCH
        try:
            for progress in self.training.run():
                losses.append(progress.train_error)
                if self.update < due and not self.training.finished:
                    yield None
                    continue
                due = max(self.update + EPOCH, math.ceil(self.update * GROWTH))
                yield Report(self.update, float(np.mean(losses)), progress.validation_error)
                losses = []
        except FloatingPointError:
            self.diverged = True

    def estimates(self, best: bool = False) -> np.ndarray:
        """Estimates (n, m) of the shown matrix by the present parameters, or the best so far, in rating units.

        Steps that are too long for it are shortened, as wherever else a checkpoint is used.
        """
        given, units = self.data.shown.support, self.data.prepared.standardization
        batch = RatingsBatch.of([given.with_values(units.apply(given.values))])
        with torch.no_grad():
            network = self.training.method if best else self.training.average
            found = cast(MetaMF, network).adapt(batch, step_rule="auto")
        return self.data.prepared.scale.clip(units.undo((found.U @ found.V.T).double().numpy()))

    def finish(self, out: str | Path) -> CheckpointInfo:
        """Measures the best parameters on the meta-test matrices, and writes the checkpoint and its card."""
        fields = self._fields() | {"errors": summarize(self.training.method, Mean(), self.data.prepared.test)}
        return save_with_card(Path(out), cast(MetaMF, self.training.method), live_card, **fields)

    def _fields(self) -> dict[str, Any]:
        """The fields of a checkpoint of the best parameters so far, but for its name and errors."""
        prepared, training = self.data.prepared, self.training
        return made_now() | {
            "data": self.data.name,
            "standardization": prepared.standardization,
            "scale": prepared.scale,
            "split_seed": LIVE_SPLIT,
            "recipe": {
                "preset": "live",
                "training": asdict(training.config),
                "learning_rates": {str(update): rate for update, rate in self.rates.items()},
                "updates": self.update,
                "kept_update": training.kept_epoch * EPOCH,
                "diverged": self.diverged,
                "command": "Live training in the app",
            },
            "learned_from": domain_of_blocks(self.sampler, prepared.scale),
        }


def live_card(info: CheckpointInfo, model: MetaMF) -> str:
    """The card of a checkpoint that a visitor of the app trained, on a data set or on made-up ratings."""
    archive = datasets.ARCHIVES.get(info.data)
    rates = (f"{rate:g} from update {int(update):,} on" for update, rate in info.recipe["learning_rates"].items())
    return text_of("live_card.md").format(
        info=info,
        title="made-up ratings" if archive is None else archive.title,
        parameters=size_of(model),
        rates=", ".join(rates),
        diverged=" After that update training diverged." if info.recipe["diverged"] else "",
        licence="Nobody's: the ratings are made up." if archive is None else f"{archive.licence} {archive.page}",
    )
