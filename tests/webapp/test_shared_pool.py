"""The pool that all visitors share: its keeper hears of every end and every refusal."""

import pytest
from tiny_jobs import DONE, ME, until

from metamf.webapp import shared_pool
from metamf.webapp.jobs.line import PoolFullError
from metamf.webapp.monitoring import observing


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


def test_outside_of_a_run_there_is_no_visitor():
    assert shared_pool.visitor() is None
