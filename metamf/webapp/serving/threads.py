"""The one rule on threads of a served app: an operation of a visitor's computes on one core.

Many visitors compute at once, and small matrices gain nothing from a second core: torch's threads wait for each other
after every operation, and for the processor where others have it (``metamf.ratings.threads``). Work that is large
enough to be divided into blocks has its turn alone (``turns``) and uses all cores that this process may use
(``cores``), by helpers that wait for nobody.
What takes a moment is computed one after the other, too, by whoever holds ``SHORT``: Python lets one thread go on at a
time, and many that compute at once take it from each other at every step, and the caches of the cores with it. It is
taken before any lock of a cache, and by nobody who then waits for a turn. With a class here it is computed in another
process (``aside``).
Workers compute on one core each (``metamf.webapp.jobs.process``). ``python -m benchmarks.load.visits --threads N``
measures another number.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import MutableMapping
from contextlib import suppress
from pathlib import Path

from metamf.webapp.serving import control_groups
from metamf.webapp.serving.control_groups import CONTROL, PROC

NUMBER = "METAMF_THREADS"  # an environment variable: another number of cores for an operation
OF_LIBRARIES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")  # read when numpy and torch are imported

SHORT = threading.RLock()  # held by the one visitor's thread that computes something short


def limit(environment: MutableMapping[str, str] = os.environ) -> None:
    """Sets what torch and numpy read when they are imported, unless the environment says it already.

    Raises
    ------
    ValueError
        If ``METAMF_THREADS`` is not a whole number from 1 on.
    """
    number = environment.get(NUMBER) or "1"
    if not number.isdecimal() or int(number) < 1:
        raise ValueError(f"{NUMBER} is {number!r}: set it to a whole number of cores, such as 1")
    for name in OF_LIBRARIES:
        environment.setdefault(name, number)


def cores(proc: Path = PROC, control: Path = CONTROL) -> int:
    """Number of cores that this process may use: those that it was given, and no more than its container's quota."""
    try:
        most = len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        most = os.cpu_count() or 1
    for _, text in control_groups.figures("cpu.max", proc, control):
        with suppress(ValueError):  # "max 100000": no quota
            quota, period = map(int, text.split())
            most = min(most, max(1, math.ceil(quota / period)))
    return most
