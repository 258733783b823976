"""Runs what takes longer than a moment outside the page: trainings, verdicts, slow methods, files that are read.

The engine is dask.distributed. By default it starts worker processes on this machine. With ``METAMF_SCHEDULER`` set to
``tcp://host:8786`` or ``tls://host:8786`` it uses the workers of that cluster, which need nothing but this package;
Dask's own configuration names the certificates of ``tls``.

A job is a function with its arguments. Where it takes ``report``, it can tell how far it is, and listen::

    def train(data, report):
        ...
        orders = report({"facts": {...}, "row": {...}, "now": {...}})    # any of them, or nothing
        ...
        return result

``facts`` are sent once, a ``row`` belongs to a curve, ``now`` replaces the one before. The answer has the orders that
came meanwhile: settings, and ``{"stop": True}`` from the moment on at which the function has to finish with the best so
far. Functions, arguments and results have to be picklable; all processes are our own.

A worker gets one job at a time, and only when it is idle, so a job that is killed takes no other with it. Everybody's
first job runs before anybody's second. Long jobs leave one worker to the others, who wait for a file to be read.
"""

from __future__ import annotations

import asyncio
import atexit
import inspect
import logging
import os
import signal
import threading
import uuid
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future as ThreadFuture
from contextlib import suppress
from functools import cache
from typing import Any, Literal

import dask
import distributed
from dask.utils import parse_bytes
from distributed import CancelledError, Client, KilledWorker, LocalCluster, Security, WorkerPlugin, get_worker
from distributed.system import MEMORY_LIMIT

SCHEDULER = "METAMF_SCHEDULER"  # an environment variable: address of a Dask scheduler
WORKERS = "METAMF_WORKERS"  # and the number of processes where there is none
MOST_ROWS = 1000  # of a job's curve; of more, every second one is dropped
MOST_WAITING = 200  # jobs in the queue; of a class of forty each could have five
GRACE = 10.0  # seconds that a job has to finish after its time limit, or when it is asked to stop
LEFT = 30.0  # seconds after which the jobs of a visitor whose browser has left are ended
PAUSED = 60.0  # seconds after which a paused job finishes where others wait for its worker
_LOOK = 0.5  # seconds between two looks at owners and idle workers
_ANSWER = 5.0  # seconds that a scheduler has to answer
_LOG = logging.getLogger("metamf.webapp")
_CONFIG = {
    "distributed.scheduler.allowed-failures": 0,  # a job whose worker died is never tried again
    "distributed.admin.low-level-log-length": 100,
    "distributed.admin.large-graph-warning-threshold": "1 GB",  # a visitor's table is an argument
    "distributed.comm.retry.count": 0,
    "distributed.deploy.lost-worker-timeout": "10 minutes",  # after 15 s one that starts slowly was given up for good
    "distributed.worker.memory.target": False,  # nothing of a visitor's is written to a disk
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": 0.95,
}

Report = Callable[..., dict[str, Any]]  # of a message, or of nothing: the orders since
State = Literal["waiting", "running", "stopping", "done", "failed", "cancelled"]


class EngineError(Exception):
    """Raised for a job that has no result; the message is a sentence for the visitor."""


class RefusedError(Exception):
    """Raised by a job that cannot do what it was asked for; the message is a sentence for the visitor."""


class Job:
    """A job, as its owner sees it; only the engine changes it.

    Its progress is in ``facts``, ``rows`` and ``now``, its end in ``result`` or ``error``: that of its function, or an
    EngineError. ``stopped`` says whether its owner stopped it; ``limited`` whether its time limit or a long pause did.
    """

    def __init__(self, engine: Engine, function: Callable, arguments: tuple, owner: str, seconds: float, long: bool):
        self.id, self.owner, self.function, self.arguments = uuid.uuid4().hex, owner, function, arguments
        self.state: State = "waiting"
        self.facts: dict[str, Any] = {}
        self.rows: list[dict[str, Any]] = []
        self.now: dict[str, Any] = {}
        self.result: Any = None
        self.error: BaseException | None = None
        self.paused = self.stopped = self.limited = False
        self.seconds, self.long, self.round = seconds, long, 0
        self._engine, self._worker, self._until, self._paused_at = engine, "", 0.0, 0.0
        self._ended = threading.Event()

    @property
    def ended(self) -> bool:
        """Whether it has a result, or never will."""
        return self._ended.is_set()

    @property
    def place(self) -> int | None:
        """Its place in the queue of this server, 1 for the next; None where it does not wait."""
        waiting = self._engine.waiting()
        return waiting.index(self) + 1 if self in waiting else None

    def wait(self, seconds: float | None = None) -> bool:
        """Waits for its end; whether it has ended."""
        return self._ended.wait(seconds)

    def outcome(self) -> Any:
        """Waits for its end and returns its result, or raises its error."""
        self.wait()
        if self.error is not None:
            raise self.error
        return self.result

    def stop(self) -> None:
        """Asks it to finish with the best so far, within ``GRACE``."""
        self.stopped = not self.ended
        self._engine.order(self, {"stop": True})

    def pause(self, on: bool) -> None:
        """Lets it wait after its next step, or go on."""
        self._engine.order(self, {"paused": on})

    def set(self, **settings: Any) -> None:
        """Changes settings that its function listens to."""
        self._engine.order(self, settings)

    def cancel(self) -> None:
        """Ends it, whatever it does, within five seconds; nothing of it is kept."""
        self._engine.cancel(self)


class Engine:
    """Carries out jobs on the workers of a cluster; one for all visitors of a server.

    ``address`` is the scheduler's; '' starts ``workers`` processes on this machine, of at most ``memory`` bytes each.
    ``present`` says whether an owner is still there. As many jobs can run at once as there are ``workers``.
    """

    def __init__(
        self, address: str = "", present: Callable[[str], bool] = lambda owner: True, workers: int = 0, memory: int = 0
    ):
        dask.config.set(_CONFIG)
        logging.getLogger("distributed.scheduler").setLevel(logging.CRITICAL)  # it reports each worker that is ended
        self._address, self._present = address, present
        self.workers = workers or _usual_workers()
        self._memory = memory or int(0.75 * MEMORY_LIMIT / self.workers)
        self._cluster: LocalCluster | None = None
        self._client: Client | None = None
        self._jobs: dict[str, Job] = {}  # those that have not ended, in the order in which they came
        self._absent: dict[str, float] = {}  # owner -> since when their browser has been away
        self._busy: set[str] = set()  # workers with a job, until it has ended or its process has
        self._tasks: set[asyncio.Task] = set()
        self._loop = asyncio.new_event_loop()
        self._wake = asyncio.Event()
        threading.Thread(target=self._loop.run_forever, name="engine", daemon=True).start()
        self._serving = self._call(self._serve())

    # -- what pages call, in any thread --------------------------------------------------------------------------------

    def submit(self, function: Callable, *arguments: Any, owner: str, seconds: float = 120, long: bool = False) -> Job:
        """Queues ``function(*arguments)`` for an owner; returns the job at once.

        ``seconds`` limit its time from the moment on at which a worker gets the job, its arguments included. A ``long``
        job may take minutes: one worker stays free of that kind. Raises EngineError if ``MOST_WAITING`` jobs wait.
        """
        if not owner:
            raise ValueError("A job needs an owner: call visitor() in the page, not in a function that a button calls.")
        job = Job(self, function, arguments, owner, seconds, long)
        if len(self._jobs) >= MOST_WAITING:
            raise EngineError("Too many computations wait on this server: try again in a minute.")
        job.round = sum(other.owner == owner for other in [*self._jobs.values()])
        self._jobs[job.id] = job
        self._loop.call_soon_threadsafe(self._wake.set)
        return job

    def order(self, job: Job, orders: dict[str, Any]) -> None:
        self._call(self._order(job, orders))

    def cancel(self, job: Job) -> None:
        self._call(self._cancel(job))

    def waiting(self) -> list[Job]:
        """The jobs that wait, the next one first: everybody's first before anybody's second."""
        return sorted((job for job in [*self._jobs.values()] if job.state == "waiting"), key=lambda job: job.round)

    def close(self) -> None:
        self._serving.cancel()
        with suppress(Exception):
            self._call(self._close()).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)

    # -- what runs in the engine's own thread --------------------------------------------------------------------------

    def _call(self, coroutine: Coroutine) -> ThreadFuture:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def _begin(self, coroutine: Coroutine) -> None:
        task = self._loop.create_task(coroutine)
        self._tasks.add(task)  # asyncio itself would forget it
        task.add_done_callback(self._tasks.discard)

    async def _serve(self) -> None:
        """Gives waiting jobs to idle workers, and ends what nobody waits for, as long as the server lives."""
        if not self._address:
            await self._try(self._connected())
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), _LOOK if self._jobs else None)
            self._wake.clear()
            await self._try(self._look())

    async def _try(self, step: Awaitable) -> None:
        """Awaits a step; an error of it ends the jobs that wait, with a sentence, and never the engine."""
        try:
            await step
        except Exception as error:  # such as no answer of the scheduler, or no memory for a process
            _LOG.warning("The engine has no cluster: %s", type(error).__name__)
            why = "The service that computes does not answer now: try again in a minute."
            for job in self.waiting():
                self._end(job, "failed", error=EngineError(why))

    async def _look(self) -> None:
        now = self._loop.time()
        owners = {job.owner for job in self._jobs.values()}
        self._absent = {owner: since for owner, since in self._absent.items() if owner in owners}
        for owner in owners:
            if self._present(owner):
                self._absent.pop(owner, None)
            elif now - self._absent.setdefault(owner, now) > LEFT:
                del self._absent[owner]
                for job in [job for job in self._jobs.values() if job.owner == owner]:
                    await self._cancel(job)
        waiting = self.waiting()
        if not waiting:
            return
        for job in self._running():
            if job.paused and now - job._paused_at > PAUSED:
                await self._order(job, {"paused": False, "stop": True})
                job.limited = True
        client = await self._connected()
        processing = await asyncio.wait_for(client.processing(), _ANSWER)
        self.workers = max(1, len(processing))
        idle = [worker for worker, keys in processing.items() if not keys and worker not in self._busy]
        others = sum(str(key).startswith("long-") for keys in processing.values() for key in keys)
        long = max(others, sum(job.long for job in self._running()))
        for job in waiting:
            if not idle:
                break
            if job.long and long >= max(1, len(processing) - 1):
                continue
            long += job.long
            job._worker, job.state = idle.pop(0), "running"
            self._busy.add(job._worker)
            self._begin(self._carry_out(job, client))

    async def _carry_out(self, job: Job, client: Client) -> None:
        """Runs one job on the worker that it was given, to its end or its limit."""
        future = None
        try:
            job._until = self._loop.time() + job.seconds
            key = f"{'long' if job.long else 'short'}-{job.id}"
            how = {"key": key, "workers": [job._worker], "priority": -job.round, "retries": 0, "pure": False}
            future = client.submit(_run, f"metamf-{client.id}", job.id, job.function, job.arguments, **how)
            outcome = asyncio.ensure_future(future.result())
            while not job.ended and not outcome.done():
                left = job._until - self._loop.time()
                if left <= 0 and (job.rows or job.now or job.facts) and job.state == "running":
                    job.limited = True
                    await self._order(job, {"paused": False, "stop": True})
                elif left <= 0:
                    sentence = f"This took longer than {job.seconds:g} seconds, so it was stopped: take a smaller table"
                    self._end(job, "failed", error=EngineError(f"{sentence}, or another method."))
                else:
                    await asyncio.wait({outcome}, timeout=min(left, 1.0))
            if job.ended:
                outcome.cancel()
            else:
                self._end(job, "done", result=await outcome)
        except KilledWorker:
            sentence = "The process that worked on this has ended, probably because it ran out of memory"
            self._end(job, "failed", error=EngineError(f"{sentence}: take a smaller table, or try again later."))
        except (asyncio.CancelledError, CancelledError):  # the scheduler is gone
            self._end(job, "failed", error=EngineError("The service that computes was lost: try again in a minute."))
        except Exception as error:
            self._end(job, "failed", error=error)
        finally:
            await self._release(job, client, future)

    async def _release(self, job: Job, client: Client, future: distributed.Future | None) -> None:
        """Frees the worker of a job that has ended; one that still computes for it is ended and started anew."""
        with suppress(Exception):  # the scheduler or the worker is gone, and the job with it
            if future is not None and not future.done():
                await asyncio.wait_for(future.cancel(force=True), _ANSWER)
                await asyncio.wait_for(client.run(_kill, workers=[job._worker], nanny=True), _ANSWER)
                while job._worker in await asyncio.wait_for(client.processing(), _ANSWER):
                    await asyncio.sleep(0.05)
        self._busy.discard(job._worker)
        self._wake.set()

    def _hear(self, event: tuple[float, tuple[str, dict[str, Any]]]) -> None:
        id, message = event[1]
        if (job := self._jobs.get(id)) is None:
            return
        job.facts = job.facts | message.get("facts", {})
        job.now = message.get("now", job.now)
        if row := message.get("row"):
            rows = [*job.rows, row]
            job.rows = rows if len(rows) <= MOST_ROWS else rows[::2]

    async def _order(self, job: Job, orders: dict[str, Any]) -> None:
        if job.ended:
            return
        if "paused" in orders:
            job.paused, job._paused_at = orders["paused"], self._loop.time()
        if orders.get("stop"):
            if job.state == "waiting":
                return await self._cancel(job)
            job.state, job.paused = "stopping", False
            job._until = self._loop.time() + GRACE
        if self._client is not None and job._worker:
            send = self._client.run(_receive, job.id, orders, workers=[job._worker], on_error="ignore")
            self._begin(send)  # a worker that does not answer holds nobody up

    async def _cancel(self, job: Job) -> None:
        if not job.ended:
            self._end(job, "cancelled", error=EngineError("This was cancelled."))
            self._wake.set()

    def _end(self, job: Job, state: State, result: Any = None, error: BaseException | None = None) -> None:
        if not job.ended:
            job.state, job.result, job.error, job.paused = state, result, error, False
            self._jobs.pop(job.id, None)
            job._ended.set()

    def _running(self) -> list[Job]:
        return [job for job in [*self._jobs.values()] if job.state in ("running", "stopping")]

    async def _connected(self) -> Client:
        """The connection to the cluster, made where there is none."""
        if self._client is not None and self._client.status == "running":
            return self._client
        if self._client is not None:
            lost, self._client = self._client, None
            await asyncio.wait({asyncio.ensure_future(lost.close())}, timeout=_ANSWER)
        if not self._address and self._cluster is None:
            self._cluster = await LocalCluster(
                n_workers=self.workers,
                threads_per_worker=1,
                memory_limit=self._memory,
                dashboard_address="127.0.0.1:0",
                security=True,  # other users of this machine cannot submit anything
                asynchronous=True,
            )
        where = self._cluster or self._address
        security = {} if self._cluster else {"security": Security()}
        self._client = await Client(where, asynchronous=True, timeout=_ANSWER, set_as_default=False, **security)
        self._client.subscribe_topic(f"metamf-{self._client.id}", self._hear)  # Dask keeps some of each topic
        await self._client.register_plugin(_Prepare(), name="metamf")
        return self._client

    async def _close(self) -> None:
        for job in [*self._jobs.values()]:
            await self._cancel(job)
        for part in (self._client, self._cluster):
            if part is not None and (closing := part.close()) is not None:
                await closing


def _usual_workers() -> int:
    """Two, of which one is left to short jobs; one more where there are cores and memory for it."""
    if said := os.environ.get(WORKERS, ""):
        if not said.isdecimal() or int(said) < 1:
            raise ValueError(f"{WORKERS} is {said!r}: set it to a whole number of processes, such as 2")
        return int(said)
    return 2 if MEMORY_LIMIT < parse_bytes("4 GiB") else 1 + max(2, min(os.cpu_count() or 1, 8))


# -- in a worker -------------------------------------------------------------------------------------------------------

_ORDERS: dict[str, dict[str, Any]] = {}  # id of the job that runs in this process -> orders that it has not seen
_ARRIVED = threading.Condition()


class _Prepare(WorkerPlugin):
    """Makes a worker ready: it computes on one core, gives way to the server, and has torch and the checkpoints."""

    def setup(self, worker: distributed.Worker) -> None:
        logging.getLogger("distributed.worker").setLevel(logging.CRITICAL)  # errors may quote a rating; pages show them
        if hasattr(os, "nice") and os.nice(0) < 10:
            os.nice(10)
        import metamf.answer.methods  # noqa: F401  with torch and all methods
        from metamf.checkpoints.bundled import list_pretrained, open_checkpoint

        for name in list_pretrained():
            with suppress(Exception):  # whoever asks for a damaged one is told
                open_checkpoint(name)


def _run(topic: str, id: str, function: Callable, arguments: tuple) -> Any:
    """Calls the function of a job; its reports go to the server, and orders come back."""
    if "report" not in inspect.signature(function).parameters:
        return function(*arguments)
    worker = get_worker()

    def report(message: dict[str, Any] | None = None) -> dict[str, Any]:
        if message:
            worker.log_event(topic, (id, message))
        return _orders(id)

    try:
        return function(*arguments, report=report)
    finally:
        _ORDERS.pop(id, None)


def _kill(dask_worker: distributed.Nanny) -> None:
    """Kills the process that a nanny watches over, which then starts a new one; Dask calls it in the nanny."""
    os.kill(dask_worker.pid, signal.SIGKILL)


def _receive(id: str, orders: dict[str, Any]) -> None:
    """Takes in orders for a job; Dask calls it in the worker's own thread."""
    with _ARRIVED:
        _ORDERS[id] = _ORDERS.get(id, {}) | orders
        _ARRIVED.notify_all()


def _orders(id: str) -> dict[str, Any]:
    """The orders since the last report, and ``stop`` for good; waits as long as the job is paused."""
    with _ARRIVED:
        _ARRIVED.wait_for(lambda: not _ORDERS.get(id, {}).get("paused") or _ORDERS[id].get("stop"))
        found = _ORDERS.pop(id, {})
        if found.get("stop"):
            _ORDERS[id] = {"stop": True}
        found.pop("paused", None)
        return found


# -- the engine of the app ---------------------------------------------------------------------------------------------


_MAKING = threading.Lock()  # ``cache`` alone lets visitors who come together make one engine each


def engine() -> Engine:
    """The engine of this server; the first call starts its processes in the background."""
    with _MAKING:
        return _engine()


@cache
def _engine() -> Engine:
    made = Engine(os.environ.get(SCHEDULER, ""), present=_present)
    atexit.register(_close_quietly, made)
    return made


def _close_quietly(made: Engine) -> None:
    """Closes the engine as the server ends; what its processes were doing then is no error."""
    for name in ("asyncio", "distributed"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    made.close()


def visitor() -> str:
    """The owner of the jobs that a page submits: the session of its visitor."""
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    context = get_script_run_ctx(suppress_warning=True)
    return "" if context is None else context.session_id


def _present(owner: str) -> bool:
    from streamlit.runtime import Runtime

    return not Runtime.exists() or Runtime.instance().is_active_session(owner)
