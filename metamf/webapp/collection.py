"""Garbage collection: only over what visits made, not over all that was imported, and seldom.

Streamlit would collect garbage after every run of a script or a fragment (``runner.postScriptGC``, which
``.streamlit/config.toml`` turns off). Of the objects that a collection walks through nearly all belong to imported
modules, such as torch's, and never become garbage: those are set apart (``gc.freeze``). Of the others a class of forty
makes so many that a collection after every run took more than a third of the time in which Python computes. So there is
one every ten seconds, if anything was made meanwhile. ``python -m benchmarks.load.visits`` and ``rooms`` show the sum.
"""

from __future__ import annotations

import gc
import sys
import threading

from metamf.webapp.jobs.ticking import every_now_and_then

EVERY = 10.0  # seconds between two collections
_lock = threading.Lock()
modules_apart = 0  # how many modules were loaded when objects were set apart last


def set_modules_apart() -> None:
    """Sets all objects apart that live now, if modules were imported since the last time; to be called after a run.

    What a visitor's session holds at that moment is set apart, too: it is freed as ever unless it is part of a circle.
    """
    global modules_apart
    with _lock:
        if len(sys.modules) == modules_apart:
            return
        modules_apart = len(sys.modules)
    gc.collect()
    gc.freeze()


class Collector:
    """The collection of garbage every now and then."""

    def __init__(self) -> None:
        self._made = -1  # how often the youngest objects had been collected at the end of the last collection

    def begin(self) -> None:
        """Has garbage collected from now on, as long as the process lives."""
        every_now_and_then(self.collect, EVERY)

    def collect(self) -> bool:
        """Collects garbage if anything was made since the last time; always true: there may be more later."""
        made = gc.get_stats()[0]["collections"]  # of the youngest objects, which Python collects by their number
        if made != self._made:
            gc.collect()
            self._made = gc.get_stats()[0]["collections"]
        return True


COLLECTOR = Collector()
