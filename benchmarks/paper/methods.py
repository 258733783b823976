"""The rows of a part: its method is meta-trained, or its settings are chosen on validation blocks;
then it is tested.

Meta-trained parameters are kept in a folder outside the repository, so that experiments share them.
"""

from __future__ import annotations

import fcntl
import platform
import time
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import sklearn
import torch
from torch import nn

import metamf
from benchmarks.paper.plan import KEYS, ExperimentPart
from metamf import datasets
from metamf.baselines import METHODS, choose
from metamf.baselines.biases import Mean
from metamf.checkpoints.files import read_safetensors, write_safetensors
from metamf.files import sha256_of
from metamf.learning.episodes import (
    BlockSampler,
    EpisodeBatch,
    held_out_blocks,
    split_rows_and_columns,
)
from metamf.learning.evaluation import block_errors
from metamf.learning.training import MetaTraining
from metamf.recipes.data import VALIDATION, PreparedData, prepare
from metamf.recipes.presets import PRESETS, fitting, meta_training

TEST_BLOCKS = 200
CHOICE_BLOCKS = 50  # the first meta-validation blocks, on which settings are chosen
FITTING_BLOCKS = 1000  # meta-training blocks from which variances are estimated
FEW = 10  # blocks of a split in the paper; the first of the TEST_BLOCKS

#: The first digits of a digest of the library's files as they are imported.
CODE = sha256_of(
    b"".join(path.read_bytes() for path in sorted(Path(metamf.__file__).parent.rglob("*.py")))
)[:8]


@lru_cache(maxsize=8)
def prepared(name: str, split: int, blocks: int, size: int = 30) -> PreparedData:
    return prepare(name, split, blocks, size=(size, size))


@dataclass(frozen=True)
class Training:
    """Conditions of a meta-training, on which the parameters of a method depend."""

    method: str
    data: str  # names of the data sets, joined by '+'
    split: int  # seed of the split into meta-training, meta-validation and meta-test parts
    preset: str
    seed: int = 0  # of the initial parameters, the episodes and dropout
    size: int = 30  # the largest number of rows, and of columns, of a block
    rank: int = 32  # K, of the paper's method

    def prepared(self, name: str) -> PreparedData:
        """One of the data sets."""
        return prepared(name, self.split, TEST_BLOCKS, self.size)

    def config(self):
        """The configuration of the method."""
        config = PRESETS[self.preset].config_of(METHODS[self.method])
        config = replace(config, rank=self.rank) if self.method == "ours" else config
        return fitting(config, [self.prepared(name).train for name in self.data.split("+")])

    def file(self, folder: Path) -> Path:
        return folder / f"{'-'.join(map(str, asdict(self).values()))}.safetensors"


@dataclass(frozen=True, eq=False)
class Ready:
    """A method that is ready for test blocks."""

    method: nn.Module
    seconds: float | None = None  # that meta-training, or the estimation of variances, took
    note: str = ""  # the epoch that was kept, or the settings that were chosen


def meta_trained(training: Training, folder: Path) -> Ready:
    """The meta-trained method, from ``folder`` if it was trained with the same settings before.

    Other processes that want the same method wait until it is trained.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file, config = training.file(folder), training.config()
    settings = replace(PRESETS[training.preset].training, seed=training.seed)
    made_with = asdict(config) | asdict(settings)
    with file.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if file.exists():
            tensors, values = read_safetensors(file)
            if values.get("settings") == made_with:
                method = METHODS[training.method].build(config)
                method.load_state_dict(tensors)
                return Ready(method, values["seconds"], values["note"])
        run, start = meta_training_of(training, config), time.perf_counter()
        for _ in run.run():
            pass
        seconds = time.perf_counter() - start
        note = f"best epoch {run.history[-1].best_epoch} of {len(run.history)}"
        header = {"seconds": seconds, "note": note, "settings": made_with}
        write_safetensors(file, run.method.state_dict(), header)
        return Ready(run.method, seconds, note)


def meta_training_of(training: Training, config) -> MetaTraining:
    parts = {name: training.prepared(name) for name in training.data.split("+")}
    alone = parts.get(training.data)
    validation = alone.validation if alone else joint_validation(parts, training.split)
    return meta_training(
        METHODS[training.method],
        PRESETS[training.preset],
        [part.train for part in parts.values()],
        validation,
        config=config,
        size=(training.size, training.size),
        seed=training.seed,
    )


def joint_validation(parts: dict[str, PreparedData], split: int) -> EpisodeBatch:
    """The meta-validation blocks of several data sets, data set after data set."""
    episodes = []
    for name, part in parts.items():
        validation = split_rows_and_columns(datasets.load(name), split).validation
        values = part.standardization.apply(validation.values).astype(np.float32)
        seed = [split, VALIDATION]
        episodes += held_out_blocks(validation.with_values(values), TEST_BLOCKS, seed)
    return EpisodeBatch.of(episodes)


def fitted(method: str, data: str, split: int) -> Ready:
    """A method that is not meta-trained, with variances estimated on meta-training blocks or
    settings chosen on meta-validation blocks."""
    spec, part = METHODS[method], prepared(data, split, CHOICE_BLOCKS)
    if spec.estimate_config is not None:
        blocks = BlockSampler([part.train]).sample(np.random.default_rng([0, 2]), FITTING_BLOCKS)
        start = time.perf_counter()
        config = spec.estimate_config(blocks)
        seconds = time.perf_counter() - start
        return Ready(spec.build(config), seconds, describe(config, spec.default))
    if not spec.grid:
        return Ready(spec.build())
    config = best_config(method, data, split)
    return Ready(spec.build(config), note=describe(config, spec.default))


@lru_cache(maxsize=64)
def best_config(method: str, data: str, split: int):
    """The configuration of a method's grid that is best on meta-validation blocks."""
    spec = METHODS[method]
    return choose(spec.build, spec.grid, prepared(data, split, CHOICE_BLOCKS).validation).config


def finetuned(training: Training, folder: Path) -> Ready:
    """FT, starting from the meta-trained EML: with preset 'paper' by the default settings,
    otherwise by those chosen on meta-validation blocks."""
    eml, spec = meta_trained(replace(training, method="eml"), folder), METHODS["ft"]

    def ready(config) -> nn.Module:
        method = spec.build(config)
        method.load_state_dict(eml.method.state_dict())
        return method

    config = spec.default
    if training.preset != "paper":
        part = prepared(training.data, training.split, CHOICE_BLOCKS)
        config = choose(ready, spec.grid, part.validation).config
    return Ready(ready(config), eml.seconds, describe(config, None))


def describe(config, default) -> str:
    """The values of a configuration, or those that differ from ``default``."""
    usual = {} if default is None else asdict(default)
    shown = []
    for key, value in asdict(config).items():
        if key not in usual or value != usual[key]:
            shown.append(f"{key}={value:.4g}" if isinstance(value, float) else f"{key}={value}")
    return " ".join(shown)


def compute_part(part: ExperimentPart, models: Path) -> list[dict]:
    """The row of each setting of ``part``, on one thread, since parts run side by side."""
    torch.set_num_threads(1)
    return [row(part, setting, models) for setting in part.settings]


def row(part: ExperimentPart, setting: str, models: Path) -> dict:
    """The row of one setting."""
    options = dict(option.split("=") for option in setting.split())
    ready = made_ready(part, options, models)
    test = prepared(part.data, part.split, TEST_BLOCKS, int(options.get("tested", 30))).test
    start = time.perf_counter()
    errors = block_errors(ready.method, test)
    seconds = time.perf_counter() - start
    reference = block_errors(Mean(), test)
    key = part.data, part.split, part.method, setting, part.preset, 0
    found = dict(zip(KEYS, key)) | {"blocks": len(errors)}
    for kept, suffix in ((errors.block >= 0, ""), (errors.block < FEW, f"_{FEW}")):
        found[f"query_mse{suffix}"] = errors.query_mse[kept].mean()
        found[f"support_mse{suffix}"] = errors.support_mse[kept].mean()
        found[f"mean_query_mse{suffix}"] = reference.query_mse[kept].mean()
    found |= {"support_entries": errors.support_entries.mean(), "training_seconds": ready.seconds}
    found["block_seconds"] = seconds / len(errors)
    return found | {"note": ready.note, "versions": versions()}


def made_ready(part: ExperimentPart, options: dict[str, str], models: Path) -> Ready:
    """The method of a part, with the ``options`` of a setting: trained, K, steps."""
    if METHODS[part.method].kind != "meta-learned":
        return fitted(part.method, part.data, part.split)
    trained = options.get("trained", part.data)
    data, size = (part.data, int(trained)) if trained.isdigit() else (trained, 30)
    training = Training(part.method, data, part.split, part.preset, size=size)
    training = replace(training, rank=int(options.get("K", training.rank)))
    if part.method == "ft":
        return finetuned(training, models)
    ready = meta_trained(training, models)
    if "steps" not in options:
        return ready
    adapt = partial(ready.method.adapt, steps=int(options["steps"]))
    return replace(ready, method=SimpleNamespace(adapt=adapt))


def versions() -> str:
    """The versions of the libraries, and the digest of the code, by which rows of other code are
    recognised."""
    return (
        f"python {platform.python_version()}, torch {torch.__version__}, numpy {np.__version__}, "
        f"scikit-learn {sklearn.__version__}, code {CODE}"
    )
