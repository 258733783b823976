"""The door of the app: a given number of visitors at once, the others in a line before it; without Streamlit."""

from __future__ import annotations

import threading
from collections.abc import Callable

MOST_VISITORS = 150  # visitors of one process at once; forty with three tabs each, and thirty more
LIMIT = "METAMF_VISITORS"  # an environment variable: another number


class Door:
    """Lets visitors in, in the order in which they came; safe for threads.

    Parameters
    ----------
    places : int
        Largest number of visitors inside at once.
    present : callable
        Whether a visitor is still there; whoever is not has left, from inside or from the line.
    """

    def __init__(self, places: int, present: Callable[[str], bool]):
        self.places, self._present, self._lock = places, present, threading.Lock()
        self._inside: dict[str, threading.Event] = {}  # -> the pass
        self._left: dict[str, None] = {}  # who were inside last, as many as there are places: they may come back
        self._line: list[str] = []

    def ask(self, visitor: str) -> int:
        """0 if the visitor is inside from now on, otherwise the place in the line, 1 for the next one.

        Somebody who was inside before, and comes back when the place is taken, stands in front of those who were not.
        """
        with self._lock:
            self._look_around()
            if visitor in self._inside:
                return 0
            if visitor not in self._line:
                again = sum(other in self._left for other in self._line) if visitor in self._left else len(self._line)
                self._line.insert(again, visitor)
            place = self._line.index(visitor) + 1
            if place > self.places - len(self._inside):
                return place
            self._line.remove(visitor)
            self._left.pop(visitor, None)
            self._inside[visitor] = threading.Event()
            self._inside[visitor].set()
            return 0

    def pass_of(self, visitor: str) -> threading.Event | None:
        """The pass of somebody who is inside; it is set until the place is given up, because the visitor has left."""
        with self._lock:
            return self._inside.get(visitor)

    def waiting(self) -> int:
        """Number of those who stand in the line."""
        with self._lock:
            self._look_around()
            return len(self._line)

    def _look_around(self) -> None:
        for visitor in [visitor for visitor in self._inside if not self._present(visitor)]:
            self._inside.pop(visitor).clear()
            self._left[visitor] = None
        for visitor in list(self._left)[: -self.places]:
            del self._left[visitor]
        self._line = list(filter(self._present, self._line))


def limit(text: str) -> int:
    """The number that ``METAMF_VISITORS`` says, ``MOST_VISITORS`` where it is empty; ValueError as ``number_said``."""
    return number_said(LIMIT, text, "visitors", MOST_VISITORS)


def number_said(variable: str, text: str, what: str, usual: int) -> int:
    """The number of ``what`` that a variable of the environment says, ``usual`` where it is empty.

    Raises
    ------
    ValueError
        If it is not a whole number from 1 on.
    """
    if not text:
        return usual
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"{variable} is {text!r}: set it to a whole number of {what}, such as {usual}")
    return int(text)
