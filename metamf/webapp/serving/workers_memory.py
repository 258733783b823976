"""The memory of a worker, so that one that wants too much ends with a sentence, and never the server with it.

A worker is a process that the server has started: one for jobs, or the one for heavy work. It limits its own data to
what is left, so that too large a step fails in it as an error; and where the system has to end a process all the same,
it takes a worker before the server. On Linux; elsewhere nothing is known, and nothing limited.
"""

from __future__ import annotations

import errno
from contextlib import suppress
from pathlib import Path

try:
    import resource
except ImportError:  # on Windows
    resource = None

from metamf.webapp.serving import memory
from metamf.webapp.serving.control_groups import PROC
from metamf.wording import MIB

WORKER = 360 * MIB  # bytes that a worker takes with torch imported: VmRSS of one that waits for a verdict, 359 MiB
STARTING = 384 * MIB  # bytes of data that each may have, for its imports: VmData of the same worker is 314 MiB
RESERVE = 64 * MIB  # bytes that workers leave to the server
STACK = 8 * MIB  # bytes of address space that a thread takes, and hardly uses: Linux's usual limit of a stack
ENDS_SOONER = 500  # half of the scale of ``oom_score_adj``, whose end is 1000
_WORDS = (  # in messages of errors that have no class of their own, of torch, C++, Python and the loader of libraries
    "allocate memory",
    "bad_alloc",
    "can't start new thread",
    "cannot map zero-fill pages",
)


def end_before_server(proc: Path = PROC) -> None:
    """Has the system end this process before the server, where memory is short; what it says already only grows."""
    score = proc / "self" / "oom_score_adj"
    with suppress(OSError, ValueError):
        score.write_text(str(min(1000, int(score.read_text()) + ENDS_SOONER)))


def limit_own(threads: int = 1) -> None:
    """Limits the data of this process to what it has and what is left, less ``RESERVE``; never below ``STARTING``.

    Called again it limits anew, to less or to more. Where it is not known what is left, nothing is limited.

    Parameters
    ----------
    threads : int
        Number of threads that it may start, whose stacks count as data.
    """
    now, left = memory.data(), memory.left()
    if resource is None or now is None or left is None:
        return
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    most = max(now + left - RESERVE, STARTING) + threads * STACK
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def is_short(error: BaseException) -> bool:
    """Whether an error says that there was too little memory, whoever raised it: Python, numpy, torch or the system."""
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return True
    if isinstance(error, (RuntimeError, ImportError)):
        return any(word in str(error) for word in _WORDS)
    return isinstance(error, MemoryError)
