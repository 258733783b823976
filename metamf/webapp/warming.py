"""Parts that the first page does without, made ready in the background, once per server, while its visitor looks at it.

The first page opens with a kept run (``metamf.webapp.matrix.opening``); the first click needs torch, which takes
seconds to import.

Two threads that import parts of one package at the same time can block each other, and Python ends that with an error:
scikit-learn's ``base`` waits for the package, which waits for ``base``. So until all is imported one thread at a time
does so, the one in the background or one that runs a page: both hold ``importing``.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from importlib import import_module

from metamf.checkpoints.bundled import list_pretrained, open_checkpoint
from metamf.checkpoints.info import CheckpointError
from metamf.webapp import collection
from metamf.webapp.matrix.choices import DEFAULT
from metamf.webapp.serving.aside import ASIDE

AFTER = 1.5  # seconds after the first page was sent, so that the browser gets its scripts first
_MODULES = ("metamf.evaluate.comparison", "metamf.evaluate.influence")
importing = threading.RLock()
begun = ready = False


def begin() -> None:
    """Begins, at the end of the first run of a page; later calls do nothing."""
    global begun
    with importing:
        if begun:
            return
        begun = True
    timer = threading.Timer(AFTER, make_ready)
    timer.daemon = True
    timer.start()


def make_ready() -> None:
    """Imports what a run needs, and opens the checkpoint that pages begin with."""
    global ready
    with importing:
        try:
            for module in _MODULES:
                import_module(module)
            if DEFAULT.model in list_pretrained():
                with suppress(CheckpointError, OSError):  # a damaged one is said to the visitor who asks for it
                    open_checkpoint(DEFAULT.model)
            collection.set_modules_apart()
            collection.COLLECTOR.begin()
            ASIDE.begin()
        finally:
            ready = True
