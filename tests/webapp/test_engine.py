"""The engine on real processes: results, errors, progress, orders, ends of every kind, fairness,
and a cluster."""

import asyncio
import os
import random
import signal
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import engine_jobs as work
import psutil
import pytest
from served import in_a_loop

from benchmarks.browser import free_port
from metamf.webapp import engine as module
from metamf.webapp.engine import Engine, EngineError
from metamf.webapp.visits import Visitor

pytestmark = pytest.mark.slow

SUPPORT = Path(__file__).resolve().parents[1] / "support"
MEMORY = 900 * 2**20
GONE = set()  # owners whose browser has left


class AnyonesEngine(Engine):
    """Takes a job of the visitor ``by`` that name."""

    def begin(self, function, *arguments, by="a", **how):
        return self.submit(function, *arguments, owner=Visitor(by), **how)

    def doubles(self, by="a"):
        """Whether it answers."""
        return self.begin(work.double, 2, by=by).outcome() == 4


@pytest.fixture(scope="module", autouse=True)
def quick_workers():
    with mock.patch.object(module.worker, "Prepare", work.Begin):
        yield


@contextmanager
def running(*address, **how):
    made = AnyonesEngine(*address, **how)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture(scope="module")
def engine():
    with running(workers=2, memory=MEMORY, present=lambda owner: owner.session not in GONE) as made:
        yield made


def until(condition, seconds=240):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def until_running(*jobs):
    until(lambda: all(job.state == "running" for job in jobs))


def alive(pid):
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def idle(engine):
    """Waits until both workers are there and nobody computes, and returns their processes."""
    pids = set()
    while len(pids) < 2:
        both = [engine.begin(work.meet, by=f"idle {n}") for n in range(2)]
        pids = {job.outcome() for job in both}
    return pids


def test_a_result_comes_back_and_so_does_an_error_with_its_own_type(engine, monkeypatch):
    assert engine.doubles()
    assert engine.begin(len, bytes(9_000_000)).outcome() == 9_000_000
    failed = engine.begin(work.fail, "nothing")
    with pytest.raises(KeyError, match="nothing"):
        failed.outcome()
    assert failed.state == "failed"
    with pytest.raises(ValueError, match="owner"):
        engine.begin(work.double, 1, by="")
    monkeypatch.setattr(module, "MOST_WAITING", 1)
    job = engine.begin(work.sleep, 600)
    with pytest.raises(EngineError, match="try again in a minute"):
        engine.begin(work.double, 1, by="b")
    job.cancel()


def test_progress_comes_as_it_is_made_and_orders_are_followed(engine):
    job = engine.begin(work.count, 100_000, long=True)
    until(lambda: len(job.rows) > 2)
    assert job.state == "running"
    assert job.facts["most"] == 100_000
    assert job.rows[0] == {"n": 1}
    job.pause(True)
    until(lambda: job.paused)
    time.sleep(0.3)
    stood = job.now
    time.sleep(0.3)
    assert job.now == stood
    job.set(pause=0.001)
    job.pause(False)
    until(lambda: job.now["n"] > stood["n"] + 10)
    job.stop()
    found = job.outcome()  # the best so far
    assert stood["n"] < found["n"] < 100_000
    assert (found["pause"], job.state) == (0.001, "done")


def test_a_job_that_does_not_finish_when_it_is_stopped_ends_with_the_best_that_it_has_told(
    engine, monkeypatch
):
    monkeypatch.setattr(module, "GRACE", 0.5)
    job = engine.begin(work.overrun, seconds=600, long=True)
    until(lambda: len(job.rows) > 3)
    job.stop()
    assert job.outcome() == {"n": 2}
    assert (job.state, job.stopped, job.limited) == ("done", True, False)


def test_a_cancelled_job_has_ended_within_five_seconds_and_one_that_listens_keeps_its_process(
    engine,
):
    pids = idle(engine)
    for asked, survivors in (((work.count, 100_000), 2), ((work.backtrack,), 1)):
        job = engine.begin(*asked, by="b")
        until_running(job)
        time.sleep(0.5)
        began = time.monotonic()
        job.cancel()
        assert job.wait(1)
        assert job.state == "cancelled"
        until(lambda survivors=survivors: sum(map(alive, pids)) == survivors, 60)
        assert time.monotonic() - began < 5
        assert engine.doubles()
    assert sum(map(alive, idle(engine) & pids)) == 1


def test_quick_cancels_of_one_visitor_leave_the_last_worker_to_others(engine, monkeypatch):
    idle(engine)
    monkeypatch.setenv(work.BEGINS, "4")
    seconds = []
    for _ in range(10):
        job = engine.begin(work.backtrack, by="clicks")
        time.sleep(0.25)
        job.cancel()
        began = time.monotonic()
        assert engine.doubles()
        seconds.append(time.monotonic() - began)
    assert statistics.median(seconds) < 0.5
    assert max(seconds) < 3  # a worker takes longer to start


def test_a_job_over_its_time_is_ended_with_a_sentence_and_one_that_listens_finishes_with_its_best(
    engine,
):
    late = engine.begin(work.spin, seconds=0.5)
    listens = engine.begin(work.count, 100_000, by="b", seconds=1.5)
    with pytest.raises(EngineError, match="longer than 0.5 seconds"):
        late.outcome()
    assert 0 < listens.outcome()["n"] < 100_000
    assert listens.limited


def test_the_time_limit_holds_for_a_worker_that_does_not_even_take_its_arguments(engine):
    pids = idle(engine)
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        job = engine.begin(len, bytes(5_000_000), seconds=1)
        assert job.wait(20)
        with pytest.raises(EngineError):
            job.outcome()
    finally:
        for pid in filter(alive, pids):
            os.kill(pid, signal.SIGCONT)
    assert engine.doubles()


def test_a_job_whose_worker_is_killed_or_that_waits_long_ends_with_a_sentence_and_no_other_does(
    engine,
):
    idle(engine)
    others = [engine.begin(work.count, 100_000, by=f"other {n}") for n in range(2)]
    until(lambda: all(job.rows for job in others))
    waits = engine.begin(work.double, 2, by="waits", seconds=0.05)
    assert waits.wait(10)
    with pytest.raises(EngineError, match="many are computing"):
        waits.outcome()
    os.kill(others[0].facts["pid"], signal.SIGKILL)
    assert others[0].wait(2)
    with pytest.raises(EngineError, match="has ended"):
        others[0].outcome()
    assert engine.doubles()
    assert not others[1].ended
    others[1].cancel()


def test_a_job_that_takes_too_much_memory_is_ended_and_the_server_goes_on(engine):
    with pytest.raises(EngineError, match="out of memory"):
        engine.begin(work.grow).outcome()
    assert engine.doubles()


def test_everybodys_first_job_comes_before_anybodys_second_and_long_ones_leave_a_worker_free(
    engine,
):
    idle(engine)
    first = [engine.begin(work.sleep, 600, by="greedy", long=True) for _ in range(3)]
    other = engine.begin(work.sleep, 0, by="modest", long=True)
    until_running(first[0])
    places = ["", *(f"number {place} in the queue" for place in (1, 2, 3))]
    assert [job.waits_for for job in (first[0], other, *first[1:])] == places
    assert engine.doubles(by="modest")  # a short one does not wait
    assert not first[0].ended
    assert first[1].state == "waiting"
    first[0].cancel()
    assert other.outcome() == 0
    assert not first[1].ended
    for job in first:
        job.cancel()


def test_a_long_job_gives_way_to_short_ones_and_the_next_short_one_does_not(engine):
    def found(long):
        return {engine.begin(work.priority, by=f"p {n}", long=long).outcome() for n in range(3)}

    before = found(long=False)
    threads_have_a_priority = sys.platform == "linux"
    assert found(long=True) == ({module.worker.LOWEST} if threads_have_a_priority else before)
    assert found(long=False) == before
    assert max(before) < module.worker.LOWEST


def test_jobs_of_a_visitor_who_has_left_are_ended_and_an_earlier_absence_does_not_count(
    engine, monkeypatch
):
    """A browser that was away for a moment once, and had no job when it came back, is not away
    since then."""
    monkeypatch.setattr(module, "LEFT", 2.5)
    idle(engine)
    GONE.add("visitor")
    assert engine.begin(work.sleep, 0.5, by="visitor").outcome() == 0.5
    GONE.remove("visitor")
    time.sleep(2.5)
    GONE.add("visitor")
    assert engine.begin(work.sleep, 0.5, by="visitor").outcome() == 0.5
    job = engine.begin(work.sleep, 600, by="visitor")
    assert job.wait(20)
    assert job.state == "cancelled"


def test_visitors_who_come_while_the_cluster_starts_get_that_one():
    started = mock.patch.object(module, "LocalCluster", side_effect=module.LocalCluster)
    with running(workers=1, memory=MEMORY) as made, started as clusters:
        first = made.begin(work.double, 2)
        assert first.waits_for == "starting a process, about ten seconds"
        for _ in range(40):
            made.warm()
        jobs = [made.begin(work.double, n, by=f"visitor {n}") for n in range(8)]
        assert [job.outcome() for job in jobs] == [2 * n for n in range(8)]
    assert first.waits_for == ""
    assert clusters.call_count == 1


def test_an_idle_worker_stands_by_before_the_first_job_is_cancelled(monkeypatch):
    monkeypatch.setattr(module, "IDLE", 30.0)  # an engine without jobs looks ten times as often
    with running(workers=2, memory=MEMORY) as made:
        made.warm()
        until(lambda: made.started == 2)


def test_jobs_that_come_and_go_while_the_engine_looks_fail_nobody(engine, monkeypatch):
    """Threads change places as often as Python lets them, as on a machine with many visitors."""
    idle(engine)
    monkeypatch.setattr(module, "MOST_WAITING", 1000)
    monkeypatch.setattr(module, "MOST_OF_ADDRESS", 1000)
    busy = [engine.begin(work.sleep, 600, by=f"busy {n}") for n in range(2)]
    until_running(*busy)
    waiting = [engine.begin(work.double, n, by=f"waits {n}") for n in range(200)]

    def visit(number):
        end = time.monotonic() + 2
        while time.monotonic() < end:
            jobs = [engine.begin(work.double, n, by=f"visitor {number}") for n in range(50)]
            for job in jobs:
                job.cancel()
            assert all(job.wait(60) for job in jobs)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(visit, range(6)))
    finally:
        sys.setswitchinterval(interval)
    assert {job.state for job in waiting} == {"waiting"}
    for job in [*waiting, *busy]:
        job.cancel()


def test_an_error_in_a_look_fails_no_job_and_says_itself_in_the_log(caplog):
    looks = mock.Mock(side_effect=[ZeroDivisionError("in the first look"), *[True] * 100_000])
    with running(workers=1, memory=MEMORY, present=looks) as made:
        assert made.doubles()
    [record] = [record for record in caplog.records if record.name == "metamf.webapp"]
    assert "in the first look" in str(record.exc_info[1])


@pytest.fixture
def no_engine():
    module.use(None)
    yield
    module.use(None)


def test_visitors_who_come_together_make_one_engine_also_after_one_that_could_not_start(
    monkeypatch, no_engine
):
    made = SimpleNamespace(close=lambda: None)

    def slow(*address, **more):
        time.sleep(0.05)
        return made

    monkeypatch.setattr(module, "Engine", mock.Mock(side_effect=RuntimeError("no thread")))
    with pytest.raises(RuntimeError):
        module.engine()
    starts = mock.Mock(side_effect=slow)
    monkeypatch.setattr(module, "Engine", starts)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: module.engine(), range(8)))
    assert starts.call_count == 1
    assert all(engine is made for engine in found)


def test_a_class_s_downloads_wait_at_once():
    """Streamlit makes the file of a download in a thread of the server's loop; of those there were
    six."""

    async def forty():
        async with module.serving(None):
            ready = threading.Event()
            waiting = [asyncio.ensure_future(asyncio.to_thread(ready.wait, 60)) for _ in range(40)]
            try:
                await asyncio.wait_for(asyncio.to_thread(time.sleep, 0), 30)
            finally:
                ready.set()
            await asyncio.gather(*waiting)

    in_a_loop(forty())


SERVER = """
import time
from engine_jobs import Begin, sleep
from metamf.webapp import worker
from metamf.webapp.engine import Engine
from metamf.webapp.visits import Visitor
worker.Prepare = Begin
if __name__ == "__main__":
    job = Engine(workers=1).submit(sleep, 600, owner=Visitor("a"))
    while job.state != "running":
        time.sleep(0.05)
    print("running", flush=True)
    time.sleep(600)
"""
PYTHONPATH = {"PYTHONPATH": f"{SUPPORT.parents[1]}:{SUPPORT}"}


def test_a_server_that_is_killed_leaves_no_process(tmp_path):
    script = tmp_path / "server.py"
    script.write_text(SERVER)
    server = subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, text=True, env=os.environ | PYTHONPATH
    )
    assert server.stdout.readline() == "running\n"
    left = [child.pid for child in psutil.Process(server.pid).children(recursive=True)]
    assert left
    server.kill()
    server.wait()
    until(lambda: not any(map(alive, left)), 10)


@contextmanager
def dask(*words):
    """A scheduler or a worker as a process of its own."""
    environment = os.environ | PYTHONPATH | {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
    process = subprocess.Popen(
        [sys.executable, "-m", "dask", *words], env=environment, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def cluster(port):
    """A scheduler and two workers."""
    where = ("--host", "127.0.0.1", "--port", port)
    worker = ("worker", f"tcp://127.0.0.1:{port}", "--nthreads", "1", "--death-timeout", "300")
    alone = "--no-dashboard"
    with dask("scheduler", *where, alone), dask(*worker, alone), dask(*worker, alone):
        yield


def answers(engine):
    try:
        return engine.begin(work.double, 2, seconds=5).outcome() == 4
    except EngineError:
        time.sleep(0.5)
        return False


def test_a_cluster_carries_out_the_same_jobs_and_may_go_away_and_come_back():
    port = str(free_port())
    with running(f"tcp://127.0.0.1:{port}") as made:
        with pytest.raises(EngineError, match="does not answer"):
            made.begin(work.double, 1).outcome()
        with cluster(port):
            until(lambda: answers(made), 120)
            job = made.begin(work.count, 100_000, long=True)
            until(lambda: len(job.rows) > 2)
            ended = made.begin(work.spin, by="b")
            until_running(ended)
            ended.cancel()
            os.kill(job.facts["pid"], signal.SIGKILL)
            with pytest.raises(EngineError, match="has ended"):
                job.outcome()
            until(lambda: answers(made), 120)
            lost = made.begin(work.sleep, 600)
            until_running(lost)
        with pytest.raises(EngineError):
            lost.outcome()
        with cluster(port):
            until(lambda: answers(made), 120)


def test_two_servers_at_a_scheduler_share_no_worker_and_lose_no_job():
    rng = random.Random(0)
    jobs = []
    port = str(free_port())
    address = f"tcp://127.0.0.1:{port}"
    with cluster(port), running(address) as one, running(address) as other:
        for made in (one, other):
            until(lambda made=made: answers(made))
        for number in range(50):
            made = (one, other)[number % 2]
            jobs.append(made.begin(work.worked, rng.uniform(0, 0.4), by=f"visitor {number % 20}"))
            time.sleep(rng.uniform(0, 0.2))
            if rng.random() < 0.3:
                rng.choice(jobs).cancel()
        assert all(job.wait(300) for job in jobs)
    assert {job.state for job in jobs} == {"done", "cancelled"}
    found = sorted(job.result for job in jobs if job.state == "done")
    pairs = [(a, b) for a, b in pairwise(found) if a[0] == b[0]]  # of one process
    assert not [(a, b) for a, b in pairs if b[1] < a[2]]
