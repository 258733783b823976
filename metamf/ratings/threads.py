"""Threads that compute on one core each, in place of torch's own threads.

torch's threads share every single operation and wait for each other after it. Where the work can be
divided into blocks that fit a core's cache, ``run_with_helpers`` gives each block to one thread
instead: on two busy cores the universal network adapted to 30,000 and to 100,000 entries 4 to 38
times as fast as with torch's threads. Where the work is too small to be divided,
``run_on_few_cores`` keeps it on the calling thread's core.

``threadpoolctl`` limits the thread that calls it and no other, so nothing here changes torch's
default.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from functools import cache
from typing import TypeVar

import torch
from threadpoolctl import ThreadpoolController

Block = TypeVar("Block")
Result = TypeVar("Result")
SHARED_ABOVE = 2**14  # entries up to which a second core is of no use

_helpers = ContextVar("helpers", default=1)  # threads that ``map_blocks`` uses here


def run_with_helpers(function: Callable[[], Result]) -> Result:
    """Calls a function whose ``map_blocks`` share their work among helper threads, as many as torch
    has threads here; gradients are off in it."""
    token = _helpers.set(torch.get_num_threads())
    try:
        with _one_core(), torch.no_grad():
            return function()
    finally:
        _helpers.reset(token)


def run_on_few_cores(function: Callable[[], Result], size: int) -> Result:
    """Calls a function, on one core if it works on at most ``SHARED_ABOVE`` entries or cells
    (``size``); gradients are off in it."""
    with torch.no_grad(), nullcontext() if size > SHARED_ABOVE else _one_core():
        return function()


def helper_threads() -> int:
    """The number of threads that ``map_blocks`` uses here: one outside of ``run_with_helpers``."""
    return _helpers.get()


def map_blocks(function: Callable[[Block], Result], blocks: Iterable[Block]) -> list[Result]:
    """Applies a function to every block, without gradients, by the helpers if there are several of
    both.

    Returns the results in the order of ``blocks``; an exception of a block is raised here.
    """
    blocks = list(blocks)
    inference = torch.is_inference_mode_enabled()

    def without_gradients(block: Block) -> Result:
        with torch.inference_mode(inference), torch.no_grad():  # both hold for one thread only
            return function(block)

    if min(len(blocks), helper_threads()) <= 1:
        return [without_gradients(block) for block in blocks]
    return list(_pool(helper_threads()).map(without_gradients, blocks))


def _one_core() -> AbstractContextManager[object]:
    """Limits operations of torch in this thread to one core, until the context that is returned
    ends."""
    # a thread takes torch's default over when it first asks, which would undo the limit
    torch.get_num_threads()
    return _libraries().limit(limits=1, user_api="openmp")


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, "metamf", initializer=_one_core)


if hasattr(os, "register_at_fork"):
    # the pool's threads do not exist in a forked process
    os.register_at_fork(after_in_child=_pool.cache_clear)
