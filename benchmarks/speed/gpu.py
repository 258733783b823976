"""Sizes from which a GPU pays: fit, and training updates, of the universal model on a CPU and on a CUDA device.

    python -m benchmarks.speed.gpu

Writes benchmarks/results/gpu.csv where there is a CUDA device, and says so where there is none. Each size is done by
both devices in turn, round after round, and the best of the rounds counts; a device is waited for before the clock is
read. The last lines name the smallest size from which on the GPU is faster.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from benchmarks.rows import RESULTS
from benchmarks.speed.scale import grown_matrix
from metamf import MetaMFImputer
from metamf.episodes import EpisodeBatch, divide_entries
from metamf.learning.objectives import calibrated_error
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardization
from metamf.universal.network import Universal

SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
LARGEST_UPDATE = 1_000_000  # gradients keep every intermediate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=RESULTS / "gpu.csv")
    parser.add_argument("--checkpoint", default="universal")
    parser.add_argument("--sizes", type=float, nargs="*", default=SIZES)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        print("there is no CUDA device here: nothing is measured")
        return
    rows = []
    for size in map(int, arguments.sizes):
        ratings = grown_matrix(size, np.random.default_rng(0))
        works = {"fit": lambda device, ratings=ratings: fit_once(ratings, arguments.checkpoint, device)}
        if size <= LARGEST_UPDATE:
            works["update"] = Updates(ratings)
        for work, function in works.items():
            seconds = best_seconds(function, arguments.rounds)
            rows.append(
                {
                    "work": work,
                    "ratings": size,
                    **seconds,
                    "ratio": seconds["cpu"] / seconds["cuda"],
                    "gpu": torch.cuda.get_device_name(),
                    "threads": torch.get_num_threads(),
                    "torch": torch.__version__,
                }
            )
            print(rows[-1], flush=True)
            pd.DataFrame(rows).to_csv(arguments.out, index=False, float_format="%.4g")
    for work, table in pd.DataFrame(rows).groupby("work"):
        print(f"{work}: {pays_from(table)}")


def best_seconds(work: Callable[[str], None], rounds: int) -> dict[str, float]:
    """The best seconds of each device; the first round of each warms up."""
    seconds = {"cpu": [], "cuda": []}
    for _ in range(rounds + 1):
        for device, times in seconds.items():
            torch.cuda.synchronize()
            start = time.perf_counter()
            work(device)
            torch.cuda.synchronize()
            times.append(time.perf_counter() - start)
    return {device: min(times[1:]) for device, times in seconds.items()}


def fit_once(ratings: Ratings, checkpoint: str, device: str) -> None:
    MetaMFImputer(checkpoint, device=device).fit(ratings)


class Updates:
    """One update of meta-training on one matrix, half of it given."""

    def __init__(self, ratings: Ratings):
        ratings = ratings.with_values(Standardization.of(ratings.values).apply(ratings.values))
        self.episode = divide_entries(ratings, 0.5, np.random.default_rng(0))
        self.models = {device: Universal().to(device) for device in ("cpu", "cuda")}
        self.optimizers = {device: torch.optim.AdamW(model.parameters()) for device, model in self.models.items()}

    def __call__(self, device: str) -> None:
        self.optimizers[device].zero_grad(set_to_none=True)
        calibrated_error(self.models[device], EpisodeBatch.of([self.episode], device=device)).backward()
        self.optimizers[device].step()


def pays_from(table: pd.DataFrame) -> str:
    """The smallest size from which on every size is faster on the GPU."""
    table = table.sort_values("ratings", ascending=False)
    faster = table.ratings[(table.ratio > 1).cummin()]
    return f"a GPU pays from {faster.min():,} ratings on" if len(faster) else "a GPU pays at none of these sizes"


if __name__ == "__main__":
    main()
