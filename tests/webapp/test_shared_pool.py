"""The pool that all visitors share: its keeper hears of every end and every refusal."""

import contextlib

import pytest
from tiny_jobs import DONE, ME, YOU, until

from metamf.webapp import shared_pool
from metamf.webapp.jobs.line import PoolFullError
from metamf.webapp.monitoring import observing
from metamf.webapp.serving import memory, workers_memory


def test_the_keeper_hears_of_a_job_that_is_refused_and_of_one_that_has_ended(monkeypatch):
    heard = []
    monkeypatch.setattr(observing, "refused", lambda *said, **values: heard.append((*said, values)))
    monkeypatch.setattr(observing, "ended", lambda task, how, why, seconds: heard.append((task, how, why)))
    pool = shared_pool.SharedPool(tick=0.01, each=1, told=shared_pool._told)
    try:
        job = pool.submit(ME, "tiny_jobs:count", {"to": 1})
        with pytest.raises(PoolFullError):
            pool.submit(ME, "metamf.webapp.train.task:train", {})
        assert heard.pop(0) == ("queue full", {"task": "train.task:train"})
        until(pool, ME, job, DONE)
        assert heard == [("tiny_jobs:count", "done", "")]
    finally:
        pool.close()


class Heard(list):
    """What the keeper hears of refusals."""

    def __call__(self, reason, **values):
        self.append((reason, values))


@pytest.fixture
def heard(monkeypatch):
    monkeypatch.setattr(observing, "refused", Heard())
    return observing.refused


@pytest.fixture
def shared():
    """A pool of one place, as the pages have it."""
    with contextlib.closing(shared_pool.SharedPool(1, tick=0.01, each=4)) as pool:
        yield pool


def leave(monkeypatch, left):
    monkeypatch.setattr(memory, "left", lambda: left)


ENOUGH = workers_memory.WORKER + workers_memory.RESERVE


def test_a_job_without_the_memory_for_its_process_is_refused_in_a_sentence_and_taken_later(shared, heard, monkeypatch):
    leave(monkeypatch, ENOUGH - 1)
    with pytest.raises(PoolFullError, match="too little memory left for a computation: try again later"):
        shared.submit(ME, "tiny_jobs:count", {"to": 1})
    assert heard == [("memory short", {"needed": ENOUGH, "left": ENOUGH - 1})] and shared.jobs(ME) == []
    for left in (ENOUGH, None):  # None: not known
        leave(monkeypatch, left)
        until(shared, ME, shared.submit(ME, "tiny_jobs:count", {"to": 1}), DONE)


def test_jobs_in_the_queue_go_on_and_more_may_join_it_where_memory_is_short(shared, heard, monkeypatch):
    running, waiting = (shared.submit(ME, "tiny_jobs:count", {}) for _ in range(2))
    leave(monkeypatch, 0)
    joined = shared.submit(ME, "tiny_jobs:count", {"to": 2})
    assert shared.look(ME, joined).place == 2 and heard == []
    shared.cancel(ME, running)
    until(shared, ME, waiting, rows=1)
    shared.cancel(ME, waiting)
    assert until(shared, ME, joined, DONE).result == {"number": 2}


def test_two_that_come_at_once_do_not_count_on_the_same_memory(heard, monkeypatch):
    leave(monkeypatch, ENOUGH)
    with contextlib.closing(shared_pool.SharedPool(2, tick=0.01)) as pool:
        first = pool.submit(ME, "tiny_jobs:count", {})
        with pytest.raises(PoolFullError, match="too little memory"):  # the first one's process has its imports to come
            pool.submit(YOU, "tiny_jobs:count", {})
        pool.cancel(ME, first)
        until(pool, YOU, pool.submit(YOU, "tiny_jobs:count", {"to": 1}), DONE)


def test_a_process_that_waits_for_a_job_gives_its_memory_back_where_that_is_short(shared, monkeypatch):
    monkeypatch.setattr(shared_pool.Runtime, "exists", lambda: True)
    leave(monkeypatch, ENOUGH - 1)
    shared.prepare("tiny_jobs:count")
    assert not shared._spare.waits  # none is started
    leave(monkeypatch, ENOUGH)
    shared.prepare("tiny_jobs:count")
    assert shared._spare.waits
    monkeypatch.setattr(memory, "left", lambda: ENOUGH - shared._spare.waits)
    until(shared, ME, shared.submit(ME, "tiny_jobs:tell_pid", {"asked": 0}), DONE)
    assert not shared._spare.waits


def test_outside_of_a_run_there_is_no_visitor():
    assert shared_pool.visitor() is None
