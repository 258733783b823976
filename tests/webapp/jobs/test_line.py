"""The line of those who wait: everybody's first job before anybody's second, and nobody overtaken for ever."""

from pathlib import Path

import pytest

from metamf.webapp.jobs.job import Job
from metamf.webapp.jobs.line import PoolFullError, in_turn, join, round_of_new
from metamf.webapp.jobs.states import State


def lined_up(*owners, now=0):
    """Jobs that were submitted in this order while round ``now`` was going on."""
    jobs = []
    for number, owner in enumerate(owners):
        job = Job(str(number), owner, "task", {}, 60, Path("folder"))
        job.round = round_of_new(jobs, owner, now)
        jobs.append(job)
    return jobs


def test_first_jobs_come_before_second_ones_and_within_a_round_who_came_first():
    jobs = lined_up("me", "me", "you", "me", "they", "you")
    assert [(job.owner, job.round) for job in in_turn(jobs)] == [
        ("me", 1),
        ("you", 1),
        ("they", 1),
        ("me", 2),
        ("you", 2),
        ("me", 3),
    ]


def test_who_comes_later_is_not_served_before_those_of_an_earlier_round():
    jobs = lined_up("me", "me", now=4)
    assert [job.round for job in jobs] == [5, 6] and round_of_new(jobs, "you", 5) == 6


def test_a_job_that_runs_does_not_wait_and_one_that_has_ended_counts_no_more():
    running, ended, waiting = lined_up("me", "me", "me")
    running.state, ended.state = State.RUNNING, State.DONE
    assert in_turn([running, ended, waiting]) == [waiting]
    assert round_of_new([ended], "me", 0) == 1 and round_of_new([running], "me", 0) == 2


def test_an_owner_with_too_many_jobs_and_a_line_that_is_too_long_are_told_so():
    mine = lined_up("me", "me")
    with pytest.raises(PoolFullError, match="2 computations of yours are not finished"):
        join(mine, "me", each=2, places=1, waiting=9)
    with pytest.raises(PoolFullError, match="1 computations are waiting already"):
        join(mine, "you", each=2, places=1, waiting=1)
    join(mine, "you", each=2, places=1, waiting=2)  # not refused
