"""The rows of a part: its method is made ready, then measured on each test block."""

from __future__ import annotations

import hashlib
import platform
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn
import torch

import metamf
from benchmarks.paper.methods import TEST_BLOCKS, Ready, Training, finetuned, fitted, meta_trained, prepared
from benchmarks.paper.plan import ExperimentPart
from metamf.baselines import METHODS
from metamf.baselines.biases import Mean
from metamf.learning.evaluation import block_errors

FEW = 10  # blocks a split in the paper; the first of the TEST_BLOCKS
# folders of the library that show results, or serve an estimator and tables, and have no part in the rows
WITHOUT_PART = {"cli", "evaluate", "figures", "imputer", "reproduction", "tables", "webapp"}


def compute_part(part: ExperimentPart, models: Path) -> list[tuple[dict, pd.DataFrame]]:
    """The row and the errors per block of each setting of ``part``, on one thread, since parts run side by side."""
    torch.set_num_threads(1)
    return [row(part, setting, models) for setting in part.settings]


def row(part: ExperimentPart, setting: str, models: Path) -> tuple[dict, pd.DataFrame]:
    """The row of one setting, and the errors per block."""
    options = dict(option.split("=") for option in setting.split())
    tested = int(options.get("tested", 30))
    ready = made_ready(part, options, models)
    blocks = FEW if part.experiment == "hidden" else TEST_BLOCKS  # many hidden units take long on each block
    test = prepared(part.data, part.split, blocks, size=(tested, tested)).test
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
        "data": part.data,
        "split": part.split,
        "method": part.method,
        "setting": setting,
        "preset": part.preset,
        "seed": part.seed,
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
    training = Training(part.method, data, part.split, part.preset, part.seed, size, int(options.get("K", 32)), epochs)
    if part.method == "ft":
        return finetuned(training, models, None if steps is None else (steps, float(options["rate"])))
    ready = meta_trained(training, models)
    return ready if steps is None else replace(ready, method=WithSteps(ready.method, steps))


class WithSteps:
    """Ours with another number of MAP steps than it was meta-trained with."""

    def __init__(self, model, steps: int):
        self.model, self.steps = model, steps

    def adapt(self, support):
        return self.model.adapt(support, self.steps)


def versions() -> str:
    """The versions of the libraries, and the digest of the code, by which rows of other code are recognised."""
    return (
        f"python {platform.python_version()}, torch {torch.__version__}, numpy {np.__version__}, "
        f"scikit-learn {sklearn.__version__}, code {CODE}"
    )


def digest_of_sources(library: Path, experiments: Path) -> str:
    """The first digits of a digest of the paths and contents of all sources that have a part in the rows.

    Parameters
    ----------
    library : the folder of ``metamf``; its folders ``WITHOUT_PART`` do not count
    experiments : the folder of these benchmarks
    """
    sources = sorted(library.rglob("*.py"))
    sources = [path for path in sources if path.relative_to(library).parts[0] not in WITHOUT_PART]
    found = hashlib.sha256()
    for path in [*sources, *sorted(experiments.glob("*.py"))]:
        found.update(path.relative_to(library.parent).as_posix().encode() + path.read_bytes())
    return found.hexdigest()[:8]


CODE = digest_of_sources(Path(metamf.__file__).parent, Path(__file__).parent)  # of the files as they are imported
