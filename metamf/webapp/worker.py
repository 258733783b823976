"""What the engine runs elsewhere: in the processes that compute, in those that watch over them, and
in the scheduler.

Dask sends these functions by their names, so each of its processes needs this package.
"""

from __future__ import annotations

import inspect
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import distributed
from distributed import Status, WorkerPlugin, get_worker

START = 120.0  # seconds that a process has to start, on a busy machine
LOWEST = 19  # priority of a thread
_CLAIM = "metamf"  # what a worker is claimed for, in the scheduler's own notes on it


class Wish(NamedTuple):
    """A job that waits for a worker, and how many idle ones it has to leave to others."""

    job: str
    long: bool
    spare: int


class Claim(NamedTuple):
    """The job that a worker is kept for, and the server that it belongs to."""

    client: str
    job: str
    long: bool


# -- in the scheduler
# -------------------------------------------------------------------------------------------------


def claim(
    client: str,
    jobs: Collection[str],
    wishes: Iterable[Wish],
    workers: int,
    dask_scheduler: distributed.Scheduler,
) -> tuple[dict[str, str], int]:
    """Gives idle workers to the jobs of a server, in one step; returns the worker of each job, and
    how many there are.

    A server gives back the workers of all other ``jobs`` than those it names, and a server that is
    gone those of all. One of the ``workers`` that there could be is left by long jobs.
    """
    states = list(dask_scheduler.workers.values())
    claims: dict[str, Claim] = {}
    for state in states:
        held: Any = state.extra.get(_CLAIM)
        served = held is not None and held.client in dask_scheduler.clients
        if served and (held.client != client or held.job in jobs):
            claims[state.address] = held
        else:
            state.extra.pop(_CLAIM, None)
    own = {held.job: address for address, held in claims.items() if held.client == client}
    long = sum(held.long for held in claims.values())
    most_long = max(1, max(workers, len(states)) - 1)
    running = [state for state in states if state.status == Status.running]
    idle = [state for state in running if not state.processing and state.address not in claims]
    for wish in wishes:
        if wish.job in own or len(idle) <= wish.spare or (wish.long and long >= most_long):
            continue
        state = idle.pop(0)
        state.extra[_CLAIM] = Claim(client, wish.job, wish.long)
        own[wish.job] = state.address
        long += wish.long
    return own, len(states)


# -- next to a worker
# -------------------------------------------------------------------------------------------------


async def renew(dask_worker: distributed.Nanny) -> None:
    """Kills the process that a nanny watches over, and waits until there is a new one."""
    os.kill(dask_worker.pid, signal.SIGKILL)
    await dask_worker.restart(timeout=START)


# -- in a worker
# -------------------------------------------------------------------------------------------------

# id of the job that runs in this process -> orders that it has not seen
_ORDERS: dict[str, dict[str, Any]] = {}
_ARRIVED = threading.Condition()
_BEST: dict[str, Any] = {}  # id of that job -> its result if it has to be ended now


class Prepare(WorkerPlugin):
    """Makes a worker ready: it computes on one core, gives way to the server, and has torch and the
    checkpoints."""

    def setup(self, worker: distributed.Worker) -> None:
        logging.getLogger("distributed.worker").setLevel(
            logging.CRITICAL
        )  # errors may quote a rating; pages show them
        if hasattr(os, "nice") and os.nice(0) < 10:
            os.nice(10)
        import metamf.answer.methods  # noqa: F401  with torch and all methods
        from metamf.checkpoints.bundled import list_pretrained, open_checkpoint

        for name in list_pretrained():
            with suppress(Exception):  # whoever asks for a damaged one is told
                open_checkpoint(name)


def run(topic: str, id: str, function: Callable, arguments: tuple, long: bool) -> Any:
    """Calls the function of a job, which gives way to others if it is long; its reports go to the
    server, and orders come back."""
    worker = get_worker()

    def report(message: dict[str, Any] | None = None) -> dict[str, Any]:
        sent = dict(message or {})
        if "best" in sent:
            _BEST[id] = sent.pop("best")
        if sent:
            worker.log_event(topic, (id, sent))
        return _orders(id)

    listens = "report" in inspect.signature(function).parameters
    call = partial(function, *arguments, **({"report": report} if listens else {}))
    try:
        if not long:
            return call()
        # in a thread of its own, which gets what other workers leave of the cores: a thread that
        # has given way on Linux may not take that back
        with ThreadPoolExecutor(1, "long", _give_way) as thread:
            return thread.submit(call).result()
    finally:
        _ORDERS.pop(id, None)
        _BEST.pop(id, None)


def best(id: str) -> Any:
    """The best result that a job has told so far; None if it has told none."""
    return _BEST.get(id)


def _give_way() -> None:
    if sys.platform == "linux":  # elsewhere a priority belongs to a whole process
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOWEST)


def receive(id: str, orders: dict[str, Any]) -> None:
    """Takes in orders for a job; Dask calls it in the worker's own thread."""
    with _ARRIVED:
        _ORDERS[id] = _ORDERS.get(id, {}) | orders
        _ARRIVED.notify_all()


def _orders(id: str) -> dict[str, Any]:
    """The orders since the last report, and ``stop`` for good; waits as long as the job is
    paused."""
    with _ARRIVED:
        _ARRIVED.wait_for(lambda: not _ORDERS.get(id, {}).get("paused") or _ORDERS[id].get("stop"))
        found = _ORDERS.pop(id, {})
        if found.get("stop"):
            _ORDERS[id] = {"stop": True}
        found.pop("paused", None)
        return found
