"""Presets: settings of model and training that go together, and meta-training of any method by one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from metamf.baselines.spec import MethodSpec
from metamf.episodes import BlockSampler, EpisodeBatch
from metamf.learning.training import MetaTraining, TrainingConfig
from metamf.learning.workers import Workers
from metamf.model.meta_mf import MetaMFConfig
from metamf.ratings.matrix import Ratings


@dataclass(frozen=True)
class Preset:
    """Settings of model and training that go together.

    Attributes
    ----------
    model : MetaMFConfig
        The configuration of the paper's method.
    training : TrainingConfig
        The settings of meta-training, for every method.
    """

    model: MetaMFConfig
    training: TrainingConfig

    def config_of(self, spec: MethodSpec) -> Any:
        """The configuration of a meta-learned method: ``model`` for the paper's, for others their default with the
        dropout of ``model``, so that no method is trained with less care than another."""
        if isinstance(spec.default, MetaMFConfig):
            return self.model
        return replace(spec.default, dropout=self.model.dropout)


# Chosen by hand; docs/results.md compares the presets "paper" and "tuned" on the paper's data.
TUNED_MODEL = MetaMFConfig(learn_step_size=True, dropout=0.0)
TUNED_TRAINING = TrainingConfig(learning_rate=1e-3, epochs=20, updates_per_epoch=100, schedule="cosine", averaging=0.99)
PRESETS = {
    "paper": Preset(
        MetaMFConfig(),
        # Section 4.2 of the paper, which does not say how many updates an epoch has, nor how long early stopping waits:
        # both are chosen by hand.
        TrainingConfig(learning_rate=1e-4, epochs=1000, updates_per_epoch=16, patience=200),
    ),
    "tuned": Preset(TUNED_MODEL, TUNED_TRAINING),
    "last": Preset(TUNED_MODEL, replace(TUNED_TRAINING, keep="last")),
}


def meta_training(
    spec: MethodSpec,
    preset: Preset,
    matrices: Sequence[Ratings],
    validation: EpisodeBatch,
    *,
    config: Any = None,
    size: tuple[int, int] = (30, 30),
    seed: int = 0,
    epochs: int | None = None,
    workers: Workers = Workers(),
) -> MetaTraining:
    """The meta-training of a method by a preset, not yet begun.

    Parameters
    ----------
    spec : MethodSpec
        The method, a meta-learned one.
    preset : Preset
        The settings of model and training.
    matrices : sequence of Ratings
        The matrices whose blocks are the meta-training episodes, in standardised units.
    validation : EpisodeBatch
        The meta-validation episodes, in standardised units.
    config : optional
        The configuration of the method; that of the preset by default.
    size : (int, int)
        The largest numbers of rows and columns of a block; 30 x 30 in the paper (Section 4.2).
    seed : int
        Seed of the initial parameters, of the episodes and of dropout.
    epochs : int, optional
        The number of epochs; that of the preset by default.
    workers : Workers
        The processes that share the work.
    """
    method = spec.build(preset.config_of(spec) if config is None else config, seed)
    training = replace(preset.training, seed=seed, epochs=epochs or preset.training.epochs)
    return MetaTraining(method, BlockSampler(matrices, size), validation, training, workers=workers)
