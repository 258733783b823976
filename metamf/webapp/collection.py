"""Garbage collection after a run of a page: only over what visits made, not over all that was imported.

Streamlit collects garbage after every run of a script or a fragment. Of the objects that a collection walks through
nearly all belong to imported modules, such as torch's, and never become garbage. Once those are set apart
(``gc.freeze``) a run of the page Room takes 5 to 25 ms of processor time, and with them it took 220 to 290 ms, measured
on a busy machine; ``python -m benchmarks.load.rooms`` shows the sum for a class.
"""

from __future__ import annotations

import gc
import sys
import threading

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
