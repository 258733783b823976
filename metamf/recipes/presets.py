"""The presets: settings of models and of training that go together, and the meta-training that they
make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from metamf.baselines.method import MethodSpec
from metamf.checkpoints.files import read_safetensors, write_safetensors
from metamf.learning.episodes import BlockSampler, EpisodeBatch
from metamf.learning.training import MetaTraining, Progress, TrainingConfig
from metamf.network.meta_mf import MetaMFConfig
from metamf.ratings.matrix import Ratings


@dataclass(frozen=True)
class Preset:
    """Settings of the paper's model and of training, of any method, that go together."""

    model: MetaMFConfig
    training: TrainingConfig

    def config_of(self, spec: MethodSpec) -> Any:
        """The configuration of a meta-learned method: ``model`` for the paper's, for others their
        default with the dropout of ``model``, so that no method is trained with less care than
        another."""
        if isinstance(spec.default, MetaMFConfig):
            return self.model
        return replace(spec.default, dropout=self.model.dropout)


# docs/results.md compares the presets "paper" and "tuned" on the paper's data.
TUNED_MODEL = MetaMFConfig(learn_step_size=True, dropout=0.0)
TUNED_TRAINING = TrainingConfig(
    learning_rate=1e-3, epochs=20, updates_per_epoch=100, schedule="cosine", averaging=0.99
)
PRESETS = {
    "paper": Preset(
        MetaMFConfig(),
        # Section 4.2 says neither how many updates an epoch has nor how long early stopping waits:
        # chosen by hand
        TrainingConfig(learning_rate=1e-4, epochs=1000, updates_per_epoch=16, patience=200),
    ),
    "tuned": Preset(TUNED_MODEL, TUNED_TRAINING),
    "last": Preset(TUNED_MODEL, replace(TUNED_TRAINING, keep="last")),
    "nmf": Preset(MetaMFConfig(rank=8, dropout=0.0, steps_rule="nmf"), TUNED_TRAINING),
}


def preset_called(name: str) -> Preset:
    """The preset of that name; ValueError if there is none."""
    if name not in PRESETS:
        raise ValueError(f"there is no preset {name!r}; choose from {', '.join(PRESETS)}")
    return PRESETS[name]


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
) -> MetaTraining:
    """Prepares the meta-training of a meta-learned method by a preset, on blocks of ``matrices`` in
    standardised units.

    ``config`` and ``epochs``, if given, replace the preset's; ``size`` are the largest numbers of
    rows and columns of a block (Section 4.2), and ``seed`` is that of the initial parameters, of
    the episodes and of dropout.
    """
    config = fitting(preset.config_of(spec) if config is None else config, matrices)
    method = spec.build(config, seed)
    training = replace(preset.training, seed=seed, epochs=epochs or preset.training.epochs)
    return MetaTraining(method, BlockSampler(matrices, size), validation, training)


def fitting(config: Any, matrices: Sequence[Ratings]) -> Any:
    """The configuration that fits the meta-training matrices, in standardised units: the paper's
    model reads the features that they have, and its positive factors are added to their lowest
    value."""
    if not isinstance(config, MetaMFConfig):
        return config
    for side in ("row_features", "col_features"):
        known = [getattr(matrix, side) for matrix in matrices]
        sizes = [features.shape[1] for features in known if features is not None]
        size: dict[str, Any] = {side: max(sizes, default=0)}
        config = replace(config, **size)
    if config.steps_rule != "nmf":
        return config
    return replace(config, lowest=min(float(matrix.values.min()) for matrix in matrices))


def resumable(training: MetaTraining, state: str | Path | None = None) -> Iterator[Progress]:
    """Runs a meta-training to its end and yields after every epoch.

    If the file ``state`` exists, training continues from the state in it; it is written after every
    epoch.
    """
    if state is not None and Path(state).is_file():
        training.load_state_dict(*read_safetensors(state))
    for progress in training.run():
        if state is not None:
            write_safetensors(state, *training.state_dict())
        yield progress
