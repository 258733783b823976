"""How a bundled checkpoint is made: data, split, preset, training, errors and card, from seeds alone."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np
import torch

from metamf.baselines.mean import Mean
from metamf.checkpoints.checkpoint import save_checkpoint
from metamf.checkpoints.info import CheckpointInfo
from metamf.episodes import BlockSampler
from metamf.files import write_atomically
from metamf.learning.evaluation import summarize
from metamf.learning.training import MetaTraining, Progress, TrainingConfig
from metamf.learning.workers import Workers
from metamf.model.meta_mf import MetaMF, MetaMFConfig
from metamf.recipes.cards import card
from metamf.recipes.preparation import PreparedData
from metamf.recipes.running import resumable


@dataclass(frozen=True)
class Preset:
    """Settings of model and training that go together."""

    model: MetaMFConfig
    training: TrainingConfig
    validation_blocks: int
    description: str


TUNED = MetaMFConfig(learn_step_size=True, dropout=0.0)
TUNED_TRAINING = TrainingConfig(learning_rate=1e-3, epochs=20, updates_per_epoch=100, schedule="cosine", averaging=0.99)
PRESETS = {
    "paper": Preset(
        MetaMFConfig(),
        TrainingConfig(learning_rate=1e-4, epochs=1000, updates_per_epoch=16, patience=200),
        validation_blocks=200,
        description="the paper's settings: Adam, 1e-4, 1,000 epochs (of 16 updates), early stopping",
    ),
    "tuned": Preset(
        TUNED,
        TUNED_TRAINING,
        validation_blocks=200,
        description="1e-3 with cosine decay, 2,000 updates, a learned step size, averaged parameters, no dropout",
    ),
    "last": Preset(
        TUNED,
        replace(TUNED_TRAINING, keep="last"),
        validation_blocks=200,
        description="as tuned, but the last epoch's parameters, whatever the meta-validation blocks say",
    ),
}


class Run:
    """One training run, from seeds to a checkpoint with its card.

    Parameters
    ----------
    data : name of a data set, and ``prepared``: that data set, split and standardised
    preset : a name of ``PRESETS``;  split : seed of the split;  seed : of initialisation, episodes and dropout
    epochs : instead of the preset's;  workers : the processes that share the work
    """

    def __init__(
        self,
        data: str,
        prepared: PreparedData,
        preset: str = "tuned",
        split: int = 0,
        seed: int = 0,
        epochs: int | None = None,
        workers: Workers = Workers(),
    ):
        if preset not in PRESETS:
            raise ValueError(f"there is no preset {preset!r}; there are {', '.join(PRESETS)}")
        self.data, self.prepared, self.preset, self.split, self.seed = data, prepared, preset, split, seed
        settings = PRESETS[preset]
        config = replace(settings.training, seed=seed, epochs=epochs or settings.training.epochs)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.model = MetaMF(settings.model)
        sampler = BlockSampler([prepared.train])
        self.training = MetaTraining(self.model, sampler, prepared.validation, config, workers=workers)

    def train(self, state: str | Path | None = None) -> Iterator[Progress]:
        """Trains to the end; with ``state``, a file, goes on from where it stands and writes it after every epoch."""
        return resumable(self.training, state)

    def finish(self, out: str | Path, command: str) -> CheckpointInfo:
        """Measures the model on the held-out test blocks and writes checkpoint and card beside each other."""
        out = Path(out)
        info = CheckpointInfo(
            name=out.stem,
            data=self.data,
            standardization=self.prepared.standardization,
            scale=self.prepared.scale,
            split_seed=self.split,
            recipe={
                "preset": self.preset,
                "training": asdict(self.training.config),
                "best_epoch": self.training.history[-1].best_epoch,
                "kept_epoch": self.training.kept_epoch,
                "command": command,
            },
            errors=summarize(self.model, Mean(), self.prepared.test),
            versions={"python": platform.python_version(), "torch": torch.__version__, "numpy": np.__version__},
            created=date.today().isoformat(),
        )
        save_checkpoint(out, self.model, info)
        write_atomically(out.with_suffix(".md"), card(info, self.model).encode())
        return info
