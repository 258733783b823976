"""metamf evaluate: methods of the paper's Table 1, and others, on the same held-out blocks."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from torch import nn
from tqdm import tqdm

from metamf.baselines import METHODS, MethodSpec, choose
from metamf.learning.episodes import BlockSampler
from metamf.learning.evaluation import paired_t_test, summarize
from metamf.recipes.data import PreparedData, prepare
from metamf.recipes.presets import PRESETS, meta_training

FITTING_BLOCKS = 1000  # meta-training blocks from which variances are estimated


def evaluate(arguments: argparse.Namespace) -> int:
    """Measures methods on held-out blocks and prints the table; the exit code."""
    for key in arguments.methods:
        if key not in METHODS:
            raise ValueError(f"there is no method {key!r}; choose from {', '.join(METHODS)}")
    rows = []
    reference = METHODS["mean"].build()
    with tqdm(
        total=len(arguments.data) * arguments.splits * len(arguments.methods), unit="method"
    ) as bar:
        for name, split in product(arguments.data, range(arguments.splits)):
            options = {
                "folder": arguments.folder,
                "device": arguments.device,
                "features": arguments.features,
            }
            prepared = prepare(name, split, arguments.blocks, **options)
            trained: dict[str, nn.Module] = {}
            for key in arguments.methods:
                errors = summarize(
                    _built(METHODS[key], prepared, arguments, trained), reference, prepared.test
                )
                rows.append({"data": name, "split": split, "method": key, **errors})
                bar.set_postfix_str(
                    f"{name}, split {split}: {key} {errors['ratio']:.4f}", refresh=False
                )
                bar.update()
                if arguments.out is not None:
                    pd.DataFrame(rows).to_csv(arguments.out, index=False)
    for name, errors in pd.DataFrame(rows).groupby("data", sort=False):
        print(
            f"{name}: {arguments.splits} split(s), {arguments.blocks} blocks each, standardised "
            "units"
        )
        print(_table(errors, arguments.methods).to_string(float_format="%.4f", na_rep="-"))
    return 0


def _built(
    spec: MethodSpec, prepared: PreparedData, arguments: argparse.Namespace, trained: dict
) -> nn.Module:
    """The method, ready for the test blocks; what is meta-trained is kept in ``trained``."""
    device = prepared.test.query_x.device
    source = METHODS[spec.parameters_of or spec.key]
    if source.kind == "meta-learned" and source.key not in trained:
        preset = PRESETS[arguments.preset]
        options = {"seed": arguments.seed, "epochs": arguments.epochs}
        training = meta_training(source, preset, [prepared.train], prepared.validation, **options)
        for _ in training.run():
            pass
        trained[source.key] = training.method

    def ready(config: Any) -> nn.Module:
        method = spec.build(config).to(device)
        if source.key in trained:
            method.load_state_dict(trained[source.key].state_dict())
        return method

    if spec.key in trained:
        return trained[spec.key]
    if spec.estimate_config is not None:
        rng = np.random.default_rng([arguments.seed, 2])
        return ready(
            spec.estimate_config(BlockSampler([prepared.train]).sample(rng, FITTING_BLOCKS, device))
        )
    if arguments.tune and spec.grid:
        return ready(choose(ready, spec.grid, prepared.validation).config)
    return ready(None)


def _table(errors: pd.DataFrame, methods: Sequence[str]) -> pd.DataFrame:
    """One row per method: errors averaged over the splits, and the comparison with the first
    method."""
    by_split = errors.pivot(index="split", columns="method", values="query_mse")
    rows = errors.groupby("method")[["query_mse", "support_mse", "ratio"]].mean().loc[list(methods)]
    enough = len(by_split) > 1
    rows["p"] = [
        paired_t_test(by_split[key], by_split[methods[0]])
        if enough and key != methods[0]
        else np.nan
        for key in methods
    ]
    labels = [METHODS[key].label for key in methods]
    return rows.set_axis(pd.Index(labels, name="method")).rename(columns={"ratio": "ratio to Mean"})
