"""Runs what takes longer than a moment outside the page: trainings, verdicts, slow methods, files
that are read.

The engine is dask.distributed. By default it starts worker processes on this machine. With
``METAMF_SCHEDULER`` set to ``tcp://host:8786`` or ``tls://host:8786`` it uses the workers of that
cluster, which need nothing but this package; Dask's own configuration names the certificates of
``tls``.

A job is a function with its arguments. Where it takes ``report``, it can tell how far it is, and
listen::

    def train(data, report):
        ...
        orders = report({"facts": {...}, "row": {...}, "now": {...}})    # any of them, or nothing
        ...
        return result

``facts`` are sent once, a ``row`` belongs to a curve, ``now`` replaces the one before, and ``best``
is the result if the job has to be ended before it returns one; it stays in the worker until then.
The answer has the orders that came meanwhile: settings, and ``{"stop": True}`` from the moment on
at which the function has to finish with the best so far. Functions, arguments and results have to
be picklable; all processes are our own.

A worker gets one job at a time, which the scheduler decides, so that servers share workers. Jobs
are scheduled round-robin by owner. One worker is reserved for short jobs, such as reading a file,
and long jobs give way to them on the cores. Workers start with the first jobs that need them, and
end when nobody has needed one for ``IDLE`` seconds.
"""

from __future__ import annotations

import asyncio
import copy
import logging
import os
import threading
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from concurrent.futures import Future as ThreadFuture
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Literal

import dask
import distributed
from dask.utils import parse_bytes
from distributed import CancelledError, Client, KilledWorker, LocalCluster, Security, Status
from distributed.system import MEMORY_LIMIT

from metamf.webapp import worker
from metamf.webapp.visits import Visitor, present, visitor, watching

__all__ = ["Engine", "EngineError", "Job", "RefusedError", "Tell", "engine", "use", "visitor"]

SCHEDULER = "METAMF_SCHEDULER"  # an environment variable: address of a Dask scheduler
WORKERS = "METAMF_WORKERS"  # and the number of processes where there is none
MOST_ROWS = 1000  # of a job's curve; of more, every second one is dropped
MOST_WAITING = 200  # jobs in the queue; of a class of forty each could have five
# of them, so that one address never fills it; a class behind one has all of them
MOST_OF_ADDRESS = 150
GRACE = 10.0  # seconds that a job has to finish after its time limit, or when it is asked to stop
LEFT = 30.0  # seconds after which the jobs of a visitor whose browser has left are ended
# idle processes, so that nobody waits for the one that a cancelled job has ended
SPARE = 1
# seconds in which a job that was cancelled may end by itself, before its process is killed
PATIENCE = 2.0
IDLE = 600.0  # seconds without a job after which the workers of this machine end
PAUSED = 60.0  # seconds after which a paused job finishes where others wait for its worker
_LOOK = 0.5  # seconds between two looks at owners and workers
_ANSWER = 5.0  # seconds that a scheduler has to answer
_DOWNLOADS = 100  # that wait for their files at once; asyncio itself has six threads on two cores
_GONE = (
    "The process that worked on this has ended, probably because it ran out of memory: try a "
    "smaller table, or try again later."
)
_LOG = logging.getLogger("metamf.webapp")
_CONFIG = {
    "distributed.scheduler.allowed-failures": 0,  # a job whose worker died is never tried again
    "distributed.admin.low-level-log-length": 100,
    "distributed.admin.large-graph-warning-threshold": "1 GB",  # a visitor's table is an argument
    "distributed.comm.retry.count": 0,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    # after 15 s one that starts slowly was given up for good
    "distributed.deploy.lost-worker-timeout": "10 minutes",
    "distributed.worker.memory.target": False,  # nothing of a visitor's is written to a disk
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": 0.95,
}

Tell = Callable[..., dict[str, Any]]  # of a message, or of nothing: the orders since
State = Literal["waiting", "running", "stopping", "done", "failed", "cancelled"]


class EngineError(Exception):
    """Raised for a job that has no result; the message is a sentence for the visitor."""


class RefusedError(Exception):
    """Raised by a job that cannot do what it was asked for; the message is a sentence for the
    visitor."""


@dataclass(eq=False, repr=False)  # no table of a visitor's gets into a message
class Job:
    """A job, as its owner sees it; only the engine changes it.

    Its progress is in ``facts``, ``rows`` and ``now``, its end in ``result`` or ``error``: that of
    its function, or an EngineError. ``stopped`` says whether its owner stopped it; ``limited``
    whether its time limit or a long pause did.
    """

    _engine: Engine
    function: Callable
    arguments: tuple
    owner: Visitor
    seconds: float
    long: bool
    round: int  # how many jobs of its owner were there when it came
    state: State = "waiting"
    facts: dict[str, Any] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    now: dict[str, Any] = field(default_factory=dict)
    result: Any = None
    error: BaseException | None = None
    paused: bool = False
    stopped: bool = False
    limited: bool = False
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    _worker: str = ""
    _since: float = 0.0
    _until: float = 0.0
    _paused_at: float = 0.0
    _ended: threading.Event = field(default_factory=threading.Event)

    @property
    def ended(self) -> bool:
        """Whether it has a result, or never will."""
        return self._ended.is_set()

    @property
    def waits_for(self) -> str:
        """What it waits for, in words for its owner; '' where it does not wait."""
        waiting = self._engine.waiting()
        if self not in waiting:
            return ""
        if not self._engine.started:
            return "starting a process, about ten seconds"
        return f"number {waiting.index(self) + 1} in the queue"

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
        """Pauses the job at its next report, or resumes it."""
        self._engine.order(self, {"paused": on})

    def set(self, **settings: Any) -> None:
        """Changes settings of its function, which reads them at its next report."""
        self._engine.order(self, settings)

    def cancel(self) -> None:
        """Ends the job within five seconds, and keeps nothing of it."""
        self._engine.cancel(self)


class Engine:
    """Carries out jobs on the workers of a cluster; one for all visitors of a server.

    ``address`` is the scheduler's; '' starts up to ``workers`` processes on this machine, of at
    most ``memory`` bytes each, when they are needed. ``present`` says whether an owner is still
    there.
    """

    def __init__(
        self,
        address: str = "",
        present: Callable[[Visitor], bool] = lambda owner: True,
        workers: int = 0,
        memory: int = 0,
    ):
        dask.config.set(_CONFIG)
        # it reports each worker that is ended
        logging.getLogger("distributed.scheduler").setLevel(logging.CRITICAL)
        self._address = address
        self._present = present
        self.workers = workers or _usual_workers()  # as many jobs can run at once
        self.started = 0  # workers that there are now
        share = 1.0 if address else 0.75 / self.workers
        self.memory = memory or int(share * MEMORY_LIMIT)  # of a worker
        self._cluster: LocalCluster | None = None
        self._client: Client | None = None
        # the jobs that have not ended, in the order in which they came, and those that have, whose
        # workers still compute for them
        self._jobs: dict[str, Job] = {}
        self._leaving: dict[str, Job] = {}
        self._absent: dict[Visitor, float] = {}  # owner -> since when their browser has been away
        self._tasks: set[asyncio.Task] = set()
        self._loop = asyncio.new_event_loop()
        self._wake = asyncio.Event()
        self._connecting = asyncio.Lock()  # visitors who come together get one cluster
        self._needed = self.now()  # when a worker was needed last
        self._there = self._needed  # when there was a worker last
        threading.Thread(target=self._loop.run_forever, name="engine", daemon=True).start()
        self._serving = self._call(self._serve())

    # -- what pages call, in any thread
    # --------------------------------------------------------------------------------

    def submit(
        self,
        function: Callable,
        *arguments: Any,
        owner: Visitor,
        seconds: float = 120,
        long: bool = False,
    ) -> Job:
        """Queues ``function(*arguments)`` for an owner; returns the job at once.

        ``seconds`` limit its time from the moment on at which a worker gets the job, its arguments
        included; it may wait ten times as long. A ``long`` job may take minutes: one worker stays
        free of that kind. Raises EngineError if ``MOST_WAITING`` jobs wait, or ``MOST_OF_ADDRESS``
        of the owner's address.
        """
        if not owner.session:
            raise ValueError(
                "A job needs an owner: call visitor() in the page, not in a function that a "
                "button calls."
            )
        others = self._all()
        of_address = sum(other.owner.address == owner.address for other in others)
        if len(others) >= MOST_WAITING or of_address >= MOST_OF_ADDRESS:
            raise EngineError(
                "Too many computations are waiting on this server: try again in a minute."
            )
        round = sum(other.owner == owner for other in others)
        job = Job(self, function, arguments, owner, seconds, long, round, _since=self.now())
        self._jobs[job.id] = job
        self._loop.call_soon_threadsafe(self._wake.set)
        return job

    def warm(self) -> None:
        """Has workers started, if there are none, for jobs that are likely to come."""
        self._call(self._warm())

    def now(self) -> float:
        """Seconds on the engine's own clock."""
        return self._loop.time()

    def order(self, job: Job, orders: dict[str, Any]) -> None:
        self._call(self._order(job, orders))

    def cancel(self, job: Job) -> None:
        self._call(self._cancel(job))

    def waiting(self) -> list[Job]:
        """The jobs that wait, the next one first: everybody's first before anybody's second."""
        waiting = [job for job in self._all() if job.state == "waiting"]
        return sorted(waiting, key=lambda job: job.round)

    def _all(self) -> list[Job]:
        """The jobs that have not ended: a copy, since pages add some meanwhile."""
        return list(self._jobs.values())

    def close(self) -> None:
        self._serving.cancel()
        with suppress(Exception):
            self._call(self._close()).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)

    # -- what runs in the engine's own thread
    # --------------------------------------------------------------------------

    def _call(self, coroutine: Coroutine) -> ThreadFuture:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def _begin(self, coroutine: Coroutine) -> None:
        task = self._loop.create_task(coroutine)
        self._tasks.add(task)  # asyncio itself would forget it
        task.add_done_callback(self._tasks.discard)

    async def _serve(self) -> None:
        """Gives waiting jobs to idle workers, and ends what nobody waits for, as long as the server
        lives."""
        while True:
            pause = IDLE / 10 if self._cluster else None
            if self._jobs or self._leaving:
                pause = _LOOK
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), pause)
            self._wake.clear()
            await self._try(self._look())

    async def _try(self, step: Awaitable) -> None:
        """Awaits a step. Without a cluster, the jobs that wait end with a sentence; any other error
        is a fault of ours, which goes to the log and ends no job, and never the engine."""
        try:
            await step
        except OSError as error:  # such as no answer of the scheduler, or no memory for a process
            _LOG.warning("The engine has no cluster: %s", type(error).__name__)
            why = "The service that computes does not answer now: try again in a minute."
            for job in self.waiting():
                self._fail(job, why)
        except Exception:
            _LOG.exception("A step of the engine has failed")

    async def _look(self) -> None:
        now = self.now()
        owners = {job.owner for job in self._all()}
        self._absent = {owner: since for owner, since in self._absent.items() if owner in owners}
        for owner in owners:
            if self._present(owner):
                self._absent.pop(owner, None)
            elif now - self._absent.setdefault(owner, now) > LEFT:
                del self._absent[owner]
                for job in [job for job in self._all() if job.owner == owner]:
                    await self._cancel(job)
        for job in self.waiting():
            if now - job._since > 10 * job.seconds:
                why = (
                    f"This waited for {10 * job.seconds / 60:.0f} minutes: many are computing "
                    "now. Try again later."
                )
                self._fail(job, why)
        waiting = self.waiting()
        for job in self._running():
            if waiting and job.paused and now - job._paused_at > PAUSED:
                await self._order(job, {"paused": False, "stop": True})
                job.limited = True
        if self._jobs or self._leaving:
            self._needed = now
            await self._start(len(self._jobs) + len(self._leaving) + SPARE)
        elif self._cluster and now - self._needed >= IDLE:
            self._cluster.scale(0)
            self.started = 0
        if self._client:
            await self._give(waiting)

    async def _warm(self) -> None:
        self._needed = self.now()
        await self._try(self._start(1 + SPARE))
        self._wake.set()

    async def _start(self, workers: int) -> None:
        """Connects, and starts processes where fewer than ``workers`` are there; lost ones are
        restarted."""
        await self._connected()
        if self._cluster:
            states = [each.status for each in self._cluster.workers.values()]
            lost = states.count(Status.closed) + states.count(Status.failed)
            living = len(self._cluster.worker_spec) - lost
            self._cluster.scale(max(living, min(self.workers, workers)) + lost)

    async def _give(self, waiting: list[Job]) -> None:
        """Claims workers for jobs that wait, and ends those whose worker has gone."""
        client = await self._connected()
        running = self._running()
        leaving = {job.owner for job in self._leaving.values()}
        # Whoever has cancelled a job that still computes leaves the last idle worker to others.
        wishes = [worker.Wish(job.id, job.long, int(job.owner in leaving)) for job in waiting]
        jobs = [*self._jobs, *self._leaving]
        most = self.workers if self._cluster else 0
        asked = client.run_on_scheduler(worker.claim, client.id, jobs, wishes, most)
        claimed, self.started = await asyncio.wait_for(asked, _ANSWER)
        if self._address:
            self.workers = max(1, self.started)
        for job in running:
            if job.id not in claimed:
                self._fail(job, _GONE)
        for job in waiting:
            if job.id in claimed and not job.ended:
                job._worker = claimed[job.id]
                job.state = "running"
                self._begin(self._carry_out(job, client))
        if self.started:
            self._there = self.now()
        elif waiting:
            since = max(self._there, min(job._since for job in waiting))
            if self.now() - since > worker.START:
                raise TimeoutError

    async def _carry_out(self, job: Job, client: Client) -> None:
        """Runs one job on the worker that it was given, to its end or its limit."""
        job._until = self.now() + job.seconds
        try:
            future = client.submit(
                worker.run,
                f"metamf-{client.id}",
                job.id,
                job.function,
                job.arguments,
                job.long,
                key=f"metamf-{job.id}",
                workers=[job._worker],
                priority=-job.round,
                retries=0,
                pure=False,
            )
        except Exception as error:  # such as arguments that cannot be sent
            self._end(job, "failed", error=error)
            self._leaving.pop(job.id)
            return
        outcome = asyncio.ensure_future(future.result())
        try:
            while not job.ended and not outcome.done():
                left = job._until - self.now()
                if left <= 0 and (job.rows or job.now or job.facts) and job.state == "running":
                    job.limited = True
                    await self._order(job, {"paused": False, "stop": True})
                elif left <= 0:
                    await self._end_late(job, client)
                else:
                    await asyncio.wait({outcome}, timeout=min(left, _LOOK))
            if not job.ended:
                # Arrays of a result are parts of its message: without a copy, the smallest would
                # keep all of it.
                self._end(job, "done", result=await asyncio.to_thread(copy.deepcopy, await outcome))
        except KilledWorker:
            self._fail(job, _GONE)
        except (asyncio.CancelledError, CancelledError):  # the scheduler is gone
            self._fail(job, "The service that computes was lost: try again in a minute.")
        except Exception as error:
            self._end(job, "failed", error=error)
        finally:
            await self._release(job, client, future, outcome)

    async def _end_late(self, job: Job, client: Client) -> None:
        """Ends a job whose time is over: with the best that it has told, if there is any."""
        found: dict[str, Any] = {}
        if job.rows or job.now or job.facts:  # it listens, so its worker answers
            asked = client.run(worker.best, job.id, workers=[job._worker], on_error="ignore")
            with suppress(OSError):
                found = await asyncio.wait_for(asked, _ANSWER)
        best = found.get(job._worker)
        if best is not None:
            self._end(job, "done", result=await asyncio.to_thread(copy.deepcopy, best))
        elif job.stopped:
            self._fail(job, "You stopped this, before there was a result.")
        else:
            self._fail(
                job,
                f"This took longer than {job.seconds:g} seconds, so it was stopped: try a smaller "
                "table, or another method.",
            )

    async def _release(
        self, job: Job, client: Client, future: distributed.Future, outcome: asyncio.Future
    ) -> None:
        """Gives back the worker of a job that has ended; one that goes on computing for it is
        killed, and starts again.

        The worker stays claimed until then, so nobody else's job is on it, and the job stays among
        those that leave until there is a new one: clicks of one visitor end one worker after the
        other, and never the last.
        """
        with suppress(Exception):  # the scheduler or the worker is gone, and the job with it
            if not outcome.done():
                self._send(job, client, {"paused": False, "stop": True})
                await asyncio.wait({outcome}, timeout=PATIENCE)
            while not outcome.done():
                with suppress(TimeoutError):
                    await asyncio.wait_for(
                        client.run(worker.renew, workers=[job._worker], nanny=True), worker.START
                    )
                await asyncio.wait({outcome}, timeout=_ANSWER)
        outcome.cancel()
        await asyncio.wait({outcome})
        if not outcome.cancelled():
            outcome.exception()  # asyncio would report one that nobody has seen
        future.release()
        self._leaving.pop(job.id)
        self._wake.set()

    def _send(self, job: Job, client: Client, orders: dict[str, Any]) -> None:
        sent = client.run(worker.receive, job.id, orders, workers=[job._worker], on_error="ignore")
        self._begin(sent)  # a worker that does not answer holds nobody up

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
            job.paused = orders["paused"]
            job._paused_at = self.now()
        if orders.get("stop"):
            if job.state == "waiting":
                return await self._cancel(job)
            job.state = "stopping"
            job.paused = False
            job._until = self.now() + GRACE
        if self._client is not None and job._worker:
            self._send(job, self._client, orders)

    async def _cancel(self, job: Job) -> None:
        if not job.ended:
            self._end(job, "cancelled", error=EngineError("This was cancelled."))
            self._wake.set()

    def _fail(self, job: Job, why: str) -> None:
        self._end(job, "failed", error=EngineError(why))

    def _end(
        self, job: Job, state: State, result: Any = None, error: BaseException | None = None
    ) -> None:
        if not job.ended:
            job.state = state
            job.result = result
            job.error = error
            job.paused = False
            job.arguments = ()  # whoever keeps the job keeps no table with it
            self._jobs.pop(job.id, None)
            if job._worker:
                self._leaving[job.id] = job
            job._ended.set()

    def _running(self) -> list[Job]:
        return [job for job in self._all() if job.state in ("running", "stopping")]

    async def _connected(self) -> Client:
        """The connection to the cluster, made where there is none, by whoever comes first.

        Raises ConnectionError if there can be none now.
        """
        async with self._connecting:
            lost = self._client
            if lost is not None and lost.status == "running":
                return lost
            if lost is not None:
                self._client = None
                await asyncio.wait({asyncio.ensure_future(lost.close())}, timeout=_ANSWER)
            try:
                return await self._connect()
            except Exception as error:  # Dask raises a RuntimeError for a cluster, too
                raise ConnectionError(type(error).__name__) from error

    async def _connect(self) -> Client:
        if not self._address and self._cluster is None:
            self._cluster = await LocalCluster(
                n_workers=0,
                threads_per_worker=1,
                memory_limit=self.memory,
                # of a server that cannot be left out, and has no page: _CONFIG
                dashboard_address="127.0.0.1:0",
                security=True,  # other users of this machine cannot submit anything
                asynchronous=True,
            )
        where = self._cluster or self._address
        security = {} if self._cluster else {"security": Security()}
        client = await Client(
            where, asynchronous=True, timeout=_ANSWER, set_as_default=False, **security
        )
        client.subscribe_topic(f"metamf-{client.id}", self._hear)  # Dask keeps some of each topic
        await client.register_plugin(worker.Prepare(), name="metamf")
        self._client = client
        return client

    async def _close(self) -> None:
        for job in self._all():
            await self._cancel(job)
        for part in (self._client, self._cluster):
            if part is not None and (closing := part.close()) is not None:
                await closing


def _usual_workers() -> int:
    """One where there is little memory; otherwise one for each core, and one more that is left to
    short jobs."""
    if said := os.environ.get(WORKERS, ""):
        if not said.isdecimal() or int(said) < 1:
            raise ValueError(
                f"{WORKERS} is {said!r}: set it to a whole number of processes, such as 2"
            )
        return int(said)
    return 1 if MEMORY_LIMIT < parse_bytes("4 GiB") else 1 + max(2, min(os.cpu_count() or 1, 8))


_making = threading.Lock()  # visitors who come together are given one engine
_made: list[Engine] = []


def engine() -> Engine:
    """The engine of this server."""
    with _making:
        if not _made:
            _made.append(Engine(os.environ.get(SCHEDULER, ""), present=present))
        return _made[0]


def use(made: Engine | None) -> None:
    """Makes ``made`` the engine of this server; None lets the next call of ``engine`` make one."""
    with _making:
        _made[:] = [] if made is None else [made]


@asynccontextmanager
async def serving(app: object) -> AsyncIterator[None]:
    """Looks after visitors as long as the server runs, and ends the engine with it, by SIGTERM as
    well."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(_DOWNLOADS, "downloads"))
    async with watching(app):
        yield
        for name in ("asyncio", "distributed"):
            # what processes were doing then is no error
            logging.getLogger(name).setLevel(logging.CRITICAL)
        for made in _made:
            await asyncio.to_thread(made.close)
