"""Times of contenders that take turns, round after round, so that other load hits all of them.

``torch.utils.benchmark.Timer`` times one statement after another, so load that comes and goes would
favour one of them.
"""

from __future__ import annotations

import multiprocessing
import statistics
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

import numpy as np
import torch

from metamf.learning.episodes import BlockSampler

Result = TypeVar("Result")


def in_a_fresh_process(function: Callable[..., Result], *arguments: object) -> Result:
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn) as pool:  # a process that dies is an error
        return pool.submit(function, *arguments).result()


def seconds_of(
    contenders: Mapping[str, Callable[[], object]], rounds: int, of: Callable = statistics.median
) -> dict[str, float]:
    """The seconds of each contender, their median over the rounds or what ``of`` makes of them; one
    more round before them warms up."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds + 1):
        for name, work in contenders.items():
            start = time.perf_counter()
            work()
            seconds[name].append(time.perf_counter() - start)
    return {name: of(times[1:]) for name, times in seconds.items()}


def training_update(
    method: torch.nn.Module, sampler: BlockSampler, loss: Callable, rate: float
) -> Callable[[], None]:
    """One update of meta-training: sampling 16 blocks, forward, ``loss(method, episodes)``,
    backward, optimiser."""
    rng = np.random.default_rng(0)
    learned = [p for p in method.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(learned, rate, fused=True)

    def update() -> None:
        value = loss(method, sampler.sample(rng, 16))
        optimizer.zero_grad(set_to_none=True)
        value.backward()
        optimizer.step()

    return update
