"""Helper threads that each compute on one core, in place of torch's own, for work that is done block by block.

torch's own threads share every single operation and wait for each other after it. For a block that fits a core's cache
that takes longer than the operation itself, and very long where other programs want the processor, too. Here a block
stays with one thread, whatever is done with it. On two busy cores (load 6 to 13) the universal network adapted to
30,000 and to 100,000 entries 4 to 38 times as fast as with torch's threads.

``torch.set_num_threads`` has two effects: it sets the number of the calling thread, and the process's default, which a
thread takes over when it first calls torch. A pool of helpers has to set the first to one, and so changes the second
for a moment. Hence a lock around everything that reads or changes the default here; it is read in a new thread, since
one that first called torch in such a moment keeps one thread for good; and each pool restores what it found. A program
whose other threads call torch, too, has ``build_pools`` before they do: no later call here changes the default.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TypeVar

import torch

Block, Result = TypeVar("Block"), TypeVar("Result")
SHARED_ABOVE = 2**14  # entries up to which a second core is of no use
LEADERS = 2  # calls of ``run_with_helpers`` that are answered at once, the others wait

_default_is_steady = threading.Lock()  # held by whoever reads or changes torch's default
_helpers_here: ContextVar[int | None] = ContextVar("helpers", default=None)
_this_thread = threading.local()  # .helpers, .helper_threads: of a thread that leads


@contextmanager
def helpers(number: int) -> Iterator[None]:
    """Gives a call of ``run_with_helpers`` a given number of helpers in this context, whatever torch's default is."""
    token = _helpers_here.set(number)
    try:
        yield
    finally:
        _helpers_here.reset(token)


def build_pools(*numbers: int) -> None:
    """Builds the threads of later calls, while no other thread of the program calls torch for the first time.

    Parameters
    ----------
    numbers : numbers of helpers that ``helpers`` will ask for, beside torch's default
    """
    with _default_is_steady:
        for threads in {_in_new_thread(torch.get_num_threads), *numbers}:
            _single_threaded_pool("helper", threads)
        for name in ("leader", "single"):
            _single_threaded_pool(name, LEADERS)


def run_with_helpers(function: Callable[[], Result]) -> Result:
    """Calls a function in a thread that computes on one core and has a helper for each thread of torch's default, or as
    many as ``helpers`` says.

    Gradients are off in it; inference mode is on if it is on in the calling thread.

    Parameters
    ----------
    function : called without arguments; in it, ``map_blocks`` shares the work with the helpers

    Returns
    -------
    Whatever ``function`` returns; an exception that it raises is raised here.
    """
    with _default_is_steady:
        threads = _helpers_here.get() or _in_new_thread(torch.get_num_threads)
        pool, leaders = _single_threaded_pool("helper", threads), _single_threaded_pool("leader", LEADERS)
    inference = torch.is_inference_mode_enabled()

    def lead() -> Result:
        _this_thread.helpers, _this_thread.helper_threads = pool, threads
        with torch.inference_mode(inference), torch.no_grad():  # both hold for one thread only
            return function()

    return leaders.submit(lead).result()


def run_on_few_cores(function: Callable[[], Result], size: int) -> Result:
    """Calls a function, in a thread in which torch computes on one core where the work is too small to be shared.

    Torch's own threads wait for each other after every operation, and where other programs want the processor, too,
    most of the time of a small computation goes by in that. At most ``LEADERS`` small ones are answered at once.

    Parameters
    ----------
    function : called without arguments; gradients are off in it
    size : number of entries or cells that it works on

    Returns
    -------
    Whatever ``function`` returns; an exception that it raises is raised here.
    """
    if size > SHARED_ABOVE:
        with torch.no_grad():
            return function()
    with _default_is_steady:
        pool = _single_threaded_pool("single", LEADERS)
    inference = torch.is_inference_mode_enabled()

    def without_gradients() -> Result:
        with torch.inference_mode(inference), torch.no_grad():  # both hold for one thread only
            return function()

    return pool.submit(without_gradients).result()


def helper_threads() -> int:
    """The number of threads that ``map_blocks`` uses here: one outside of ``run_with_helpers``."""
    return getattr(_this_thread, "helper_threads", 1)


def map_blocks(function: Callable[[Block], Result], blocks: Iterable[Block]) -> list[Result]:
    """Applies a function to every block, without gradients, by the helpers where there are several of both.

    Parameters
    ----------
    function : called with one block; the calls run side by side
    blocks : the parts of the work

    Returns
    -------
    The results in the order of ``blocks``.
    """
    blocks, inference = list(blocks), torch.is_inference_mode_enabled()

    def without_gradients(block: Block) -> Result:
        with torch.inference_mode(inference), torch.no_grad():
            return function(block)

    if min(len(blocks), helper_threads()) <= 1:
        return [without_gradients(block) for block in blocks]
    return list(_this_thread.helpers.map(without_gradients, blocks))


def _in_new_thread(function: Callable[[], Result]) -> Result:
    with ThreadPoolExecutor(1) as new:
        return new.submit(function).result()


@cache
def _single_threaded_pool(name: str, size: int) -> ThreadPoolExecutor:
    """``size`` threads in each of which torch computes with one thread; made while ``_default_is_steady`` is held."""
    pool, all_started = ThreadPoolExecutor(size, f"metamf-{name}"), threading.Barrier(size)

    def limit_to_one(_) -> None:
        torch.get_num_threads()  # the first call takes the default over, so it has to come before the number is set
        torch.set_num_threads(1)
        all_started.wait()  # until then no thread is free for a second call, so each gets one

    def start_all() -> None:
        default = torch.get_num_threads()
        list(pool.map(limit_to_one, range(size)))
        torch.set_num_threads(default)

    _in_new_thread(start_all)  # so that the number of the calling thread stays what it is
    return pool


def _forget_pools() -> None:
    """Forgets the pools in a forked process, where no thread goes on but the one that forked it."""
    global _default_is_steady
    _default_is_steady = threading.Lock()
    _single_threaded_pool.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pools)
