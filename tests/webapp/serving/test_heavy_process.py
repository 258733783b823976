"""The process for heavy work, called: results, errors, time limits, cancelling, and its end."""

import os
import signal
import threading
import time

import pytest

from metamf.webapp.serving.heavy_process import DiedError, HeavyProcess, OutOfTimeError


@pytest.fixture
def process():
    process = HeavyProcess()
    yield process
    process.end()


def gone(pid):
    """Whether there is no such process; waits for that."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def test_one_process_answers_one_call_after_the_other_also_after_an_error(process):
    assert process.pid is None  # nothing is started before it is needed
    assert process.call(divmod, 17, 5, seconds=60) == (3, 2)
    first = process.pid
    with pytest.raises(ZeroDivisionError):
        process.call(divmod, 1, 0, seconds=60)
    assert process.call(os.getpid, seconds=60) == process.pid == first != os.getpid()


def test_a_call_that_takes_too_long_is_ended_with_its_process_and_the_next_one_has_another(process):
    process.call(os.getpid, seconds=60)
    first = process.pid
    with pytest.raises(OutOfTimeError):
        process.call(time.sleep, 600, seconds=0.5)
    assert gone(first)
    assert process.call(os.getpid, seconds=60) != first


def test_who_does_not_want_to_wait_any_more_ends_it(process):
    class LeftError(Exception):
        pass

    def waiting(seconds):
        started.append(process.pid)
        raise LeftError

    started = []
    with pytest.raises(LeftError):
        process.call(time.sleep, 600, seconds=60, waiting=waiting)
    assert gone(started[0]) and process.pid is None


def test_a_process_that_dies_is_an_error_of_its_call_alone(process):
    def kill(seconds):
        if process.pid is not None:
            os.kill(process.pid, signal.SIGKILL)  # as the system does that has no memory left

    with pytest.raises(DiedError):
        process.call(time.sleep, 600, seconds=60, waiting=kill)
    with pytest.raises(DiedError):
        process.call(os._exit, 1, seconds=60)
    assert process.call(divmod, 17, 5, seconds=60) == (3, 2)


def test_a_process_that_cannot_be_started_is_an_error_of_its_call(process, monkeypatch):
    def full(*arguments, **more):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("subprocess.Popen", full)
    with pytest.raises(DiedError):
        process.call(divmod, 17, 5, seconds=60)


def test_many_calls_leave_no_threads_behind(process):
    process.call(divmod, 17, 5, seconds=60)
    before = threading.active_count()
    for _ in range(20):
        process.call(divmod, 17, 5, seconds=60)
    end = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < end:  # those that have been told to end do so soon
        time.sleep(0.01)
    assert threading.active_count() <= before


def test_without_threads_for_the_end_a_result_comes_and_the_process_stays(monkeypatch):
    def start(self):
        raise RuntimeError("can't start new thread")

    process = HeavyProcess(idle=0.1)
    monkeypatch.setattr(threading.Timer, "start", start)
    assert process.call(divmod, 17, 5, seconds=60) == (3, 2)
    time.sleep(0.5)
    first = process.pid
    monkeypatch.undo()
    assert process.call(os.getpid, seconds=60) == first is not None
    assert gone(first)  # the next call has ended it


def test_an_answer_that_the_server_has_no_memory_for_is_an_error_of_its_call(process, monkeypatch):
    def receive(stream):
        raise MemoryError

    monkeypatch.setattr("metamf.webapp.serving.messages.receive", receive)
    with pytest.raises(DiedError):
        process.call(divmod, 17, 5, seconds=60)
    monkeypatch.undo()
    assert process.call(divmod, 17, 5, seconds=60) == (3, 2)


def test_without_calls_it_is_ended_and_started_again_for_the_next_one():
    process = HeavyProcess(idle=0.5)
    first = process.call(os.getpid, seconds=60)
    assert gone(first)
    for _ in range(100):
        if process.pid is not None:  # the thread that ends it is about to say so
            time.sleep(0.01)
    assert process.pid is None
    assert process.call(os.getpid, seconds=60) != first
    process.end()
