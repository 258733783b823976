"""Threads that each compute alone, for work in parts that fit a core's cache.

torch's own threads share every single operation and wait for each other after it, which takes longer than a small part
does, and very long where other programs want the processor, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Barrier
from typing import TypeVar

import torch

Block, Result = TypeVar("Block"), TypeVar("Result")


def in_threads(function: Callable[[Block], Result], blocks: Iterable[Block]) -> list[Result]:
    """``function`` of each block, without gradients, on as many threads as torch has."""
    blocks, threads, inference = list(blocks), torch.get_num_threads(), torch.is_inference_mode_enabled()

    def alone(block: Block) -> Result:
        with torch.no_grad(), torch.inference_mode(inference):  # these hold for one thread
            return function(block)

    return list(map(alone, blocks) if min(len(blocks), threads) == 1 else _pool(threads).map(alone, blocks))


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """``threads`` threads for which torch has one thread."""
    pool = ThreadPoolExecutor(threads, "metamf", torch.set_num_threads, (1,))
    all_there = Barrier(threads)
    list(pool.map(lambda _: all_there.wait(), range(threads)))
    torch.set_num_threads(threads)  # for all other threads, which torch had told of the new number, too
    return pool
