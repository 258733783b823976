"""A process that waits for a job: it is used, once, by the right task, and ends when nobody comes."""

import time

from tiny_jobs import DONE, ME, YOU, alive, pool, until

from metamf.webapp.jobs.spare import Spare

TASK = "tiny_jobs:tell_pid"


def pid_of(spare):
    return spare._process._process.pid


def within_a_minute(state):
    end = time.monotonic() + 60
    while not state() and time.monotonic() < end:
        time.sleep(0.01)
    return state()


def gone(pid):
    return within_a_minute(lambda: not alive(pid))


def test_a_job_begins_in_the_process_that_waits_for_it_with_its_imports_made(tmp_path, monkeypatch):
    monkeypatch.setenv("TINY_JOBS_SEEN", str(tmp_path))
    with pool() as jobs:
        jobs.prepare(TASK)
        pid = pid_of(jobs._spare)
        jobs.prepare(TASK)
        assert pid_of(jobs._spare) == pid  # one is enough
        assert within_a_minute((tmp_path / str(pid)).exists)
        mine, yours = (
            until(jobs, owner, jobs.submit(owner, TASK, {"asked": time.time()}), DONE).result for owner in (ME, YOU)
        )
        assert mine == {"pid": pid, "prepared": True}
        assert yours["pid"] != pid and not yours["prepared"]
        assert not jobs._spare.waits


def test_a_process_that_waits_for_one_task_does_not_carry_out_another():
    with pool() as jobs:
        jobs.prepare("metamf.version:no_task")
        waiting = pid_of(jobs._spare)
        found = until(jobs, ME, jobs.submit(ME, TASK, {"asked": time.time()}), DONE).result
        assert found["pid"] != waiting and alive(waiting)
        jobs.prepare(TASK)
        assert gone(waiting)


def test_it_ends_when_nobody_comes_when_the_places_are_needed_and_with_the_pool():
    with pool(spare=0.05) as jobs:
        jobs.prepare(TASK)
        assert gone(pid_of(jobs._spare))
    with pool(places=1) as jobs:
        jobs.prepare("metamf.version:no_task")
        waiting = pid_of(jobs._spare)
        jobs.submit(ME, "tiny_jobs:count", {})
        assert gone(waiting)
        jobs.prepare(TASK)
        assert not jobs._spare.waits  # there is no place for it
    with pool() as jobs:
        jobs.prepare(TASK)
        waiting = pid_of(jobs._spare)
    assert gone(waiting)


def test_one_that_has_died_is_not_used():
    spare = Spare(60)
    spare.start("no_such_module:task")
    assert gone(pid_of(spare))
    assert spare.take("no_such_module:task") is None
    spare.end()
