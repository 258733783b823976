"""How a bundled checkpoint is made: data, split, preset, training, errors and card, from seeds alone."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np
import torch

from metamf import datasets
from metamf.baselines.mean import Mean
from metamf.checkpoints.checkpoint import CheckpointInfo, read_safetensors, save_checkpoint, write_safetensors
from metamf.episodes import BlockSampler, Episode, EpisodeBatch, held_out_blocks, split_rows_and_columns
from metamf.learning.evaluation import summarize
from metamf.learning.training import MetaTraining, Progress, TrainingConfig
from metamf.learning.workers import Workers
from metamf.model.meta_mf import MetaMF, MetaMFConfig
from metamf.ratings.matrix import Ratings, RatingScale, Standardization
from metamf.tables.writing.text import write_atomically

VALIDATION, TEST = 1, 2  # the block seeds of a split's meta-validation and meta-test blocks


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


@dataclass(frozen=True, eq=False)
class PreparedData:
    """One data set, split and standardised by its meta-training part."""

    train: Ratings  # in standardised units, like the blocks
    validation: EpisodeBatch
    test: EpisodeBatch
    standardization: Standardization
    scale: RatingScale


def prepare(name: str, split: int, blocks: int = 200, folder: str | Path | None = None, device="cpu",
            size: tuple[int, int] = (30, 30)) -> PreparedData:  # fmt: skip
    """Loads a data set and draws its split and its held-out blocks, all determined by (name, split) and ``size``."""
    return prepare_ratings(datasets.load(name, folder), split, blocks, device, size)


def prepare_ratings(ratings: Ratings, split: int, blocks: int = 200, device="cpu",
                    size: tuple[int, int] = (30, 30)) -> PreparedData:  # fmt: skip
    """The same for any rating matrix, in rating units."""
    parts = split_rows_and_columns(ratings, split)
    units = Standardization.of(parts.train.values)
    train, validation, test = (
        part.with_values(units.apply(part.values).astype(np.float32))
        for part in (parts.train, parts.validation, parts.test)
    )

    def held_out(part: Ratings, block_seed: int) -> EpisodeBatch:
        episodes: list[Episode] = held_out_blocks(part, blocks, [split, block_seed], size)
        return EpisodeBatch.of(episodes, device=device)

    scale = ratings.scale or RatingScale(float(ratings.values.min()), float(ratings.values.max()))
    return PreparedData(train, held_out(validation, VALIDATION), held_out(test, TEST), units, scale)


def resumable(training: MetaTraining, state: str | Path | None) -> Iterator[Progress]:
    """Runs ``training`` to its end; with ``state``, a file, from where that stands, writing it after every epoch.

    Of processes that work together, all have to see the file, and the first one writes it."""
    if state is not None and Path(state).is_file():
        training.load_state_dict(*read_safetensors(state))
    training.workers.wait()
    for progress in training.run():
        if state is not None and training.workers.first:
            write_safetensors(state, *training.state_dict())
        yield progress


class Run:
    """One training run, from seeds to a checkpoint with its card.

    Parameters
    ----------
    data : name of a data set, and ``prepared``: that data set, split and standardised
    preset : a name of ``PRESETS``;  split : seed of the split;  seed : of initialisation, episodes and dropout
    epochs : instead of the preset's;  workers : the processes that share the work
    """

    def __init__(self, data: str, prepared: PreparedData, preset: str = "tuned", split: int = 0, seed: int = 0,
                 epochs: int | None = None, workers: Workers = Workers()):  # fmt: skip
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


def card(info: CheckpointInfo, model: MetaMF) -> str:
    """The checkpoint's card, in Markdown."""
    archive, errors = datasets.ARCHIVES[info.data], info.errors
    parameters = sum(parameter.numel() for parameter in model.parameters())
    return f"""# {info.name}

Meta-trained on the meta-training part (70 % of the users, 70 % of the items) of split {info.split_seed} of
{archive.title}: preset `{info.recipe["preset"]}`, {info.recipe["kept_epoch"]} of {info.recipe["training"]["epochs"]}
epochs of {info.recipe["training"]["updates_per_epoch"]} updates, each on {info.recipe["training"]["batch_size"]}
blocks of 30 x 30. Written on {info.created} by

    {info.recipe["command"]}

with Python {info.versions["python"]}, torch {info.versions["torch"]}, numpy {info.versions["numpy"]}.

| mean squared error on {errors["blocks"]} held-out blocks of the same split | standardised units |
|---|---|
| this checkpoint, query entries | {errors["query_mse"]:.4f} |
| support mean, query entries | {errors["mean_query_mse"]:.4f} |
| ratio | **{errors["ratio"]:.4f}** |
| this checkpoint, support entries | {errors["support_mse"]:.4f} |

Ratings were standardised by the mean {info.standardization.mean:.4f} and the standard deviation
{info.standardization.std:.4f} of the meta-training part, on the scale {info.scale.minimum:g} to {info.scale.maximum:g}.
The users and items of the held-out blocks have nothing in common with those that it was trained on.

**What is inside.** {parameters:,} network parameters and the header; no user, no item, no rating. Each parameter was
moved by averages over blocks of hundreds of ratings, and none is indexed by user or item, so that no rating can be
read back from the file.

**Licence of the data.** {archive.licence} The archive is not part of this repository: {archive.page}
"""
