"""Parts written by hand against the part of torch that each stands in for: how much longer torch's part takes.

    python -m benchmarks.speed.own_parts

The two take turns, round after round, so that other load hits both alike; the median of the rounds' ratios counts: of
processor time on one thread, and of wall-clock time where threads are compared. Docstrings of the parts quote these
figures. A part whose ratio is below 1.05 everywhere should go.
"""

from __future__ import annotations

import argparse
import copy
import statistics
import time
from collections.abc import Callable

import numpy as np
import torch
from torch import nn

from metamf.baselines.eml import EML
from metamf.episodes import EpisodeBatch, divide_entries
from metamf.learning.objectives import squared_errors
from metamf.model.dropout import Dropout
from metamf.model.meta_mf import MetaMF
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.threads import run_with_helpers
from metamf.universal import network, streaming
from metamf.universal.network import Universal

BLOCKS = {"MovieLens's (30 x 30, 1 in 16)": (30, 30, 0.063), "Jester's (30 x 20, 3 in 4)": (30, 20, 0.73)}
Contest = tuple[Callable[[], object], Callable[[], object]]  # the part written by hand, torch's


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    rounds, threads = parser.parse_args().rounds, torch.get_num_threads()
    torch.set_num_threads(1)
    for blocks, (N, M, density) in BLOCKS.items():
        for method in (MetaMF(), EML()):
            ratio = median_ratio(dropout(method, N, M, density), rounds, time.process_time)
            print(f"an update of {type(method).__name__} on blocks like {blocks}: nn.Dropout {ratio:.2f}", flush=True)
    for entries in (30_000, 100_000):
        ratio = median_ratio(linear(entries), rounds, time.process_time)
        print(f"{entries:,} entries, one thread: torch.addmm {ratio:.2f}", flush=True)
    torch.set_num_threads(threads)
    for entries in (30_000, 100_000):
        ratio = median_ratio(helpers(entries), rounds, time.perf_counter)
        print(f"{entries:,} entries, {threads} threads: torch's threads {ratio:.2f}", flush=True)


def median_ratio(contest: Contest, rounds: int, clock: Callable[[], float]) -> float:
    """Torch's time over the time of the part written by hand; a first round warms up and does not count."""
    ratios = []
    for _ in range(rounds + 1):
        own, library = (seconds(work, clock) for work in contest)
        ratios.append(library / own)
    return statistics.median(ratios[1:])


def seconds(work: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    work()
    return clock() - start


def random_ratings(rng: np.random.Generator, N: int, M: int, density: float) -> Ratings:
    rows, cols = np.nonzero(rng.random((N, M)) < density)
    return Ratings(rows, cols, rng.standard_normal(len(rows)), (N, M))


def dropout(method: nn.Module, N: int, M: int, density: float) -> Contest:
    """An update of meta-training on 16 blocks, sampling left out."""
    rng = np.random.default_rng(0)
    episodes = EpisodeBatch.of([divide_entries(random_ratings(rng, N, M, density), 0.5, rng) for _ in range(16)])

    def update(method: nn.Module, optimizer: torch.optim.Optimizer) -> None:
        total, weight = squared_errors(method, episodes)
        optimizer.zero_grad()
        (total / weight).backward()
        optimizer.step()

    def contender(method: nn.Module) -> Callable[[], None]:
        optimizer = torch.optim.AdamW(method.train().parameters(), 1e-4, fused=True)
        return lambda: update(method, optimizer)

    with_torchs = copy.deepcopy(method)
    for parent in list(with_torchs.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, Dropout):
                parent.register_module(name, nn.Dropout(child.p))
    return contender(copy.deepcopy(method)), contender(with_torchs)


def large_batch(entries: int) -> RatingsBatch:
    side = int((entries / 0.06) ** 0.5)
    return RatingsBatch.of([random_ratings(np.random.default_rng(0), side, side, 0.06)])


def linear(entries: int) -> Contest:
    """The universal network on a matrix; ``streaming.linear`` by convolution and by ``torch.addmm``."""
    model, batch = Universal().eval(), large_batch(entries)
    images = streaming.IMAGES_FOR_ONEDNN

    def adapt(images: int) -> None:
        streaming.IMAGES_FOR_ONEDNN = images  # more images than a part has entries: never a convolution
        with torch.inference_mode():
            model.adapt(batch, 1)

    return lambda: adapt(images), lambda: adapt(2**62)


def helpers(entries: int) -> Contest:
    """The universal network on a matrix, by helper threads and by the threads of torch."""
    model, batch = Universal().eval(), large_batch(entries)

    def adapt(run: Callable) -> None:
        network.run_with_helpers = run
        with torch.inference_mode():
            model.adapt(batch)

    return lambda: adapt(run_with_helpers), lambda: adapt(lambda function: function())


if __name__ == "__main__":
    main()
