"""A bounded pool of worker processes: a given number of jobs at once, the others in a queue (``line``).

Heavy work of visitors (a meta-training, say) runs here, each job in a process of its own, so that no other visitor's
click waits for it, it can be killed at any time, and what it does wrong ends with it. A job belongs to the owner who
submitted it: nobody else can see, move or end it, and it ends when the owner has left.
"""

from __future__ import annotations

import secrets
import shutil
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from metamf.webapp.jobs.job import Job, Shown
from metamf.webapp.jobs.line import Line, OwnLine, PoolFullError, Standing, in_turn, join, round_of_new
from metamf.webapp.jobs.presence import Presence
from metamf.webapp.jobs.process import WorkerProcess
from metamf.webapp.jobs.root import Root, new_folder
from metamf.webapp.jobs.spare import Spare
from metamf.webapp.jobs.states import Event, State, possible
from metamf.webapp.jobs.ticking import every_now_and_then


class Pool:
    """The jobs of all visitors.

    Parameters
    ----------
    places : int
        Number of jobs that have a process at once; a paused one keeps its place, as long as its time lasts.
    waiting : int
        Largest number of jobs that wait.
    each : int
        Largest number of unfinished jobs of an owner.
    kept : int
        Number of finished jobs that are kept of an owner, the latest ones.
    seconds : float
        Time limit of a job, pauses included, unless ``submit`` says otherwise; then it is asked to stop.
    grace : float
        Seconds that a job has to stop in, after which it is killed.
    spare : float
        Seconds for which a process that ``prepare`` has started waits for a job.
    pause : float
        Seconds for which a paused job keeps its place while others wait for one; then it is asked to stop.
    absence : float
        Seconds after which an owner who is not present has left.
    present : callable
        Whether an owner is there; asked every now and then.
    tick : float
        Seconds between two looks at the clock.
    told : callable
        Called with each job that has ended, and the seconds since it was submitted.
    line : Line, optional
        The rule on whose turn it is, such as the line of all replicas; by default the pool's own.


    """

    def __init__(
        self,
        places: int = 2,
        *,
        waiting: int = 60,
        each: int = 2,
        kept: int = 8,
        seconds: float = 600,
        grace: float = 20,
        spare: float = 120,
        pause: float = 60,
        absence: float = 60,
        present: Callable[[str], bool] = lambda owner: True,
        tick: float = 0.5,
        told: Callable[[Job, float], None] = lambda job, seconds: None,
        line: Line | None = None,
    ):
        self.places, self.waiting, self.each, self.kept = places, waiting, each, kept
        self.seconds, self.grace, self.tick, self.longest_pause = seconds, grace, tick, pause
        self.told, self._round, self._line = told, 0, line or OwnLine()
        self._jobs: dict[str, Job] = {}  # in the order in which they came
        self._presence = Presence(present, absence)
        self._lock = threading.RLock()
        self._watching = False
        self._roots: list[Root] = []  # the folder around those of the jobs, from the first one on
        self._spare = Spare(spare)
        ends = self._jobs, self._roots, self._spare
        self._end = weakref.finalize(self, _end_all, *ends)  # at the interpreter's end at the latest

    # -- what an owner does -------------------------------------------------------------------------------------------

    def submit(self, owner: str, task: str, arguments: dict[str, Any], seconds: float | None = None) -> str:
        """Queues a job, which begins at once where there is a place.

        Parameters
        ----------
        owner : str
            The owner that it belongs to.
        task : str
            'package.module:function'; see ``metamf.webapp.jobs.worker``.
        arguments : dict
            JSON values for it.
        seconds : float, optional
            Its time limit; by default that of the pool.

        Returns
        -------
        str
            The job's id.

        Raises
        ------
        PoolFullError
            If the queue is full, the owner has enough jobs already, no folder can be made for the job, or the pool was
            closed.
        """
        with self._lock:
            if not self._end.alive:
                raise PoolFullError("This server is ending, so nothing more is computed.")
            for job in [job for job in self._jobs.values() if job.owner == owner and job.state.ended][: -self.kept]:
                self._forget(job)
            limits = {"each": self.each, "places": self.places, "waiting": self.waiting}
            join([job for job in self._jobs.values() if not job.state.ended], owner, **limits)
            id = secrets.token_urlsafe(16)
            limit = self.seconds if seconds is None else seconds
            job = Job(id, owner, task, arguments, limit, new_folder(self._roots, id))
            job.round = round_of_new(self._jobs.values(), owner, self._round)
            self._jobs[id] = job
            self._begin_next()
            self._watch()
            self._ask_soon()
            return id

    def prepare(self, task: str) -> None:
        """Has a process ready for the next job of a task, whoever submits it, where a place is free."""
        with self._lock:
            if self._end.alive and self.busy()[0] < self.places:
                self._spare.start(task)
                self._watch()

    def look(self, owner: str, id: str) -> Shown | None:
        """The job as it stands; None where the owner has no such job."""
        with self._lock:
            job = self._of(owner, id)
            return job and job.shown(self._place(job))

    def jobs(self, owner: str) -> list[Shown]:
        """All jobs of an owner, the oldest first."""
        with self._lock:
            return [job.shown(self._place(job)) for job in self._jobs.values() if job.owner == owner]

    def busy(self) -> tuple[int, int]:
        """Numbers of jobs that have a process and that wait for one."""
        with self._lock:
            jobs = self._jobs.values()
            return sum(job.state.has_process for job in jobs), len(in_turn(jobs))

    def pause(self, owner: str, id: str) -> None:
        """Asks a running job to wait before its next step; any other is left as it is."""
        self._tell(owner, id, Event.PAUSE, {"paused": True})

    def go_on(self, owner: str, id: str) -> None:
        """Lets a paused job go on; any other is left as it is."""
        self._tell(owner, id, Event.GO_ON, {"paused": False})

    def set(self, owner: str, id: str, **settings: Any) -> None:
        """Changes settings of a running or paused job from its next step on."""
        self._tell(owner, id, None, settings)

    def stop(self, owner: str, id: str) -> None:
        """Asks a job to finish with the best that it has; one that waits is cancelled, one that has ended stays."""
        with self._lock:
            if job := self._of(owner, id):
                self._stop(job, "asked")

    def cancel(self, owner: str, id: str) -> None:
        """Ends a job at once, without a result; one that has ended stays."""
        with self._lock:
            if job := self._of(owner, id):
                self._cancel(job)

    def forget(self, owner: str, id: str) -> None:
        """Ends a job at once and removes all that there is of it, its files included."""
        with self._lock:
            if job := self._of(owner, id):
                self._forget(job)

    def leave(self, owner: str) -> None:
        """Ends and removes all jobs of an owner."""
        with self._lock:
            for job in [job for job in self._jobs.values() if job.owner == owner]:
                self._forget(job)

    def close(self) -> None:
        """Ends everything and removes all files; the pool can take no job after that."""
        with self._lock:
            self._end()

    # -- what the pool does, under its lock ---------------------------------------------------------------------------

    def _of(self, owner: str, id: str) -> Job | None:
        job = self._jobs.get(id)
        return job if job is not None and job.owner == owner else None

    def _place(self, job: Job) -> int | None:
        return self._line.place(job, in_turn(self._jobs.values())) if job.state is State.QUEUED else None

    def _standing(self) -> Standing:
        with self._lock:
            running, waiting = self.busy()[0], in_turn(self._jobs.values())
            return Standing(running, max(self.places - running, 0), self._round, waiting)

    def _ask_soon(self) -> None:
        with suppress(RuntimeError):  # no threads left: at the next look at the clock
            threading.Thread(target=self._ask_line, daemon=True).start()

    def _ask_line(self) -> None:
        """Starts what the line lets begin; asks it without the pool's lock."""
        if self._line.ask(self._standing):
            with self._lock:
                self._begin_next()

    def _begin_next(self) -> None:
        """Starts those who wait, whose turn it is, while there are places.

        One whose process cannot be started fails; the next one is tried at the next look at the clock.
        """
        now = self._standing()
        for job in self._line.beginning(now.waiting, now.free):
            job.happens(Event.START)
            self._round = max(self._round, job.round)
            job.until = time.monotonic() + job.seconds
            try:
                job.process = self._process_for(job)
                threading.Thread(target=self._follow, args=(job,), daemon=True).start()
            except (OSError, RuntimeError):  # no memory, no process numbers or threads left
                if job.process is not None:
                    job.process.kill()
                job.fails("died")
                self.told(job, time.monotonic() - job.came)
                return

    def _process_for(self, job: Job) -> WorkerProcess:
        """A process with the job: the one that waits for it, or a new one; OSError where none can be started."""
        what = {"task": job.task, "arguments": job.arguments}
        if (process := self._spare.take(job.task)) is not None:
            process.begin(job.folder, what)
            return process
        if self.busy()[0] >= self.places:  # with this job: no more processes than places
            self._spare.end()
        return WorkerProcess(job.folder, what)

    def _tell(self, owner: str, id: str, event: Event | None, order: dict[str, Any]) -> None:
        with self._lock:
            job = self._of(owner, id)
            if job is None or not job.state.has_process or (event and not possible(job.state, event)):
                return
            if event:
                job.happens(event)
            if event is Event.PAUSE:
                job.paused = time.monotonic()
            job.process.tell(order)

    def _stop(self, job: Job, why: str) -> None:
        if not possible(job.state, Event.STOP):
            return
        job.happens(Event.STOP)
        job.why = why
        job.until = time.monotonic() + self.grace
        if job.process is not None:
            job.process.tell({"stop": True})

    def _cancel(self, job: Job) -> None:
        if possible(job.state, Event.CANCEL):
            job.happens(Event.CANCEL)
            self._ended(job)

    def _forget(self, job: Job) -> None:
        self._cancel(job)
        del self._jobs[job.id]
        shutil.rmtree(job.folder, ignore_errors=True)

    def _ended(self, job: Job) -> None:
        if job.process is not None:
            job.process.kill()
        if job.state is not State.DONE:
            shutil.rmtree(job.folder, ignore_errors=True)  # what is half of a result takes no room
        self.told(job, time.monotonic() - job.came)
        self._begin_next()
        self._ask_soon()

    def _follow(self, job: Job) -> None:
        """Takes in all that a process says; runs in a thread of its own until the process has ended."""
        for message in job.process.messages():
            with self._lock:
                if job.state.ended:
                    return
                job.hears(message)
                if job.state.ended:
                    self._ended(job)
                    return
        with self._lock:
            if not job.state.ended:
                job.fails("died")
                self._ended(job)

    # -- the clock ----------------------------------------------------------------------------------------------------

    def _watch(self) -> None:
        if not self._watching:
            self._watching = True
            every_now_and_then(self._check_clock, self.tick)

    def _check_clock(self) -> bool:
        """Ends what has taken too long or whose owner has left; returns whether there is anything left to watch."""
        owners = {job.owner for job in list(self._jobs.values())}
        now = time.monotonic()
        left = self._presence.left(owners, now)  # without the lock: it may take others
        self._ask_line()
        with self._lock:
            for owner in left:
                self.leave(owner)
            for job in list(self._jobs.values()):
                if job.state.has_process and now >= job.until:
                    self._out_of_time(job)
                elif job.paused_for(now) >= self.longest_pause and self._line.is_long(in_turn(self._jobs.values())):
                    self._stop(job, "wanted")
            self._begin_next()
            self._spare.look(now)
            self._watching = bool(self._jobs) or self._spare.waits
            return self._watching

    def _out_of_time(self, job: Job) -> None:
        if job.state is State.STOPPING:
            job.fails("stuck")
            self._ended(job)
        else:
            self._stop(job, "time")


def _end_all(jobs: dict[str, Job], roots: list[Root], spare: Spare) -> None:
    """Kills every process and removes all files."""
    spare.end()
    for job in list(jobs.values()):
        if job.process is not None:
            job.process.kill()
    jobs.clear()
    for root in roots:
        root.remove()
