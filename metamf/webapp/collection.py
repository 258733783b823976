"""Garbage collection: only over what visits made, not over all that was imported, and seldom.

Streamlit would collect garbage after every run of a script or a fragment (``runner.postScriptGC``, which
``.streamlit/config.toml`` turns off). Of the objects that a collection walks through nearly all belong to imported
modules, such as torch's, and never become garbage: those are set apart (``gc.freeze``). Of the others a class of forty
makes so many that a collection after every run took more than a third of the time in which Python computes. So there is
one some time after a run, for all runs until then. ``python -m benchmarks.load.visits`` and ``rooms`` show the sum.
"""

from __future__ import annotations

import gc
import sys
import threading

EVERY = 10.0  # seconds from a run to the collection for it and all that follow; chosen by hand
_lock = threading.Lock()
waiting = False  # whether a collection will come
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


def collect_soon() -> None:
    """Has garbage collected after ``EVERY`` seconds, once for all calls until then; to be called after a run."""
    global waiting
    with _lock:
        if waiting:
            return
        waiting = True
    timer = threading.Timer(EVERY, _collect)
    timer.daemon = True
    try:
        timer.start()
    except RuntimeError:  # no threads left
        _collect()


def _collect() -> None:
    global waiting
    waiting = False
    gc.collect()
