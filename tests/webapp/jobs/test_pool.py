"""The pool of processes on tiny jobs: order, places, pause, stop, limits, owners, and processes that die."""

import contextlib
import subprocess
import threading
import time

import pytest
from tiny_jobs import DONE, ME, RUNNING, YOU, alive, pool, until, until_still

from metamf.webapp.jobs import pool as pools
from metamf.webapp.jobs.line import PoolFullError
from metamf.webapp.jobs.states import State
from metamf.webapp.shared_pool import SharedPool


def test_a_job_says_how_far_it_is_and_returns_its_result_and_its_files():
    with pool() as jobs:
        id = jobs.submit(ME, "tiny_jobs:count", {"to": 3})
        found = until(jobs, ME, id, DONE)
        assert [row["number"] for row in found.rows] == [1, 2, 3] and found.now == {"square": 9}
        assert found.facts == {"from": 0}
        assert found.result == {"number": 3} and found.why == ""
        assert (found.folder / "counted.txt").read_text() == "3"
        jobs.forget(ME, id)
        assert jobs.look(ME, id) is None and not found.folder.exists()


def test_two_computations_run_at_once_on_a_server_and_the_third_one_waits():
    with contextlib.closing(SharedPool(tick=0.01)) as jobs:  # as the pages have it
        ids = {owner: jobs.submit(owner, "tiny_jobs:count", {}) for owner in (ME, YOU, "they")}
        assert [jobs.look(owner, id).place for owner, id in ids.items()] == [None, None, 1]
        assert jobs.busy() == (2, 1)


def test_those_who_wait_know_their_place_and_nobodys_second_job_comes_before_anothers_first():
    with pool(places=1) as jobs:
        running = jobs.submit("somebody", "tiny_jobs:count", {})
        first, second = (jobs.submit(ME, "tiny_jobs:count", {"to": 2}) for _ in range(2))
        yours, theirs = (jobs.submit(owner, "tiny_jobs:count", {}) for owner in (YOU, "they"))
        assert jobs.look("somebody", running).place is None
        assert [jobs.look(ME, id).place for id in (first, second)] == [1, 4]
        assert jobs.look(YOU, yours).place == 2 and jobs.look("they", theirs).place == 3
        jobs.stop("they", theirs)  # while it waits there is nothing to keep
        assert jobs.look("they", theirs).state is State.CANCELLED and jobs.look(ME, second).place == 3
        jobs.cancel("somebody", running)
        assert until(jobs, ME, first, DONE).result == {"number": 2}
        until(jobs, YOU, yours, RUNNING, rows=1)
        later = jobs.submit("somebody", "tiny_jobs:count", {})  # who comes later is not served before
        assert jobs.look(ME, second).place == 1 and jobs.look("somebody", later).place == 2
        jobs.stop(YOU, yours)
        assert until(jobs, ME, second, DONE).result == {"number": 2}


def test_a_pause_holds_a_job_where_it_is_and_a_setting_changes_from_then_on():
    with pool() as jobs:
        id = jobs.submit(ME, "tiny_jobs:count", {})
        until(jobs, ME, id, RUNNING, rows=2)
        jobs.pause(ME, id)
        before = until_still(jobs, ME, id)
        assert before.state is State.PAUSED
        jobs.set(ME, id, step=1000)
        jobs.go_on(ME, id)
        numbers = [row["number"] for row in until(jobs, ME, id, RUNNING, rows=len(before.rows) + 3).rows]
        assert numbers[-1] - numbers[-2] == 1000
        jobs.stop(ME, id)
        found = until(jobs, ME, id, DONE)
        assert found.result["number"] >= numbers[-1] and found.why == "asked"


def test_a_paused_job_can_be_stopped_and_keeps_what_it_has():
    with pool() as jobs:
        id = jobs.submit(ME, "tiny_jobs:count", {})
        until(jobs, ME, id, RUNNING, rows=1)
        jobs.pause(ME, id)
        jobs.stop(ME, id)
        assert until(jobs, ME, id, DONE).result["number"] >= 1


def test_time_runs_out_also_in_a_pause_and_what_there_is_stays():
    with pool(seconds=0.4) as jobs:
        id = jobs.submit(ME, "tiny_jobs:count", {})
        jobs.pause(ME, id)
        found = until(jobs, ME, id, DONE)
        assert found.why == "time" and found.result["number"] >= 1


def test_a_pause_gives_up_its_place_only_where_somebody_waits_for_it():
    with pool(places=1, each=3, pause=0) as jobs:
        id = jobs.submit(ME, "tiny_jobs:count", {})
        until(jobs, ME, id, RUNNING, rows=1)
        jobs.pause(ME, id)
        assert until_still(jobs, ME, id).state is State.PAUSED
        other = jobs.submit("another", "tiny_jobs:count", {"to": 1})
        found = until(jobs, ME, id, DONE)
        assert found.why == "wanted" and found.result["number"] >= 1
        until(jobs, "another", other, DONE)


def test_one_that_does_not_stop_is_killed():
    with pool(grace=0.1) as jobs:
        id = jobs.submit(ME, "tiny_jobs:ignore", {})
        while not (process := jobs.look(ME, id).now.get("pid")):
            time.sleep(0.01)
        jobs.stop(ME, id)
        assert until(jobs, ME, id, State.FAILED).why == "stuck"
        assert not alive(process)


def test_nobody_reaches_the_job_of_another():
    with pool() as jobs:
        id = jobs.submit(ME, "tiny_jobs:count", {})
        for act in (jobs.pause, jobs.stop, jobs.cancel, jobs.forget):
            act(YOU, id)
        jobs.set(YOU, id, stop=True)
        assert jobs.look(YOU, id) is None and jobs.jobs(YOU) == []
        assert until(jobs, ME, id, RUNNING, rows=3).state is RUNNING


def test_the_pool_takes_a_given_number_of_jobs_and_no_more():
    with pool(places=1, waiting=1, each=1) as jobs:
        jobs.submit(ME, "tiny_jobs:count", {})
        with pytest.raises(PoolFullError, match="1 computations of yours"):
            jobs.submit(ME, "tiny_jobs:count", {})
        jobs.submit(YOU, "tiny_jobs:count", {})
        with pytest.raises(PoolFullError, match="waiting already"):
            jobs.submit("they", "tiny_jobs:count", {})


def test_the_jobs_of_an_owner_who_has_left_end_and_those_of_others_go_on():
    here = {ME, YOU}
    with pool(present=lambda owner: owner in here, absence=0) as jobs:
        mine, yours = (jobs.submit(owner, "tiny_jobs:count", {}) for owner in (ME, YOU))
        folder = jobs.look(YOU, yours).folder
        here.remove(YOU)
        while jobs.look(YOU, yours):
            time.sleep(0.01)
        assert not folder.exists() and jobs.look(ME, mine).state is RUNNING


def test_an_error_of_the_question_who_is_there_ends_nothing():
    answers = iter([RuntimeError("the server is starting"), True])

    def present(owner):
        answer = next(answers, False)
        if isinstance(answer, Exception):
            raise answer
        return answer

    with pool(present=present, absence=0) as jobs:
        id = jobs.submit(ME, "tiny_jobs:count", {})
        end = time.monotonic() + 60
        while jobs.look(ME, id) and time.monotonic() < end:  # asked in vain, then there, then gone
            time.sleep(0.01)
        assert jobs.look(ME, id) is None and next(answers, None) is None


def test_one_whose_process_cannot_be_started_leaves_the_place_to_the_next(monkeypatch):
    def refused(folder, job):
        monkeypatch.setattr(pools, "WorkerProcess", real)
        raise OSError("no memory")

    real = pools.WorkerProcess
    with pool(places=1, each=3) as jobs:
        first, second, third = (jobs.submit(ME, "tiny_jobs:count", {}) for _ in range(3))
        monkeypatch.setattr(pools, "WorkerProcess", refused)
        jobs.cancel(ME, first)
        assert jobs.look(ME, second).why == "died"
        assert until(jobs, ME, third, RUNNING).place is None  # though nobody submits anything


@pytest.mark.parametrize("thread", ["_send", "_follow"])
def test_where_no_thread_can_be_started_the_job_fails_and_no_process_is_left(monkeypatch, thread):
    def start(self):
        if self._target.__name__ == thread:
            raise RuntimeError("can't start new thread")
        real_start(self)

    started, real, real_start = [], subprocess.Popen, threading.Thread.start
    monkeypatch.setattr(subprocess, "Popen", lambda *call, **how: started.append(real(*call, **how)) or started[-1])
    monkeypatch.setattr(threading.Thread, "start", start)
    with pool() as jobs:
        assert jobs.look(ME, jobs.submit(ME, "tiny_jobs:count", {})).why == "died"
        assert started[0].poll() is not None


def test_finished_jobs_of_an_owner_do_not_pile_up():
    with pool(kept=1) as jobs:
        for _ in range(3):
            until(jobs, ME, jobs.submit(ME, "tiny_jobs:count", {"to": 1}), DONE)
        assert len(jobs.jobs(ME)) <= 2


def test_where_no_folder_can_be_made_a_visitor_is_told_and_the_next_one_is_served(monkeypatch, tmp_path):
    disk = tmp_path / "disk"
    monkeypatch.setattr("tempfile.tempdir", str(disk))
    with pool() as jobs:
        with pytest.raises(PoolFullError, match="no room on its disk"):
            jobs.submit(ME, "tiny_jobs:count", {"to": 1})
        assert jobs.jobs(ME) == []
        disk.mkdir()
        assert until(jobs, YOU, jobs.submit(YOU, "tiny_jobs:count", {"to": 1}), DONE).result == {"number": 1}
