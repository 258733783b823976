"""The rows of a part: its method is meta-trained, or its settings are chosen on validation blocks; then it is tested.

Meta-trained parameters are kept in a folder outside the repository, so that experiments share them.
"""

from __future__ import annotations

import fcntl
import hashlib
import platform
import time
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import sklearn
import torch
from torch import nn

import metamf
from benchmarks.paper.plan import ExperimentPart
from benchmarks.paper.store import KEYS
from metamf import datasets
from metamf.baselines import METHODS, choose
from metamf.baselines.biases import Mean
from metamf.checkpoints.files import read_safetensors, write_safetensors
from metamf.learning.data import VALIDATION, PreparedData, prepare
from metamf.learning.episodes import BlockSampler, EpisodeBatch, held_out_blocks, split_rows_and_columns
from metamf.learning.evaluation import block_errors
from metamf.learning.training import MetaTraining
from metamf.recipes.presets import PRESETS, fitting, meta_training

TEST_BLOCKS = 200
CHOICE_BLOCKS = 50  # the first meta-validation blocks, on which settings are chosen
WIDE_CHOICE_BLOCKS = 10  # the same for AutoRec with more units than 32
FITTING_BLOCKS = 1000  # meta-training blocks from which variances are estimated

FEW = 10  # blocks a split in the paper; the first of the TEST_BLOCKS
# parts of the library that show results, or serve an estimator and tables, and have no part in the rows
WITHOUT_PART = {"cli", "evaluate", "figures", "imputer", "reproduction.py", "tables", "webapp"}


@lru_cache(maxsize=8)
def prepared(name: str, split: int, blocks: int, size: int = 30, features: str = "") -> PreparedData:
    """A data set; the names of its films' ``features`` are joined by ','."""
    return prepare(name, split, blocks, size=(size, size), features=tuple(filter(None, features.split(","))))


@dataclass(frozen=True)
class Training:
    """Conditions of a meta-training, on which the parameters of a method depend."""

    method: str
    data: str  # names of the data sets, joined by '+'
    split: int  # seed of the split into meta-training, meta-validation and meta-test parts
    preset: str
    seed: int  # of the initial parameters, the episodes and dropout
    size: int = 30  # the largest number of rows, and of columns, of a block
    rank: int = 32  # K, of the paper's method
    epochs: int | None = None  # at most; None: the preset's
    features: str = ""

    def prepared(self, name: str) -> PreparedData:
        """One of the data sets."""
        return prepared(name, self.split, TEST_BLOCKS, self.size, self.features)

    def config(self):
        """The configuration of the method."""
        config = PRESETS[self.preset].config_of(METHODS[self.method])
        config = replace(config, rank=self.rank) if self.method == "ours" else config
        return fitting(config, [self.prepared(name).train for name in self.data.split("+")])

    def file(self, folder: Path) -> Path:
        known = (str(value) for value in asdict(self).values() if value not in (None, ""))
        return folder / f"{'-'.join(known)}.safetensors"


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
    file = training.file(folder)
    spec, config, settings = METHODS[training.method], training.config(), PRESETS[training.preset].training
    settings = replace(settings, seed=training.seed, epochs=training.epochs or settings.epochs)
    made_with = asdict(config) | asdict(settings)
    with file.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if file.exists():
            tensors, values = read_safetensors(file)
            if values.get("settings") == made_with:
                method = spec.build(config)
                method.load_state_dict(tensors)
                return Ready(method, values["seconds"], values["note"])
        run, start = meta_training_of(training, config), time.perf_counter()
        for _ in run.run():
            pass
        seconds = time.perf_counter() - start
        note = f"best epoch {run.history[-1].best_epoch} of {len(run.history)}"
        write_safetensors(file, run.method.state_dict(), {"seconds": seconds, "note": note, "settings": made_with})
        return Ready(run.method, seconds, note)


def meta_training_of(training: Training, config) -> MetaTraining:
    names = training.data.split("+")
    parts = {name: training.prepared(name) for name in names}
    return meta_training(
        METHODS[training.method],
        PRESETS[training.preset],
        [part.train for part in parts.values()],
        parts[names[0]].validation if len(names) == 1 else joint_validation(parts, training.split),
        config=config,
        size=(training.size, training.size),
        seed=training.seed,
        epochs=training.epochs,
    )


def joint_validation(parts: dict[str, PreparedData], split: int) -> EpisodeBatch:
    """The meta-validation blocks of several data sets, data set after data set."""
    episodes = []
    for name, part in parts.items():
        validation = split_rows_and_columns(datasets.load(name), split).validation
        values = part.standardization.apply(validation.values).astype(np.float32)
        episodes += held_out_blocks(validation.with_values(values), TEST_BLOCKS, [split, VALIDATION])
    return EpisodeBatch.of(episodes)


def fitted(method: str, data: str, split: int, seed: int, hidden: int | None = None) -> Ready:
    """A method that is not meta-trained, with variances estimated on meta-training blocks or settings chosen on
    meta-validation blocks; with ``hidden``, AutoRec with that number of units."""
    spec, part = METHODS[method], prepared(data, split, CHOICE_BLOCKS)
    if spec.estimate_config is not None:
        blocks = BlockSampler([part.train]).sample(np.random.default_rng([seed, 2]), FITTING_BLOCKS)
        start = time.perf_counter()
        config = spec.estimate_config(blocks)
        return Ready(spec.build(config), time.perf_counter() - start, describe(config, spec.default))
    if not spec.grid:
        return Ready(spec.build())
    config = best_config(method, data, split)
    if hidden is not None and hidden != config.hidden:
        config = chosen_when_wide(method, data, split, hidden)
    return Ready(spec.build(config), note=describe(config, spec.default))


@lru_cache(maxsize=64)
def best_config(method: str, data: str, split: int):
    """The configuration of a method's grid that is best on meta-validation blocks."""
    spec = METHODS[method]
    return choose(spec.build, spec.grid, prepared(data, split, CHOICE_BLOCKS).validation).config


def chosen_when_wide(method: str, data: str, split: int, hidden: int):
    """The configuration of AutoRec with ``hidden`` units: the weight decay is that chosen for 32 units, learning rate
    and updates are chosen again, since many units diverge at rates that suit few; on fewer blocks, since 512 are slow.
    """
    spec, decay = METHODS[method], best_config(method, data, split).weight_decay
    grid = [replace(config, hidden=hidden) for config in spec.grid if config.weight_decay == decay]
    return choose(spec.build, grid, prepared(data, split, WIDE_CHOICE_BLOCKS).validation).config


def finetuned(training: Training, folder: Path, given: tuple[int, float] | None = None) -> Ready:
    """FT, starting from the meta-trained EML.

    given : steps and learning rate; None: the defaults with preset 'paper', otherwise chosen on meta-validation blocks
    """
    eml, spec = meta_trained(replace(training, method="eml"), folder), METHODS["ft"]

    def ready(config) -> nn.Module:
        method = spec.build(config)
        method.load_state_dict(eml.method.state_dict())
        return method

    config = spec.default
    if given is not None:
        config = replace(config, steps=given[0], learning_rate=given[1])
    elif training.preset != "paper":
        config = choose(ready, spec.grid, prepared(training.data, training.split, CHOICE_BLOCKS).validation).config
    return Ready(ready(config), eml.seconds, describe(config, None))


def describe(config, default) -> str:
    """The values of a configuration, or those that differ from ``default``."""
    values = asdict(config)
    given = values if default is None else {k: v for k, v in values.items() if v != asdict(default)[k]}
    return " ".join(
        f"{key}={value:.4g}" if isinstance(value, float) else f"{key}={value}" for key, value in given.items()
    )


# -- rows ------------------------------------------------------------------------------------------------------------


def compute_part(part: ExperimentPart, models: Path) -> list[tuple[dict, pd.DataFrame]]:
    """The row and the errors per block of each setting of ``part``, on one thread, since parts run side by side."""
    torch.set_num_threads(1)
    return [row(part, setting, models) for setting in part.settings]


def row(part: ExperimentPart, setting: str, models: Path) -> tuple[dict, pd.DataFrame]:
    """The row of one setting, and the errors per block."""
    options = dict(option.split("=") for option in setting.split())
    ready = made_ready(part, options, models)
    blocks = FEW if part.experiment == "hidden" else TEST_BLOCKS  # many hidden units take long on each block
    test = prepared(part.data, part.split, blocks, int(options.get("tested", 30)), options.get("features", "")).test
    start = time.perf_counter()
    errors = block_errors(ready.method, test)
    seconds = time.perf_counter() - start
    reference = block_errors(Mean(), test)
    few = errors.block < FEW
    means = {
        "query_mse": errors.query_mse.mean(),
        "support_mse": errors.support_mse.mean(),
        "mean_query_mse": reference.query_mse.mean(),
        f"query_mse_{FEW}": errors.query_mse[few].mean(),
        f"support_mse_{FEW}": errors.support_mse[few].mean(),
        f"mean_query_mse_{FEW}": reference.query_mse[few].mean(),
        "support_entries": errors.support_entries.mean(),
    }
    return {
        **dict(zip(KEYS, (part.data, part.split, part.method, setting, part.preset, part.seed))),
        "blocks": len(errors),
        **{name: f"{value:.6g}" for name, value in means.items()},
        "training_seconds": "" if ready.seconds is None else f"{ready.seconds:.4g}",
        "block_seconds": f"{seconds / len(errors):.3g}",
        "note": ready.note,
        "versions": versions(),
    }, errors


def made_ready(part: ExperimentPart, options: dict[str, str], models: Path) -> Ready:
    """The method of a part, with the ``options`` of a setting: trained, K, epochs, steps, rate, hidden."""
    if METHODS[part.method].kind != "meta-learned":
        hidden = options.get("hidden")
        return fitted(part.method, part.data, part.split, part.seed, None if hidden is None else int(hidden))
    trained = options.get("trained", part.data)
    data, size = (part.data, int(trained)) if trained.isdigit() else (trained, 30)
    epochs, steps = (int(options[name]) if name in options else None for name in ("epochs", "steps"))
    rank, features = int(options.get("K", 32)), options.get("features", "")
    training = Training(part.method, data, part.split, part.preset, part.seed, size, rank, epochs, features)
    if part.method == "ft":
        return finetuned(training, models, None if steps is None else (steps, float(options["rate"])))
    ready = meta_trained(training, models)
    if steps is None:
        return ready
    return replace(ready, method=SimpleNamespace(adapt=partial(ready.method.adapt, steps=steps)))


def versions() -> str:
    """The versions of the libraries, and the digest of the code, by which rows of other code are recognised."""
    return (
        f"python {platform.python_version()}, torch {torch.__version__}, numpy {np.__version__}, "
        f"scikit-learn {sklearn.__version__}, code {CODE}"
    )


def digest_of_sources() -> str:
    """The first digits of a digest of the library but ``WITHOUT_PART``, and of the experiments."""
    library, found = Path(metamf.__file__).parent, hashlib.sha256()
    sources = [p for p in sorted(library.rglob("*.py")) if p.relative_to(library).parts[0] not in WITHOUT_PART]
    for path in [*sources, *sorted(Path(__file__).parent.glob("*.py"))]:
        found.update(path.relative_to(library.parent).as_posix().encode() + path.read_bytes())
    return found.hexdigest()[:8]


CODE = digest_of_sources()  # of the files as they are imported
