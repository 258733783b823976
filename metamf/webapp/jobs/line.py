"""The line of those who wait: who may join it, and whose turn it is next.

Every job gets the number of a round when it is submitted: the round after the one that is going on, and of an owner who
has an unfinished job the round after that job's. So nobody's second job has its turn before the first ones of all who
wait then, however many one owner has submitted, and nobody is overtaken for ever (start-time fair queueing, Goyal, Vin
and Cheng 1996, with jobs of equal length).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from metamf.webapp.jobs.job import Job
from metamf.webapp.jobs.states import State


class PoolFullError(Exception):
    """Raised where no more jobs are taken; the message is a sentence for the visitor."""


@dataclass(frozen=True)
class Standing:
    """State of a pool at one moment: jobs that run, places that are free, those who wait, the round begun last."""

    running: int
    free: int
    round: int
    waiting: list[Job]


class Line(Protocol):
    """A rule that says which of a pool's waiting jobs, given the next one first, may begin."""

    def beginning(self, waiting: list[Job], free: int) -> list[Job]:
        """Those that may begin now, ``free`` at most."""

    def place(self, job: Job, waiting: list[Job]) -> int:
        """The place of a job that waits, 1 for the next one."""

    def is_long(self, waiting: list[Job]) -> bool:
        """Whether anybody waits."""

    def ask(self, standing: Callable[[], Standing]) -> bool:
        """Asks anew, in a thread that may wait for an answer; whether there is anything to ask."""


class OwnLine:
    """The line of a pool that shares its places with nobody."""

    def beginning(self, waiting: list[Job], free: int) -> list[Job]:
        return waiting[:free]

    def place(self, job: Job, waiting: list[Job]) -> int:
        return waiting.index(job) + 1

    def is_long(self, waiting: list[Job]) -> bool:
        return bool(waiting)

    def ask(self, standing: Callable[[], Standing]) -> bool:
        return False


def join(unfinished: Sequence[Job], owner: str, each: int, places: int, waiting: int) -> None:
    """Lets an owner submit another job; PoolFullError where that is not possible. The limits are ``Pool``'s."""
    if sum(job.owner == owner for job in unfinished) >= each:
        raise PoolFullError(f"{each} computations of yours are not finished yet: wait, or stop one of them.")
    if len(unfinished) >= places + waiting:
        raise PoolFullError(f"{waiting} computations are waiting already: try again in a few minutes.")


def round_of_new(jobs: Iterable[Job], owner: str, now: int) -> int:
    """The round of a job that an owner submits; ``now`` is the round of the job that was started last."""
    return 1 + max([now, *(job.round for job in jobs if job.owner == owner and not job.state.ended)])


def in_turn(jobs: Iterable[Job]) -> list[Job]:
    """Those of ``jobs``, which are in the order in which they came, that wait: the next one first."""
    waiting = [job for job in jobs if job.state is State.QUEUED]
    return sorted(
        waiting, key=lambda job: job.round
    )  # within a round, who came first is first: sorted() keeps the order
