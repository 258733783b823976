"""The recipe of a checkpoint of the paper's model: data, split, preset, training, errors, card, from seeds alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from metamf.baselines import METHODS
from metamf.baselines.mean import Mean
from metamf.checkpoints.info import CheckpointInfo
from metamf.learning.evaluation import summarize
from metamf.learning.training import Progress
from metamf.learning.workers import Workers
from metamf.recipes.cards import paper_card
from metamf.recipes.preparation import PreparedData
from metamf.recipes.presets import PRESETS, meta_training
from metamf.recipes.running import resumable
from metamf.recipes.saving import made_now, save_with_card
from metamf.recipes.training_domain import domain_of_blocks


class PaperRun:
    """One training run of the paper's model, from seeds to a checkpoint with its card.

    Parameters
    ----------
    data : str
        Name of a data set.
    prepared : PreparedData
        The data set, split and standardised.
    preset : str
        A name of ``metamf.recipes.presets.PRESETS``.
    split : int
        Seed of the split.
    seed : int
        Seed of the initial parameters, of the episodes and of dropout.
    epochs : int, optional
        The number of epochs; that of the preset by default.
    workers : Workers
        The processes that share the work.

    Raises
    ------
    ValueError
        If there is no such preset.
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
            raise ValueError(f"there is no preset {preset!r}; choose from {', '.join(PRESETS)}")
        self.data, self.prepared, self.preset, self.split, self.seed = data, prepared, preset, split, seed
        self.training = meta_training(
            METHODS["ours"],
            PRESETS[preset],
            [prepared.train],
            prepared.validation,
            seed=seed,
            epochs=epochs,
            workers=workers,
        )
        self.model = self.training.method

    def train(self, state: str | Path | None = None) -> Iterator[Progress]:
        """Trains to the end; with ``state``, a file, goes on from where it stands and writes it after every epoch."""
        return resumable(self.training, state)

    def finish(self, out: str | Path, command: str) -> CheckpointInfo:
        """Measures the model on the held-out test blocks and writes checkpoint and card beside each other.

        Parameters
        ----------
        out : str or Path
            Path of the checkpoint; the card has the same name and the suffix ``.md``.
        command : str
            The command that makes the checkpoint, for header and card.
        """
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
            **made_now(),
            learned_from=domain_of_blocks(self.training.sampler, self.prepared.scale),
        )
        save_with_card(out, self.model, info, paper_card(info, self.model))
        return info
