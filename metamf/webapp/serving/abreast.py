"""With a class here, a few pages are drawn at once, the others one after the other as they came.

Python lets one thread go on at a time and passes from one to the next every few milliseconds. Twenty pages that are
drawn at once are therefore all done at the end, and what one of them holds meanwhile (``threads.SHORT``, a cache, the
process beside the server) waits for its turn with it. In a line each is drawn quickly once it begins. Two go on at
once, since one of them often waits for that process.

Nobody waits long for a page that takes long (a large table, an import, a turn of heavy work): after ``LONGEST`` its
place is somebody else's, and it goes on beside the line.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

PLACES = 2  # pages that are drawn at once; chosen by hand
LONGEST = 0.5  # seconds after which a page has lost its place; chosen by hand


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
            yield
        finally:
            with self._changing:
                self._since.pop(mine, None)
                self._let_in()

    def _let_in(self) -> None:
        now = time.monotonic()
        if self._line and len(self._since) >= self._places:
            self._since = {of: since for of, since in self._since.items() if now - since < self._longest}
        while self._line and len(self._since) < self._places:
            first = self._line.popleft()
            self._since[first] = now
            first.release()

    def waiting(self) -> int:
        """Number of those who wait."""
        with self._changing:
            return len(self._line)


ABREAST = Abreast()
