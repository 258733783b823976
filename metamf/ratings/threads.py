"""Threads that each compute alone, in place of torch's own, for work in parts that fit a core's cache.

torch's own threads share every single operation and wait for each other after it: longer than a small part takes, and
very long where other programs want the processor, too. Here a part stays with one thread, whatever is done with it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

import torch

Block, Result = TypeVar("Block"), TypeVar("Result")
CALLERS = 2  # calls of ``conducted`` that are answered at once; more of them wait

_here = threading.local()
_making = threading.Lock()


def _begin_anew() -> None:
    """In a forked process, where no thread but the one that called on it goes on."""
    global _making
    _making = threading.Lock()
    _made.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


def conducted(function: Callable[[], Result]) -> Result:
    """``function()`` on a thread that computes alone, but may call on as many others as torch has: ``in_threads``."""
    threads, inference = torch.get_num_threads(), torch.is_inference_mode_enabled()
    _pool("worker", threads)  # made here: a pool restores what its maker's thread has, which is one for a conductor

    def conduct() -> Result:
        _here.threads = threads
        with torch.inference_mode(inference), torch.no_grad():  # these hold for one thread
            return function()

    return _pool("conductor", CALLERS).submit(conduct).result()


def number() -> int:
    """How many threads ``in_threads`` takes: one outside of ``conducted``."""
    return getattr(_here, "threads", 1)


def in_threads(function: Callable[[Block], Result], blocks: Iterable[Block]) -> list[Result]:
    """``function`` of each block, in order, without gradients."""
    blocks, inference = list(blocks), torch.is_inference_mode_enabled()

    def alone(block: Block) -> Result:
        with torch.inference_mode(inference), torch.no_grad():
            return function(block)

    if min(len(blocks), number()) <= 1:
        return [alone(block) for block in blocks]
    return list(_pool("worker", number()).map(alone, blocks))


def _pool(name: str, threads: int) -> ThreadPoolExecutor:
    """``threads`` threads for which torch has one thread."""
    with _making:
        return _made(name, threads)


@cache
def _made(name: str, threads: int) -> ThreadPoolExecutor:
    for_all, all_there = torch.get_num_threads(), threading.Barrier(threads)

    def alone(_) -> None:
        torch.get_num_threads()  # a thread's first call takes the number that holds for all
        torch.set_num_threads(1)  # which this sets for the thread, and for those that come after it
        all_there.wait()

    pool = ThreadPoolExecutor(threads, f"metamf-{name}")
    list(pool.map(alone, range(threads)))
    torch.set_num_threads(for_all)
    return pool
