"""Functions that tests of the engine submit, and how its workers begin there; workers import them
from here."""

import os
import re
import threading
import time

from distributed import WorkerPlugin

# an environment variable: seconds that a worker takes to begin
BEGINS = "METAMF_TEST_WORKER_BEGINS"


class Begin(WorkerPlugin):
    """Instead of ``metamf.webapp.worker.Prepare``: these jobs need neither torch nor
    checkpoints."""

    def setup(self, worker):
        time.sleep(float(os.environ.get(BEGINS, 0)))


def double(x):
    return 2 * x


def sleep(seconds):
    time.sleep(seconds)
    return seconds


def worked(seconds):
    """Takes some seconds; the process, and from when to when."""
    began = time.time()
    time.sleep(seconds)
    return os.getpid(), began, time.time()


def meet():
    """Takes long enough for another one to start next to it."""
    time.sleep(0.5)
    return os.getpid()


def fail(message):
    raise KeyError(message)


def spin():
    while True:
        pass


def grow():
    taken = []
    while True:
        taken.append(bytearray(os.urandom(1)) * 20_000_000)
        time.sleep(0.01)


def count(most, report, pause=0.02):
    """Counts; reports each step, stops early with the number reached, and listens to ``pause``."""
    report({"facts": {"most": most, "pid": os.getpid()}})
    n = 0
    while n < most:
        n += 1
        orders = report({"row": {"n": n}, "now": {"n": n}})
        if orders.get("stop"):
            break
        pause = orders.get("pause", pause)
        time.sleep(pause)
    return {"n": n, "pause": pause}


def overrun(report):
    """Tells its best so far, and does not finish when it is asked to."""
    report({"row": {"n": 1}, "best": {"n": 1}})
    while True:
        report({"row": {"n": 2}, "best": {"n": 2}})
        time.sleep(0.05)


def backtrack():
    """Holds Python's lock for hours."""
    re.match("(a+)+$", "a" * 60 + "b")


def priority():
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


def counts(report):
    """Reports the first of four steps."""
    report({"now": {"done": 1, "total": 4, "label": "one of four"}})
