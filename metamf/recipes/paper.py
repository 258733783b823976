"""How the checkpoints of the paper's model were made: a training run from seeds to a checkpoint
with its card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from metamf import datasets
from metamf.baselines import METHODS
from metamf.baselines.biases import Mean
from metamf.checkpoints.info import CheckpointInfo, TrainingDomain
from metamf.learning.episodes import SUPPORT_SHARE, BlockSampler
from metamf.learning.evaluation import summarize
from metamf.network.meta_mf import MetaMF
from metamf.ratings.scale import RatingScale
from metamf.recipes.cards import card_of, density_range, save_with_card, training_of
from metamf.recipes.data import PreparedData
from metamf.recipes.presets import meta_training, preset_called


class PaperRun:
    """One training run of the paper's model on a data set, from seeds to a checkpoint with its
    card.

    ``split`` is the seed of the split, ``seed`` that of the initial parameters, of the episodes and
    of dropout, and ``features`` names those of the prepared data. Raises ValueError if ``preset``
    is no name of ``PRESETS``.
    """

    def __init__(
        self,
        data: str,
        prepared: PreparedData,
        preset: str = "tuned",
        split: int = 0,
        seed: int = 0,
        epochs: int | None = None,
        features: Sequence[str] = (),
    ):
        self.data = data
        self.prepared = prepared
        self.preset = preset
        self.split = split
        self.features = list(features)
        self.training = meta_training(
            METHODS["ours"],
            preset_called(preset),
            [prepared.train],
            prepared.validation,
            seed=seed,
            epochs=epochs,
        )
        self.model = cast(MetaMF, self.training.method)

    def finish(self, out: str | Path, command: str) -> CheckpointInfo:
        """Measures the model on the held-out test blocks, and writes the checkpoint and, next to
        it, its card.

        ``command`` is the command that makes the checkpoint, for header and card.
        """
        prepared = self.prepared
        return save_with_card(
            out,
            self.model,
            paper_card,
            data=self.data,
            standardization=prepared.standardization,
            scale=prepared.scale,
            split_seed=self.split,
            recipe={
                "preset": self.preset,
                **training_of(self.training),
                "features": self.features,
                "command": command,
            },
            errors=summarize(self.model, Mean(), prepared.test),
            learned_from=domain_of_blocks(BlockSampler([prepared.train]), prepared.scale),
        )


def domain_of_blocks(sampler: BlockSampler, scale: RatingScale) -> TrainingDomain:
    """Blocks of one size, of which a share of the observed ratings is given: the paper's
    training."""
    shapes = zip(*(ratings.shape for ratings in sampler.matrices))
    rows, cols = ([min(size, own) for own in sizes] for size, sizes in zip(sampler.size, shapes))
    given = [SUPPORT_SHARE * ratings.density for ratings in sampler.matrices]
    return TrainingDomain(
        (min(rows), max(rows)), (min(cols), max(cols)), density_range(given), (scale,)
    )


def paper_card(info: CheckpointInfo, model: MetaMF) -> str:
    """The card of a checkpoint of the paper's model, which learned from one data set.

    A header that does not say which epoch was kept is from before a recipe could keep the last one:
    the best was kept.
    """
    info = replace(info, recipe={"kept_epoch": info.recipe.get("best_epoch")} | info.recipe)
    known = " and the ".join(info.features)
    told = (
        f"\nBesides ratings it reads the {known} of each film; in one block of five this was "
        "withheld."
    )
    archive = datasets.ARCHIVES[info.data]
    told = told if info.features else ""
    return card_of("paper_card.md", info, model, archive=archive, told=told)
