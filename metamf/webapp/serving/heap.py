"""The C library's heap, where it is glibc's: one for all threads, and what is free of it is the system's again.

By itself glibc gives threads heaps of their own, eight for each core. A page is drawn by a thread of its own, so after
a class each heap has a little in use on many of its pages of memory, and the server keeps the rest of them, too. Python
lets one thread go on at a time, so that threads hardly wait for each other at the one heap.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from contextlib import suppress

NUMBER = "MALLOC_ARENA_MAX"  # the environment variable by which glibc is told another number of heaps
_M_ARENA_MAX = -8  # in malloc.h


def share(environment: Mapping[str, str] = os.environ) -> None:
    """Has threads that begin from now on share one heap, unless the environment says another number."""
    if NUMBER not in environment:
        with suppress(AttributeError, OSError, TypeError):
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def give_back() -> None:
    """Gives memory that is free to the system."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
