"""With a class here, a few pages are drawn at once, the others one after the other as they came.

Python lets one thread go on at a time and passes from one to the next every few milliseconds. Twenty pages that are
drawn at once are therefore all done at the end, and what one of them holds meanwhile (``threads.SHORT``, a cache, the
process beside the server) waits for its turn with it. In a line each is drawn quickly once it begins.

A page that waits for the process beside the server lends its place meanwhile (``away``). Nobody waits long for a page
that takes long (a large table, an import, a turn of heavy work): after ``LONGEST`` its place is somebody else's, and it
goes on beside the line.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

PLACES = 2  # pages that are drawn at once
LONGEST = 0.5  # seconds after which a page has lost its place


class Abreast:
    """The line; safe for threads.

    Parameters
    ----------
    places : int
        Number of places.
    longest : float
        Seconds after which a place that somebody waits for is taken from the page that has it.
    """

    def __init__(self, places: int = PLACES, longest: float = LONGEST):
        self._places, self._longest = places, longest
        self._changing = threading.Lock()
        self._line: deque[threading.Lock] = deque()  # of those who wait: a lock of each, released when it may go on
        self._since: dict[threading.Lock, float] = {}  # when those who have a place got it
        self._own = threading.local()  # .lock: the lock of the page that this thread draws

    @contextmanager
    def place(self) -> Iterator[None]:
        """Waits for a place, and has it until the end of the block, or until it took too long."""
        mine = threading.Lock()
        mine.acquire()
        with self._changing:
            self._line.append(mine)
            self._let_in()
        try:
            while not mine.acquire(timeout=self._longest / 2):
                with self._changing:
                    self._let_in()
            self._own.lock = mine
            yield
        finally:
            self._own.lock = None
            with self._changing:
                self._since.pop(mine, None)
                self._let_in()

    @contextmanager
    def away(self) -> Iterator[None]:
        """Lends the place of this thread's page, where it has one, until the end of the block; then it just goes on.

        It does not wait for a place again: it may hold what the others wait for, and has waited already.
        """
        mine = getattr(self._own, "lock", None)
        with self._changing:
            had = self._since.pop(mine, None) is not None
            self._let_in()
        try:
            yield
        finally:
            if had:
                with self._changing:
                    self._since[mine] = time.monotonic()

    def _let_in(self) -> None:
        now = time.monotonic()
        if self._line and len(self._since) >= self._places:
            self._since = {of: since for of, since in self._since.items() if now - since < self._longest}
        while self._line and len(self._since) < self._places:
            first = self._line.popleft()
            self._since[first] = now
            first.release()

    def drawn(self) -> int:
        """Number of those who have a place."""
        with self._changing:
            return len(self._since)

    def waiting(self) -> int:
        """Number of those who wait."""
        with self._changing:
            return len(self._line)


ABREAST = Abreast()
