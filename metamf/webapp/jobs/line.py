"""The line of those who wait: who may join it, and whose turn it is next.

Every job gets the number of a round when it is submitted: the round after the one that is going on, and of an owner who
has an unfinished job the round after that job's. So nobody's second job has its turn before the first ones of all who
wait then, however many one owner has submitted, and nobody is overtaken for ever (start-time fair queueing, Goyal, Vin
and Cheng 1996, with jobs of equal length).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from metamf.webapp.jobs.job import Job
from metamf.webapp.jobs.states import State


class PoolFullError(Exception):
    """Raised where no more jobs are taken; the message is a sentence for the visitor."""


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
