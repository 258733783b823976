"""One job: what its process says becomes what its owner sees."""

from pathlib import Path

import pytest

from metamf.webapp.jobs import job as jobs
from metamf.webapp.jobs.job import Job
from metamf.webapp.jobs.states import Event, State


@pytest.fixture
def job():
    made = Job("id", "me", "tiny_jobs:count", {"to": 3}, 60, Path("folder"))
    made.happens(Event.START)
    return made


def test_messages_add_up_and_the_result_ends_the_job(job):
    for message in ({"facts": {"a": 1}}, {"facts": {"b": 2}, "row": {"n": 1}}, {"row": {"n": 2}, "now": {"c": 3}}):
        job.hears(message)
    before = job.shown(None)
    job.hears({"result": {"n": 2}})
    after = job.shown(None)
    assert (before.facts, before.rows, before.now) == ({"a": 1, "b": 2}, ({"n": 1}, {"n": 2}), {"c": 3})
    assert (before.heard, before.state, before.result) == (3, State.RUNNING, {})  # a picture does not change any more
    assert (after.heard, after.state, after.result, after.why) == (4, State.DONE, {"n": 2}, "")


@pytest.mark.parametrize("why", ["refused", "broken"])
def test_a_refusal_and_an_error_end_it_with_a_sentence(job, why):
    job.hears({why: "There is nothing to count."})
    assert (job.state, job.why, job.sentence) == (State.FAILED, why, "There is nothing to count.")


def test_rows_of_a_long_job_are_thinned(job, monkeypatch):
    monkeypatch.setattr(jobs, "MOST_ROWS", 10)
    for number in range(1, 41):
        job.hears({"row": {"number": number}})
    numbers = [row["number"] for row in job.rows]
    assert len(numbers) <= 10 and numbers[0] == 1 and numbers == sorted(numbers) and max(numbers) > 35
