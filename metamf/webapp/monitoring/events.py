"""The log as lines of JSON, one for each event, for a server's keeper: METAMF_LOG=json switches it on.

A line holds a time, the name of an event, and what ``EVENTS`` says belongs to it: numbers, names of pages, kinds of
errors. It holds nothing that a visitor brought, typed or is called, no address of a visitor, and no message of an
error, which may quote a rating; instead of that it says where in the program the error was. What other packages log is
written without the values in it, for the same reason.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TextIO

SWITCH = "METAMF_LOG"  # an environment variable; "json": lines of JSON
EVENTS = {
    "started": {"version", "visitors", "threads", "metrics"},
    "full": {"waiting"},
    "run": {"page", "seconds"},
    "error": {"page", "kind", "where"},
    "job": {"task", "how", "why", "seconds"},
    "queue full": {"task"},
    "memory short": {"needed", "left"},
    "uploads at once": {"needed"},
    "descriptors short": {"most"},
    "heavy work out of time": set(),
    "heavy work died": set(),
}
_LEVELS = {
    "error": "error",
    "full": "warning",
    "queue full": "warning",
    "memory short": "warning",
    "uploads at once": "warning",
    "descriptors short": "warning",
    "heavy work out of time": "warning",
    "heavy work died": "warning",
}


def is_on() -> bool:
    """Whether lines of JSON are written."""
    return os.environ.get(SWITCH, "").lower() == "json"


def write(event: str, stream: TextIO | None = None, **values: str | int | float | list[str] | None) -> None:
    """Writes an event, where the log is one of JSON.

    Raises
    ------
    ValueError
        If the event is not one of ``EVENTS``, or a value does not belong to it.
    """
    if (odd := values.keys() - EVENTS.get(event, set())) or event not in EVENTS:
        raise ValueError(f"the event {event!r} has no {', '.join(sorted(odd)) or 'place in EVENTS'}")
    if is_on():
        rounded = {name: round(value, 4) if isinstance(value, float) else value for name, value in values.items()}
        _write({"level": _LEVELS.get(event, "info"), "event": event} | rounded, stream)


def write_error(page: str, error: BaseException) -> None:
    """Writes of what kind an error is and where it was, and not its message: as JSON, or as a traceback without it."""
    if is_on():
        write("error", page=page, kind=type(error).__name__, where=_where(error))
        return
    where = "".join(traceback.format_tb(error.__traceback__))
    logging.getLogger("metamf.webapp").error("%s failed with %s:\n%s", page, type(error).__name__, where)


def take_over() -> None:
    """Writes the messages of Streamlit and other packages as lines of JSON, too, from now on."""
    from streamlit import logger as streamlits

    def set_up(logger: logging.Logger) -> None:
        logger.handlers[:] = [handler]

    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter())
    streamlits.setup_formatter = set_up  # that it calls for loggers that are made later
    for logger in [logging.getLogger(), *streamlits._loggers.values()]:
        set_up(logger)


class JsonFormatter(logging.Formatter):
    """A record of any logger as a line of JSON: the text of its call without the values, and of an error its kind."""

    def format(self, record: logging.LogRecord) -> str:
        text = record.msg if isinstance(record.msg, str) else type(record.msg).__name__
        line = {"level": record.levelname.lower(), "event": "log", "logger": record.name, "message": text}
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            line |= {"kind": type(error).__name__, "where": _where(error)}
        return _line(line)


def _where(error: BaseException) -> list[str]:
    """'file:line function', from the outermost call to the innermost."""
    frames = traceback.extract_tb(error.__traceback__)
    return [f"{'/'.join(frame.filename.split('/')[-3:])}:{frame.lineno} {frame.name}" for frame in frames]


def _write(values: dict[str, Any], stream: TextIO | None) -> None:
    stream = sys.stderr if stream is None else stream
    with suppress(OSError):  # the disk is full: what is logged goes on
        stream.write(_line(values) + "\n")
        stream.flush()


def _line(values: dict[str, Any]) -> str:
    time = datetime.now(UTC).isoformat(timespec="milliseconds")
    return json.dumps({"time": time} | values, ensure_ascii=False)
