"""The process that carries out one job: reads orders from its standard input, writes messages to its standard output.

    python -m metamf.webapp.jobs.worker [MODULE]

Orders (pause, go on, stop, change a setting) and messages are lines of JSON, and so is the first line, which says what
to do, and in which folder; before it comes, the process imports MODULE, if one is named. Nothing is unpickled on either
side, and no file holds what a visitor has brought. A task is a generator::

    def task(arguments, folder):
        ...
        orders = yield {"facts": {...}, "row": {...}, "now": {...}}    # any of them, or None: nothing to say
        ...
        return {...}                                   # the result

After every step it gets the orders that came meanwhile, a dictionary: ``stop`` is true, from then on, where it is to
finish with the best that it has. All values are JSON's. What it makes besides goes into ``folder``, which the pool
removes in the end. A task that yields rarely is slow to pause and to stop; it can be killed at any time.

Where standard input ends, the server is gone, however it went: then the process removes the folder, and the pool's
folder around it once that is empty, and ends, too.
"""

from __future__ import annotations

import errno
import importlib
import json
import os
import queue
import shutil
import sys
import threading
import time
from pathlib import Path
from typing import BinaryIO

from metamf.webapp.jobs.root import remove_if_empty
from metamf.webapp.jobs.task import Orders, RefusedError, TaskFunction
from metamf.webapp.monitoring import events
from metamf.webapp.serving import workers_memory

NICENESS = 10  # the clicks of all visitors come before any job
LOOK = 1.0  # seconds between two looks at the memory that others have left
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}  # errors of a disk that takes nothing more
LONGEST_REFUSAL = 500  # characters of an error's sentence that are passed on


def main() -> None:
    """Carries out one job, which the first line describes."""
    orders, messages = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a library that prints does not disturb the messages
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    workers_memory.end_before_server()
    for module in sys.argv[1:]:
        importlib.import_module(module)
    if not (line := orders.readline()):
        return  # nothing came, and nothing will
    job = json.loads(line)
    folder = Path(job["folder"])
    inbox: queue.SimpleQueue[Orders] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(orders, inbox, folder), daemon=True).start()
    task = _task(job["task"])
    workers_memory.limit_own()  # what it imports first is known, and the pool has asked for that
    message = _carried_out(task, job["arguments"], folder, inbox, messages)
    _say(messages, message)
    os._exit(0)  # at once: the thread that listens would hold the lock of standard input


def _carried_out(
    task: TaskFunction, arguments: dict, folder: Path, inbox: queue.SimpleQueue, messages: BinaryIO
) -> dict:
    """Runs a task to its end; returns the last message: the result, or why there is none."""
    steps, stopping, looked = task(arguments, folder), {}, time.monotonic()
    try:
        said = next(steps)
        while True:
            if said is not None:
                _say(messages, said)
            if time.monotonic() - looked > LOOK:
                workers_memory.limit_own()
                looked = time.monotonic()
            orders = stopping or _orders(inbox)
            stopping = {"stop": True} if orders.get("stop") else {}
            said = steps.send(orders)
    except StopIteration as end:
        return {"result": end.value or {}}
    except RefusedError as error:
        return {"refused": str(error)[:LONGEST_REFUSAL]}
    except Exception as error:
        if isinstance(error, OSError) and error.errno in FULL:
            return {"refused": "The disk of this server is full, so nothing of this could be kept: try again later."}
        if workers_memory.is_short(error):
            return {"refused": "This server has too little memory left for this: try again later."}
        events.write_error(task.__module__, error)  # to the server's log
        return {"broken": type(error).__name__}


def _orders(inbox: queue.SimpleQueue) -> Orders:
    """All orders since the last step; while the job is paused, waits for the one that ends the pause."""
    found: Orders = {}
    paused = False
    while paused or not inbox.empty():
        order = inbox.get()
        paused = order.pop("paused", paused)
        found |= order
        if found.get("stop"):
            break
    return found


def _listen(orders: BinaryIO, inbox: queue.SimpleQueue, folder: Path) -> None:
    """Puts every order into the inbox; ends the process where there can be no more."""
    for line in orders:
        inbox.put(json.loads(line))
    shutil.rmtree(folder, ignore_errors=True)
    remove_if_empty(folder.parent)  # the last one to end removes it
    os._exit(1)


def _say(messages: BinaryIO, message: dict) -> None:
    """Sends a message; where nobody is there any more, waits for ``_listen`` to remove the folder and end the process.

    A process that ended here by itself could cut that short.
    """
    try:
        messages.write(json.dumps(message).encode() + b"\n")
        messages.flush()
    except BrokenPipeError:
        threading.Event().wait()


def _task(name: str) -> TaskFunction:
    """'package.module:function' -> the function"""
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(module), function)


if __name__ == "__main__":
    main()
