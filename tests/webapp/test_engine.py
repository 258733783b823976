"""The engine on real processes: results, errors, progress, orders, ends of every kind, fairness, and a cluster."""

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

import pytest
from dask import config
from dask.utils import parse_timedelta
from engine_jobs import BEGINS, Begin, backtrack, count, die, double, fail, grow, meet, priority, sleep, spin, worked
from served import in_a_loop

from benchmarks.browser import free_port
from metamf.webapp import engine as module
from metamf.webapp.engine import Engine, EngineError
from metamf.webapp.visits import Visitor

SUPPORT = Path(__file__).resolve().parents[1] / "support"
MEMORY = 900 * 2**20
GONE = set()  # owners whose browser has left


@pytest.fixture(scope="module", autouse=True)
def quick_workers():
    with mock.patch.object(module.worker, "Prepare", Begin):
        yield


@pytest.fixture(scope="module")
def engine():
    made = Engine(workers=2, memory=MEMORY, present=lambda owner: owner.session not in GONE)
    yield made
    made.close()


def until(condition, seconds=240):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"


def idle(engine):
    """Waits until both workers are there and nobody computes, and returns their processes."""
    pids = set()
    while len(pids) < 2:
        both = [engine.submit(meet, owner=Visitor(f"idle {n}")) for n in range(2)]
        pids = {job.outcome() for job in both}
    return pids


@pytest.mark.slow
def test_a_result_comes_back_and_so_does_an_error_with_its_own_type(engine):
    assert engine.submit(double, 4, owner=Visitor("a")).outcome() == 8
    assert engine.submit(len, bytes(9_000_000), owner=Visitor("a")).outcome() == 9_000_000
    failed = engine.submit(fail, "nothing", owner=Visitor("a"))
    with pytest.raises(KeyError, match="nothing"):
        failed.outcome()
    assert failed.state == "failed"


@pytest.mark.slow
def test_progress_comes_as_it_is_made_and_orders_are_followed(engine):
    job = engine.submit(count, 100_000, owner=Visitor("a"), long=True)
    until(lambda: len(job.rows) > 2)
    assert job.state == "running" and job.facts["most"] == 100_000 and job.rows[0] == {"n": 1}
    job.pause(True)
    until(lambda: job.paused)
    time.sleep(0.3)
    stood = job.now
    time.sleep(0.3)
    assert job.now == stood and not job.ended
    job.set(pause=0.001)
    job.pause(False)
    until(lambda: job.now["n"] > stood["n"] + 10)
    job.stop()
    found = job.outcome()  # the best so far
    assert stood["n"] < found["n"] < 100_000 and found["pause"] == 0.001 and job.state == "done"


@pytest.mark.slow
def test_a_job_that_is_cancelled_has_ended_within_five_seconds_and_one_that_listens_keeps_its_process(engine):
    pids = idle(engine)
    for work, survivors in (((count, 100_000), 2), ((backtrack,), 1)):
        job = engine.submit(*work, owner=Visitor("b"))
        until(lambda job=job: job.state == "running")
        time.sleep(0.5)
        began = time.monotonic()
        job.cancel()
        assert job.wait(1) and job.state == "cancelled"
        until(lambda survivors=survivors: sum(map(alive, pids)) == survivors, 60)
        assert time.monotonic() - began < 5
        assert sum(map(alive, idle(engine) & pids)) == survivors
        assert engine.submit(double, 2, owner=Visitor("a")).outcome() == 4


@pytest.mark.slow
def test_quick_cancels_of_one_visitor_leave_the_last_worker_to_others(engine, monkeypatch):
    idle(engine)
    monkeypatch.setenv(BEGINS, "4")
    seconds = []
    for _ in range(10):
        job = engine.submit(backtrack, owner=Visitor("clicks"))
        time.sleep(0.25)
        job.cancel()
        began = time.monotonic()
        assert engine.submit(double, 2, owner=Visitor("a")).outcome() == 4
        seconds.append(time.monotonic() - began)
    assert statistics.median(seconds) < 0.5 and max(seconds) < 3, seconds  # a worker takes longer to start


def children(pid):
    """The processes that a process has started, and theirs."""
    direct = [child for file in Path(f"/proc/{pid}/task").glob("*/children") for child in file.read_text().split()]
    return [pid for child in direct for pid in (child, *children(child))]


@pytest.mark.slow
def test_a_job_over_its_time_is_ended_with_a_sentence_and_one_that_listens_finishes_with_its_best(engine):
    late = engine.submit(spin, owner=Visitor("a"), seconds=0.5)
    listens = engine.submit(count, 100_000, owner=Visitor("b"), seconds=3)
    with pytest.raises(EngineError, match="longer than 0.5 seconds"):
        late.outcome()
    assert 0 < listens.outcome()["n"] < 100_000 and listens.limited


@pytest.mark.slow
def test_the_time_limit_holds_for_a_worker_that_does_not_even_take_its_arguments(engine):
    pids = idle(engine)
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        job = engine.submit(len, bytes(5_000_000), owner=Visitor("a"), seconds=1)
        with pytest.raises(EngineError):
            job.wait(20)
            job.outcome()
    finally:
        for pid in pids:
            if alive(pid):
                os.kill(pid, signal.SIGCONT)
    assert engine.submit(double, 2, owner=Visitor("a")).outcome() == 4


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_its_visitor_a_sentence_and_nobody_else_anything(engine):
    idle(engine)
    other = engine.submit(sleep, 2, owner=Visitor("b"))
    with pytest.raises(EngineError, match="has ended"):
        engine.submit(die, owner=Visitor("a")).outcome()
    assert other.outcome() == 2 and engine.submit(double, 3, owner=Visitor("a")).outcome() == 6
    # Dask gives up for good what does not come back within this time, and a new process may take half a minute.
    assert parse_timedelta(config.get("distributed.deploy.lost-worker-timeout")) > 60


@pytest.mark.slow
def test_a_job_whose_worker_has_gone_ends_within_two_seconds_and_one_that_waits_long_ends_with_a_sentence(engine):
    idle(engine)
    others = [engine.submit(count, 100_000, owner=Visitor(f"other {n}")) for n in range(2)]
    until(lambda: all(job.rows for job in others))
    waits = engine.submit(double, 2, owner=Visitor("waits"), seconds=0.05)
    assert waits.wait(10)
    with pytest.raises(EngineError, match="many are computing"):
        waits.outcome()
    os.kill(others[0].facts["pid"], signal.SIGKILL)
    assert others[0].wait(2) and not others[1].ended
    with pytest.raises(EngineError, match="has ended"):
        others[0].outcome()
    others[1].cancel()


@pytest.mark.slow
def test_a_job_that_takes_too_much_memory_is_ended_and_the_server_goes_on(engine):
    with pytest.raises(EngineError, match="out of memory"):
        engine.submit(grow, owner=Visitor("a")).outcome()
    assert engine.submit(double, 3, owner=Visitor("a")).outcome() == 6


@pytest.mark.slow
def test_everybodys_first_job_comes_before_anybodys_second_and_long_ones_leave_a_worker_free(engine):
    idle(engine)
    first = [engine.submit(sleep, 600, owner=Visitor("greedy"), long=True) for _ in range(3)]
    other = engine.submit(sleep, 0, owner=Visitor("modest"), long=True)
    until(lambda: first[0].state == "running")
    assert [job.place for job in (first[0], other, *first[1:])] == [None, 1, 2, 3]
    assert [job.waits_for for job in (first[0], other)] == ["", "number 1 in the queue"]
    assert engine.submit(double, 1, owner=Visitor("modest")).outcome() == 2  # a short one does not wait
    assert not first[0].ended and first[1].state == "waiting"
    first[0].cancel()
    assert other.outcome() == 0 and not first[1].ended
    for job in first:
        job.cancel()


@pytest.mark.slow
def test_a_long_job_gives_way_to_short_ones_and_the_next_short_one_does_not(engine):
    def found(long):
        return {engine.submit(priority, owner=Visitor(f"p {n}"), long=long).outcome() for n in range(3)}

    before = found(long=False)
    threads_have_a_priority = sys.platform == "linux"
    assert found(long=True) == ({module.worker.LOWEST} if threads_have_a_priority else before)
    assert found(long=False) == before and max(before) < module.worker.LOWEST


@pytest.mark.slow
def test_jobs_of_a_visitor_who_has_left_are_ended(engine, monkeypatch):
    monkeypatch.setattr("metamf.webapp.engine.LEFT", 0.5)
    job = engine.submit(sleep, 600, owner=Visitor("leaves"))
    until(lambda: job.state == "running")
    GONE.add("leaves")
    assert job.wait(20) and job.state == "cancelled"


@pytest.mark.slow
def test_a_queue_that_is_full_is_said(engine, monkeypatch):
    monkeypatch.setattr("metamf.webapp.engine.MOST_WAITING", 1)
    job = engine.submit(sleep, 600, owner=Visitor("a"))
    with pytest.raises(EngineError, match="try again in a minute"):
        engine.submit(double, 1, owner=Visitor("b"))
    job.cancel()


@pytest.mark.slow
def test_absence_counts_from_the_last_time_that_an_owner_left(engine, monkeypatch):
    """A browser that was away for a moment once, and had no job when it came back, is not away since then."""
    monkeypatch.setattr("metamf.webapp.engine.LEFT", 3.0)
    idle(engine)
    GONE.add("returns")
    assert engine.submit(sleep, 0.7, owner=Visitor("returns")).outcome() == 0.7
    GONE.remove("returns")
    time.sleep(3)
    GONE.add("returns")
    assert engine.submit(sleep, 1, owner=Visitor("returns")).outcome() == 1


@pytest.mark.slow
def test_a_job_without_an_owner_is_refused(engine):
    with pytest.raises(ValueError, match="owner"):
        engine.submit(double, 1, owner=Visitor(""))


def test_visitors_who_come_together_make_one_engine(monkeypatch):
    made = []

    def slow(*address, **more):
        time.sleep(0.05)
        made.append(SimpleNamespace(close=lambda: None))
        return made[-1]

    monkeypatch.setattr(module, "Engine", slow)
    module.use(None)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: module.engine(), range(8)))
    module.use(None)
    assert len(made) == 1 and all(engine is made[0] for engine in found)


def test_a_class_s_downloads_wait_at_once():
    """Streamlit makes the file of a download in a thread of the server's loop; of those there were six."""

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


@pytest.mark.slow
def test_whoever_comes_first_is_told_that_a_process_starts():
    made = Engine(workers=1, memory=2**30)
    try:
        job = made.submit(double, 2, owner=Visitor("first"))
        assert job.waits_for == "starting a process, about ten seconds"
        assert job.outcome() == 4 and job.waits_for == ""
    finally:
        made.close()


def test_an_engine_that_could_not_start_is_started_by_the_next_visitor(monkeypatch):
    monkeypatch.setattr(module, "Engine", lambda *address, **more: (_ for _ in ()).throw(RuntimeError("no thread")))
    module.use(None)
    with pytest.raises(RuntimeError):
        module.engine()
    monkeypatch.setattr(module, "Engine", lambda *address, **more: SimpleNamespace(close=lambda: None))
    assert module.engine() is module.engine()
    module.use(None)


SERVER = """
import sys, time
sys.path.insert(0, {support!r})
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


@pytest.mark.slow
def test_a_server_that_is_killed_leaves_no_process(tmp_path):
    script = tmp_path / "server.py"
    script.write_text(SERVER.format(support=str(SUPPORT)))
    environment = os.environ | {"PYTHONPATH": str(SUPPORT.parents[1])}
    server = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True, env=environment)
    assert server.stdout.readline() == "running\n"
    left = [int(pid) for pid in children(server.pid)]
    assert left
    server.kill()
    server.wait()
    until(lambda: not any(map(alive, left)), 10)


@contextmanager
def dask(*words):
    """A scheduler or a worker as a process of its own."""
    environment = os.environ | {"PYTHONPATH": f"{SUPPORT.parents[1]}:{SUPPORT}"}
    environment |= {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
    process = subprocess.Popen([sys.executable, "-m", "dask", *words], env=environment, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def cluster():
    """The address of a scheduler, and the words that start it and its workers."""
    port = str(free_port())
    address = f"tcp://127.0.0.1:{port}"
    scheduler = "scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard"
    return address, scheduler, ("worker", address, "--nthreads", "1", "--no-dashboard", "--death-timeout", "300")


@pytest.mark.slow
def test_a_cluster_carries_out_the_same_jobs_and_may_go_away_and_come_back():
    address, scheduler, worker = cluster()
    made = Engine(address)
    try:
        with pytest.raises(EngineError, match="does not answer"):
            made.submit(double, 1, owner=Visitor("a")).outcome()
        with dask(*scheduler), dask(*worker), dask(*worker):
            until(lambda: answers(made), 120)
            job = made.submit(count, 100_000, owner=Visitor("a"), long=True)
            until(lambda: len(job.rows) > 2)
            ended = made.submit(spin, owner=Visitor("b"))
            until(lambda: ended.state == "running")
            ended.cancel()
            os.kill(job.facts["pid"], signal.SIGKILL)
            with pytest.raises(EngineError, match="has ended"):
                job.outcome()
            until(lambda: answers(made), 120)
            lost = made.submit(sleep, 600, owner=Visitor("a"))
            until(lambda: lost.state == "running")
        with pytest.raises(EngineError):
            lost.outcome()
        with dask(*scheduler), dask(*worker):
            until(lambda: answers(made), 120)
    finally:
        made.close()


@pytest.mark.slow
def test_two_servers_at_a_scheduler_share_no_worker_and_lose_no_job():
    rng, jobs = random.Random(0), []
    address, scheduler, worker = cluster()
    engines = [Engine(address), Engine(address)]
    with dask(*scheduler), dask(*worker), dask(*worker):
        for made in engines:
            until(lambda made=made: answers(made))
        for number in range(50):
            owner = Visitor(f"visitor {number % 20}")
            jobs.append(engines[number % 2].submit(worked, rng.uniform(0, 0.4), owner=owner))
            time.sleep(rng.uniform(0, 0.2))
            if rng.random() < 0.3:
                rng.choice(jobs).cancel()
        assert all(job.wait(300) for job in jobs)
    for made in engines:
        made.close()
    assert {job.state for job in jobs} == {"done", "cancelled"}
    found = sorted(job.result for job in jobs if job.state == "done")
    assert not [pair for pair in pairwise(found) if pair[0][0] == pair[1][0] and pair[1][1] < pair[0][2]]


def answers(engine):
    try:
        return engine.submit(double, 2, owner=Visitor("a"), seconds=5).outcome() == 4
    except EngineError:
        time.sleep(0.5)
        return False
