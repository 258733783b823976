"""Meta-training to watch: from random weights, with the error on held-out matrices after every few updates.

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

from metamf.baselines import METHODS
from metamf.baselines.mean import Mean
from metamf.checkpoints.info import CheckpointInfo
from metamf.checkpoints.models import model_of
from metamf.episodes import BlockSampler
from metamf.learning.evaluation import summarize
from metamf.learning.objectives import query_error
from metamf.learning.training import MetaTraining, TrainingConfig
from metamf.ratings.batch import RatingsBatch
from metamf.recipes.cards import live_card
from metamf.recipes.live_data import LIVE_SPLIT, LiveData
from metamf.recipes.presets import PRESETS
from metamf.recipes.saving import made_now, save_with_card
from metamf.recipes.training_domain import domain_of_blocks

EPOCH = 5  # updates between two moments at which training can be paused
GROWTH = 1.03  # ratio of the numbers of updates of two reports in a row, once they differ by EPOCH
MOST_UPDATES = 20_000  # ten times as many as those of the bundled checkpoints
# Those of the bundled checkpoints; ``benchmarks.accuracy.live`` compares others.
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
