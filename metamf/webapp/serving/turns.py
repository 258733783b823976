"""Heavy work of the pages, one piece after the other: a large file that is read, a large table that is filled in.

What takes minutes runs in the pool of processes (``metamf.webapp.jobs``). What takes seconds and some hundred megabytes
runs where the page runs; without turns forty large files at once would need the memory of all of them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PLACES = 1  # pieces of heavy work at once: one uses the cores that there are (``threads``)
EVERY = 0.3  # seconds between two looks at one's place


class Turns:
    """A line of threads; safe for threads, as long as it lives."""

    def __init__(self, places: int = PLACES):
        self._places, self._line, self._moved = places, [], threading.Condition()
        self._mine = threading.local()  # .depth: a thread that has its turn keeps it for all that it does in it

    @contextmanager
    def turn(self, waiting: Callable[[int], None] = lambda place: None, every: float = EVERY) -> Iterator[None]:
        """Waits until it is this thread's turn, which lasts until the end of the block.

        Parameters
        ----------
        waiting : callable
            Called with the place in the line, 1 for the next one, every now and then while it waits. What it raises
            (the visitor has left) ends the waiting.
        every : float
            Seconds between two such calls.
        """
        if getattr(self._mine, "depth", 0):
            yield
            return
        ticket = object()
        with self._moved:
            self._line.append(ticket)
        try:
            while place := self._place(ticket):
                waiting(place)
                with self._moved:
                    self._moved.wait_for(lambda: not self._place(ticket), every)
            self._mine.depth = 1
            yield
        finally:
            self._mine.depth = 0
            with self._moved:
                self._line.remove(ticket)
                self._moved.notify_all()

    def _place(self, ticket: object) -> int:
        return max(0, self._line.index(ticket) + 1 - self._places)

    def busy(self) -> tuple[int, int]:
        """Numbers of those who have their turn and of those who wait for it."""
        with self._moved:
            inside = min(len(self._line), self._places)
            return inside, len(self._line) - inside
