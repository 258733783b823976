"""Descriptors of files and connections: a process may have 1,024 open, as is usual, and a session takes four of them.

Without one left the server can take no connection, and Python's own event loop (where uvloop is not installed) says so
two thousand times a second. So the limit is raised to what the system allows, visitors inside take half of it at most,
and where little is left a session is refused before it takes any (``gate``).
"""

from __future__ import annotations

import logging
import math
import os
import time

try:
    import resource
except ImportError:  # on Windows
    resource = None

ENOUGH = 65_536  # to which the limit is raised where it may be
OF_SESSION = 4  # a connection, and the poll and two sockets of the event loop that Streamlit makes for each
MOST_RESERVED = 256  # for requests without a session, and files
OPEN = "/dev/fd"  # a folder with an entry for each descriptor that this process has open
NONE_LEFT = "socket.accept() out of system resource"  # as asyncio begins to say it
SELDOM = 60.0  # seconds between two lines of the log that say so


def raise_limit() -> None:
    """Raises this process's limit to the one that it may not pass, or to ``ENOUGH``; never lowers it."""
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (ValueError, OSError):  # macOS has a further limit
            logging.getLogger(__name__).info("the limit of descriptors stays at %s", soft)


def most() -> int:
    """Descriptors that this process may have open; ``ENOUGH`` where nothing limits them, or nothing is known."""
    soft = -1 if resource is None else resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return ENOUGH if soft < 0 else min(soft, ENOUGH)


def visitors() -> int:
    """Number of visitors who may be inside at once: they take half of the descriptors.

    The other half is for those who wait, for sessions that were left a moment ago, and for requests.
    """
    return max(1, most() // (2 * OF_SESSION))


def room_for_a_session() -> bool:
    """Whether another session leaves a quarter of the descriptors, or ``MOST_RESERVED``, to requests and files."""
    try:
        taken = len(os.listdir(OPEN))
    except FileNotFoundError:  # on Windows
        return True
    except OSError:  # not even one is left to look
        return False
    return taken + OF_SESSION <= most() - min(most() // 4, MOST_RESERVED)


class Seldom(logging.Filter):
    """Lets asyncio say that no descriptor is left once in ``SELDOM`` seconds; all else passes."""

    def __init__(self) -> None:
        super().__init__()
        self._said = -math.inf

    def filter(self, record: logging.LogRecord) -> bool:
        if not str(record.msg).startswith(NONE_LEFT):
            return True
        now = time.monotonic()
        if now - self._said < SELDOM:
            return False
        self._said = now
        return True


def say_seldom() -> None:
    """Has asyncio say seldom that no descriptor is left."""
    logger = logging.getLogger("asyncio")
    if not any(isinstance(one, Seldom) for one in logger.filters):
        logger.addFilter(Seldom())
