"""The process for heavy work, spoken to by hand: what it answers, and that it ends with whoever it works for."""

import subprocess
import sys
import time

import pytest

from metamf.ratings.threads import helper_threads, run_with_helpers
from metamf.webapp.serving import heavy_worker, messages
from metamf.webapp.serving.heavy_worker import Call, on_all_cores


class OddError(Exception):
    """Cannot be made again from its message."""

    def __init__(self, one, two):
        super().__init__(f"{one} {two}")


def raise_odd():
    raise OddError("a", "b")


def say_loudly(progress):
    print("a line that a library prints")
    progress(0.5)
    return "done"


@pytest.fixture
def worker(monkeypatch):
    """The process, and a function that reads its next message."""
    monkeypatch.setenv("PYTHONPATH", ":".join(sys.path))
    command = [sys.executable, "-m", "metamf.webapp.serving.heavy_worker", "5"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        yield process, lambda: messages.unpacked_message(messages.receive(process.stdout))
        process.kill()


def test_it_answers_calls_by_what_they_return_or_raise(worker):
    process, answer = worker
    for call in (Call(divmod, (17, 5)), Call(divmod, (1, 0)), Call(say_loudly, (), True)):
        messages.send(process.stdin, call)
    messages.send(process.stdin, Call(raise_odd, ()))
    assert answer() == ("result", (3, 2))
    kind, error = answer()
    assert kind == "error" and isinstance(error, ZeroDivisionError)
    assert answer() == ("progress", 0.5) and answer() == ("result", "done")  # what is printed goes elsewhere
    kind, error = answer()
    assert kind == "error" and repr(error) == "RuntimeError('OddError')"


def test_it_ends_in_the_middle_of_its_work_when_nobody_is_there_any_more(worker):
    process, answer = worker
    messages.send(process.stdin, Call(divmod, (1, 1)))
    assert answer() == ("result", (1, 0))
    messages.send(process.stdin, Call(time.sleep, (600,)))
    process.stdin.close()
    assert process.wait(30) == 0


def test_on_all_cores_gives_a_function_as_many_helpers_as_there_are_cores(monkeypatch):
    monkeypatch.setattr(heavy_worker, "cores", lambda: 3)
    assert on_all_cores(run_with_helpers, helper_threads) == 3
