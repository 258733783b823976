"""Something that is done every now and then, in a thread of its own, as long as it is wanted."""

from __future__ import annotations

import logging
import threading
import time
import weakref
from collections.abc import Callable


def every_now_and_then(look: Callable[[], bool], seconds: float) -> None:
    """Calls a bound method again and again, ``seconds`` apart, until it returns False or its object is gone.

    A call that raises is logged, and the next one comes. The thread holds no reference to the object while it waits, so
    that one that nobody uses any more can end.
    """
    threading.Thread(target=_go_on, args=(weakref.WeakMethod(look), seconds), daemon=True).start()


def _go_on(look: weakref.WeakMethod, seconds: float) -> None:
    while True:
        time.sleep(seconds)
        alive = look()
        if alive is None:
            return
        try:
            wanted = alive()
        except Exception as error:  # the next look may do better; the message may hold what a visitor brought
            logging.getLogger(__name__).error("%s: %s", alive.__name__, type(error).__name__)
            wanted = True
        del alive
        if not wanted:
            return
