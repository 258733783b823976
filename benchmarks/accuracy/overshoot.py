"""Overshooting of the paper's MAP steps, and the threshold by which ``step_rule='auto'`` takes safe ones.

    METAMF_DATA=FOLDER python -m benchmarks.accuracy.overshoot

Made-up matrices in which one to three columns are nearly full, and held-out blocks of MovieLens 1M and Jester, half of
their entries hidden. For each kind of matrix and each threshold: the share of the matrices for which 'auto' takes safe
steps; of these, the share in which safe steps have the lower error on hidden entries, and by how much on average; and
how far the mean error over all matrices is from that with the threshold of the library. Errors are mean squared ones,
in variances of the ratings of such matrices. Writes benchmarks/results/overshoot.csv.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning

from benchmarks.rows import RESULTS, append
from metamf import MetaMFImputer
from metamf.checkpoints import models
from metamf.datasets import load
from metamf.datasets.synthetic import synthetic
from metamf.learning.episodes import Episode, divide_entries, held_out_blocks, split_rows_and_columns
from metamf.ratings.matrix import Ratings

PATH = RESULTS / "overshoot.csv"
THRESHOLDS = 0.003, 0.01, 0.03
RULES = "paper", "safe"
MATRICES, BLOCKS = 300, 60
SIZES = (10, 10), (30, 30), (100, 100), (300, 100)
NEARLY_FULL = 0.95  # share of the entries of such a column that are observed
CHECKPOINTS = {"made up": "ml-1m", "ml-1m": "ml-1m", "jester": "jester"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matrices", type=int, default=MATRICES)
    parser.add_argument("--blocks", type=int, default=BLOCKS, help="of each data set and size")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    PATH.unlink(missing_ok=True)
    kinds = {"made up": [nearly_full_columns(seed) for seed in range(arguments.matrices)]}
    for data in ("ml-1m", "jester"):
        test = split_rows_and_columns(load(data), 0).test
        kinds[data] = [block for size in SIZES for block in held_out_blocks(test, arguments.blocks, [0, 2], size)]
    for kind, episodes in kinds.items():
        for row in rows(kind, episodes):
            append(PATH, row)
            print(*row.values(), flush=True)


def nearly_full_columns(seed: int) -> Episode:
    """A made-up matrix of which one to three columns are nearly full, half of its entries hidden."""
    rng = np.random.default_rng([seed, 3])
    N, M = int(rng.integers(100, 400)), int(rng.integers(10, 60))
    world = synthetic(rng, N, M, density=0.05)
    observed = np.zeros((N, M), dtype=bool)
    observed[world.ratings.rows, world.ratings.cols] = True
    for col in rng.choice(M, int(rng.integers(1, 4)), replace=False):
        observed[:, col] = rng.random(N) < NEARLY_FULL
    row, col = np.nonzero(observed)
    return divide_entries(Ratings(row, col, world.truth[row, col], (N, M)), 0.5, rng)


def rows(kind: str, episodes: list[Episode]) -> Iterator[dict[str, Any]]:
    """The row of each threshold."""
    checkpoint = CHECKPOINTS[kind]
    variance = np.var(np.concatenate([episode.support.values for episode in episodes]))
    errors = {rule: np.array([error(episode, checkpoint, rule) for episode in episodes]) / variance for rule in RULES}
    takes_safe = {}
    for threshold in THRESHOLDS:
        with patch.object(models, "OVERSHOOT", threshold):
            takes_safe[threshold] = np.array([rule_of(episode, checkpoint) == "safe" for episode in episodes])
    means = {
        threshold: float(np.where(safe, errors["safe"], errors["paper"]).mean())
        for threshold, safe in takes_safe.items()
    }
    for threshold, safe in takes_safe.items():
        gain = (errors["paper"] - errors["safe"])[safe]
        gain = gain[np.isfinite(gain)]  # steps that diverged have no error
        yield {
            "kind": kind,
            "threshold": threshold,
            "matrices": len(episodes),
            "takes_safe": f"{safe.mean():.4f}",
            "safe_is_better": f"{np.mean(gain > 0):.4f}" if len(gain) else "",
            "gain": f"{gain.mean():.4f}" if len(gain) else "",
            "mean_error": f"{means[threshold] - means[models.OVERSHOOT]:+.5f}",
        }


def error(episode: Episode, checkpoint: str, rule: str) -> float:
    """Mean squared error on the hidden entries, in squared rating units."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the paper's steps may diverge: that is what is measured
        imputer = MetaMFImputer(checkpoint, standardize="matrix", step_rule=rule).fit(episode.support)
    estimates = imputer.predict(rows=episode.query.rows, cols=episode.query.cols)
    return float(np.mean((estimates - episode.query.values) ** 2))


def rule_of(episode: Episode, checkpoint: str) -> str:
    """The steps that 'auto' takes."""
    return MetaMFImputer(checkpoint, standardize="matrix").fit(episode.support).step_rule_


if __name__ == "__main__":
    main()
