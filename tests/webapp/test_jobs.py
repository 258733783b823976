"""Jobs that a page follows: begun once, ended by another one or a click, and shown meanwhile."""

import asyncio
from types import SimpleNamespace

import pytest
from engine_jobs import counts
from opened import healthy
from served import in_a_loop
from streamlit.testing.v1 import AppTest

from metamf.webapp import jobs
from metamf.webapp.engine import EngineError


@pytest.fixture
def session(monkeypatch, straight_engine):
    state = {}
    monkeypatch.setattr(jobs.st, "session_state", state)
    return straight_engine


def test_a_job_is_begun_once_for_a_key_and_another_key_or_its_end_ends_all_but_a_training(session):
    session.upto = 1
    training = jobs.begin(jobs.TRAINING, 1, counts)
    first = jobs.begin("count", 1, counts)
    assert jobs.begin("count", 1, counts) is first
    second = jobs.begin("count", 2, counts)
    assert session.cancelled == [first.id]
    assert jobs.known("count", 1) is None
    jobs.forget()  # as with the visitor's table
    assert session.cancelled == [first.id, second.id]
    assert jobs.known(jobs.TRAINING, 1) is training


def test_a_result_is_given_at_once_and_what_a_visitor_has_stopped_not_until_asked(session):
    for _ in range(2):
        assert jobs.result("sum", (1, 2), sum, (1, 2)) == 3
    assert session.called == ["sum"]
    jobs.begin("sum", 1, sum, (1, 2)).state = "cancelled"
    for _ in range(2):
        with pytest.raises(EngineError, match="You stopped this"):
            jobs.outcome("sum", 1, sum, (1, 2))
    jobs._forget_failed()
    assert jobs.outcome("sum", 1, sum, (1, 2)) == 3


def followed():
    from engine_jobs import counts

    from metamf.webapp import jobs

    found = jobs.outcome("count", 1, counts, doing="Counting")
    jobs.st.write("over" if found is None else "there")


def test_place_progress_and_an_end_are_shown_while_a_job_is_at_work(straight_engine, monkeypatch):
    straight_engine.upto = 1
    monkeypatch.setattr(jobs, "_MOMENT", 0)
    at = healthy(AppTest.from_function(followed).run(timeout=60))
    [bar] = at.get("progress")
    assert bar.proto.value == 25
    assert bar.proto.text == "Counting: one of four"
    healthy(at.button(key="stop_count").click().run())
    assert straight_engine.cancelled == ["job 1"]


def test_who_goes_away_from_a_download_ends_its_job():
    cancelled = []
    job = SimpleNamespace(ended=False, cancel=lambda: cancelled.append(True))

    async def leaves():
        waits = asyncio.create_task(jobs.ended(job))
        await asyncio.sleep(0.01)
        waits.cancel()
        await asyncio.gather(waits, return_exceptions=True)

    in_a_loop(leaves())
    assert cancelled
