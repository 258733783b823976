"""What the first page does without is made ready in the background, once per server, while its visitor looks at it.

The first page opens with a kept run (``metamf.webapp.matrix.opening``); the first click needs torch, which takes
seconds to import. Whoever comes before it is ready imports it as ever, and waits for what is left of it.
"""

from __future__ import annotations

import threading
from importlib import import_module

from metamf.webapp import collection
from metamf.webapp.matrix.state import DEFAULT

AFTER = 1.5  # seconds after the first page was sent, so that the browser gets its scripts first; chosen by hand
_MODULES = ("metamf.tasks.comparison", "metamf.filling.influence")
_lock = threading.Lock()
begun = False


def begin() -> None:
    """Begins, at the end of the first run of a page; later calls do nothing."""
    global begun
    with _lock:
        if begun:
            return
        begun = True
    timer = threading.Timer(AFTER, make_ready)
    timer.daemon = True
    timer.start()


def make_ready() -> None:
    """Imports what a run needs, and opens the checkpoint that pages begin with."""
    from metamf.checkpoints.bundled import list_pretrained, open_checkpoint

    for module in _MODULES:
        import_module(module)
    if DEFAULT.model in list_pretrained():
        open_checkpoint(DEFAULT.model)
    collection.set_modules_apart()
