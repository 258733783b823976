"""Workers that want too much memory: they end with a sentence, whatever they take it by, and all else goes on."""

import errno
import subprocess
import sys
import time
from pathlib import Path

import greedy_jobs
import pytest
from tiny_jobs import DONE, ME, YOU, pool, until

from metamf.webapp.jobs import worker
from metamf.webapp.jobs.process import WorkerProcess
from metamf.webapp.jobs.states import State
from metamf.webapp.monitoring.sentences import NO_MEMORY, sentence_on
from metamf.webapp.serving import memory, workers_memory
from metamf.webapp.serving.heavy_process import HeavyProcess
from metamf.webapp.serving.workers_memory import ENDS_SOONER, RESERVE, STACK, STARTING, end_before_server, is_short
from metamf.webapp.your_table.results import VERDICT_TASK
from metamf.wording import MIB

linux = pytest.mark.skipif(sys.platform != "linux", reason="asks Linux")
SENTENCE = "This server has too little memory left for this: try again later."
WAYS = ("by_torch", "by_numpy", "by_bytes", "by_thousands")
OF_TORCH = RuntimeError("[enforce fail at alloc_cpu.cpp:127] DefaultCPUAllocator: can't allocate memory: you tried to")


@pytest.fixture
def little(monkeypatch):
    """As much is left to each worker as its imports and a little work take."""
    monkeypatch.setenv(greedy_jobs.LEFT, str(RESERVE))


@pytest.fixture
def process():
    """A process that has imported ``greedy_jobs``."""
    process = HeavyProcess()
    process.call(greedy_jobs.told, seconds=60)
    yield process
    process.end()


@linux
@pytest.mark.parametrize("how", WAYS)
def test_a_job_that_takes_too_much_ends_with_a_sentence_and_the_next_one_begins(how, little):
    with pool(places=1) as jobs:
        greedy = jobs.submit(ME, "greedy_jobs:take", {"how": how, "size": 2 * 2**30})
        modest = jobs.submit(YOU, "greedy_jobs:take", {"how": how, "size": 8 * MIB})
        found = until(jobs, ME, greedy, State.FAILED, DONE)
        assert (found.why, found.sentence) == ("refused", SENTENCE)
        assert until(jobs, YOU, modest, State.FAILED, DONE).result["taken"] > 8000


@linux
@pytest.mark.parametrize("how", WAYS)
def test_heavy_work_that_takes_too_much_is_said_in_a_sentence_and_the_process_goes_on(how, little, process):
    take = getattr(greedy_jobs, how)
    with pytest.raises(MemoryError) as raised:
        process.call(take, 2 * 2**30, seconds=60)
    assert sentence_on(raised.value) == NO_MEMORY
    before = process.pid
    assert process.call(take, 8 * MIB, seconds=60) > 8000 and process.pid == before


@linux
@pytest.mark.parametrize("how", ["by_torch", "by_numpy"])
def test_under_a_ulimit_it_is_the_same(how):
    program = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "from tiny_jobs import pool, until, State\n"
        "with pool(places=1, each=3) as jobs:\n"
        "    for size in (8 * 2**30, 2**20):\n"
        f"        id = jobs.submit('me', 'greedy_jobs:take', {{'how': {how!r}, 'size': size}})\n"
        "        found = until(jobs, 'me', id, State.FAILED, State.DONE)\n"
        "        print(found.sentence or found.result or found.why)\n"
    )
    command = ["sh", "-c", 'ulimit -v 3000000; exec "$@"', "sh", sys.executable, "-c", program, *sys.path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines() == [SENTENCE, str({"taken": 2**20})], done.stderr


@linux
def test_what_others_take_meanwhile_is_not_left_any_more(monkeypatch):
    monkeypatch.setenv(greedy_jobs.LEFT, str(8 * 2**30))
    with pool() as jobs:
        id = jobs.submit(ME, "greedy_jobs:take_while_others_do", {})
        until(jobs, ME, id, State.RUNNING)
        while jobs.look(ME, id).heard < 2:
            time.sleep(0.01)
        time.sleep(2 * worker.LOOK)
        jobs.set(ME, id, size=2 * 2**30)
        assert until(jobs, ME, id, State.FAILED, DONE).sentence == SENTENCE


@linux
def test_workers_are_ended_before_the_server_and_limited_by_what_is_left(monkeypatch, process):
    mine, _ = greedy_jobs.told()
    monkeypatch.setenv(greedy_jobs.LEFT, str(2**30))
    process.call(greedy_jobs.leave, 2**30, seconds=60)
    with pool() as jobs:
        job = until(jobs, ME, jobs.submit(ME, "greedy_jobs:tell", {}), DONE).result
    for score, limit in ((job["score"], job["limit"]), process.call(greedy_jobs.told, seconds=60)):
        assert score == min(1000, mine + ENDS_SOONER)
        assert 2**30 - RESERVE < limit < 2**30 + 1024 * MIB
    assert greedy_jobs.told()[0] == mine


@linux
def test_each_call_of_heavy_work_is_limited_anew(monkeypatch, process):
    process.call(greedy_jobs.leave, 0, seconds=60)
    _, first = process.call(greedy_jobs.told, seconds=60)
    assert STARTING < first < STARTING + 1024 * MIB
    process.call(greedy_jobs.leave, 2 * 2**30, seconds=60)
    _, second = process.call(greedy_jobs.told, seconds=60)
    assert second > 2**30 + first - STARTING


def test_where_nothing_is_known_nothing_is_limited_and_a_limit_of_the_keeper_holds(monkeypatch):
    resource, set = pytest.importorskip("resource"), []
    monkeypatch.setattr(resource, "setrlimit", lambda kind, limits: set.append((kind, limits)))
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (-1, 500 * MIB))
    monkeypatch.setattr(memory, "data", lambda: 300 * MIB)
    monkeypatch.setattr(memory, "left", lambda: None)
    workers_memory.limit_own()
    assert set == []
    for left, limit in ((0, STARTING + STACK), (150 * MIB, 386 * MIB + STACK), (2**30, 500 * MIB)):
        monkeypatch.setattr(memory, "left", lambda left=left: left)
        workers_memory.limit_own()
        assert set.pop() == (resource.RLIMIT_DATA, (limit, 500 * MIB))


@pytest.mark.parametrize("before, after", [("0", "500"), ("-200", "300"), ("970", "1000")])
def test_who_is_ended_soon_is_ended_no_later(tmp_path, before, after):
    (tmp_path / "self").mkdir()
    score = tmp_path / "self" / "oom_score_adj"
    end_before_server(tmp_path)  # where there is none
    assert not score.exists()
    score.write_text(f"{before}\n")
    end_before_server(tmp_path)
    assert score.read_text() == after


@pytest.mark.parametrize(
    "error, short",
    [
        (MemoryError(), True),
        (OF_TORCH, True),
        (RuntimeError("std::bad_alloc"), True),
        (RuntimeError("can't start new thread"), True),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), True),
        (ImportError("libtorch.so: failed to map segment from shared object: Cannot allocate memory"), True),
        (OSError(errno.ENOSPC, "No space left on device"), False),
        (RuntimeError("mat1 and mat2 shapes cannot be multiplied"), False),
        (ValueError("can't allocate memory"), False),
    ],
)
def test_an_error_is_short_of_memory_where_it_says_so(error, short):
    assert is_short(error) is short


@linux
def test_a_worker_takes_as_much_as_is_asked_for_before_it_begins():
    """The constants are measured here anew: what the pool asks for, and what a worker may have in any case."""
    process = WorkerProcess(imports=VERDICT_TASK.partition(":")[0])
    try:
        status, before = Path(f"/proc/{process._process.pid}/status"), -1
        end = time.monotonic() + 120
        while (now := _bytes(status, "VmData")) < 100 * MIB or now != before:  # it has imported all, and waits
            assert time.monotonic() < end
            before = now
            time.sleep(1.5)
        assert 0.6 * workers_memory.WORKER < _bytes(status, "VmRSS") < 1.15 * workers_memory.WORKER
        assert now < STARTING
    finally:
        process.kill()


def _bytes(status, name):
    [line] = [line for line in status.read_text().splitlines() if line.startswith(f"{name}:")]
    return int(line.split()[1]) * 1024
