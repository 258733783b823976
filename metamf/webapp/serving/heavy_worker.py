"""The process that does heavy work of pages: it calls functions, one after the other, and sends back what they return.

    python -m metamf.webapp.serving.heavy_worker NICENESS

Messages (``messages``) come from standard input and go to standard output: in, a ``Call``; out, for each of them, any
number of ``("progress", share)``, and at the end ``("result", value)`` or ``("error", exception)``. Where standard
input ends, the server is gone, or wants no more: then the process ends, too, whatever it is doing.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any, BinaryIO, NamedTuple

from metamf.webapp.monitoring import events
from metamf.webapp.serving import messages, workers_memory
from metamf.webapp.serving.threads import cores


class Call(NamedTuple):
    """A call of a function, to be carried out.

    Attributes
    ----------
    function : function of a module
    arguments : its arguments
    progress : whether it takes ``progress``, a function that it tells how far it is, from 0 to 1
    then : modules that are imported after it, for the calls to come
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    progress: bool = False
    then: tuple[str, ...] = ()


def main() -> None:
    """Answers calls until there are none any more."""
    calls, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a library that prints does not disturb the messages
    if hasattr(os, "nice"):
        os.nice(int(sys.argv[1]))
    workers_memory.end_before_server()
    inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(calls, inbox), daemon=True).start()
    while True:
        modules = _answer(inbox.get(), answers)
        for module in modules:
            import_module(module)


def _listen(calls: BinaryIO, inbox: queue.SimpleQueue) -> None:
    """Takes in calls as bytes: two threads that import parts of one package at the same time can block each other."""
    with suppress(EOFError, MemoryError):  # half of a call cannot be answered, and what comes after it is lost, too
        while True:
            inbox.put(messages.receive(calls))
    os._exit(0)


def _answer(packed: bytes, answers: BinaryIO) -> tuple[str, ...]:
    """Carries out a call and sends its result, or why there is none; returns the modules for the calls to come."""
    then: tuple[str, ...] = ()
    workers_memory.limit_own(cores())
    try:
        call: Call = messages.unpacked_message(packed)
        then = call.then
        more = {"progress": lambda share: messages.send(answers, ("progress", share))} if call.progress else {}
        messages.send(answers, ("result", call.function(*call.arguments, **more)))
    except Exception as error:
        messages.send(answers, ("error", _sendable(error)))
    return then


def _sendable(error: Exception) -> Exception:
    """The error, or one that says its kind alone where it cannot be sent; its frames, which hold data, stay here.

    Whatever says that memory is short is a MemoryError, which pages have a sentence for.
    """
    error.__traceback__ = error.__cause__ = error.__context__ = None
    if workers_memory.is_short(error):
        return MemoryError()
    try:
        if type(messages.unpacked_message(messages.packed_message(error))) is type(error):
            return error
    except Exception as other:
        events.write_error(type(error).__name__, other)
    return RuntimeError(type(error).__name__)


def on_all_cores(function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a function whose large work is divided among all cores that this process may use."""
    from metamf.ratings.threads import helpers  # with torch

    with helpers(cores()):
        return function(*arguments)


if __name__ == "__main__":
    main()
