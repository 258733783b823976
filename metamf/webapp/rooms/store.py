"""The store that keeps rooms: an interface, and the store of one server process, in memory alone.

A store keeps values and changes them whole, one change after the other; what may be changed is the room's business.
``redis_store`` keeps them for several server processes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from metamf.webapp.rooms import codes
from metamf.webapp.rooms.room import Room, RoomError

LIFETIME = 4 * 3600  # seconds from the opening until a room is deleted; a double lecture, and a break
UNUSED = 3600  # seconds until a room is deleted that nobody came into
MOST_ROOMS = 20  # at once; some 100 kB each at the most
MOST_OF_ONE = 5  # at once, opened from one address; several classes of a school may share it


class RoomGoneError(RoomError):
    """There is no such room, or not any more."""

    def __init__(self) -> None:
        super().__init__("This room is closed. All that was in it is deleted.")


class RoomsAwayError(RoomError):
    """The place where rooms are kept cannot be reached; whether it comes back with them is not known."""

    def __init__(self) -> None:
        super().__init__("The rooms cannot be reached for the moment: this page tries again by itself.")


class TooManyOfOneError(RoomError):
    """The limit of rooms that are open at once, opened from one address."""

    def __init__(self) -> None:
        super().__init__(f"From here {MOST_OF_ONE} rooms are open already. Close one of them, or try again later.")


class AllInUseError(RoomError):
    """The limit of rooms that are open at once, where somebody is in each of them."""

    def __init__(self, most: int) -> None:
        super().__init__(f"All {most} rooms of this server are in use. Try again later.")


class RoomStore(Protocol):
    """Keeper of rooms; each method is safe for threads. ``RoomsAwayError`` where the rooms cannot be reached."""

    def add(self, room: Room, opener: str = "") -> str:
        """Keeps a new room; its code. Where there are too many, the oldest room that nobody came into gives way.

        ``opener``: a digest of the address from which it was opened; without one it counts for nobody.
        ``TooManyOfOneError`` if ``MOST_OF_ONE`` of the same are open, ``AllInUseError`` if no room gives way.
        """

    def get(self, code: str) -> Room | None:
        """The room of that code, if there is one."""

    def change(self, code: str, act: Callable[[Room], Room]) -> Room:
        """Puts ``act(room)`` in the room's place, with no other change in between; the new room.

        ``act`` may be called more than once and has no effect of its own. ``RoomGoneError`` if there is no room; what
        ``act`` raises leaves the room as it was.
        """

    def remove(self, code: str) -> None:
        """Deletes the room of that code, if there is one."""


def lifetime(room: Room) -> float:
    """Seconds from its opening until a room is deleted."""
    return LIFETIME if room.came else UNUSED


@dataclass
class _Kept:
    room: Room
    opener: str
    opened: float
    timer: threading.Timer


class MemoryStore:
    """The rooms of this process. They are gone with it.

    Parameters
    ----------
    clock : the time in seconds; ``time.monotonic`` does not follow the clock on the wall when that is set
    most : largest number of rooms at once
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, most: int = MOST_ROOMS) -> None:
        self._clock, self._most, self._lock = clock, most, threading.Lock()
        self._rooms: dict[str, _Kept] = {}

    def add(self, room: Room, opener: str = "") -> str:
        with self._lock:
            self._delete_old()
            if opener and sum(kept.opener == opener for kept in self._rooms.values()) >= MOST_OF_ONE:
                raise TooManyOfOneError
            if len(self._rooms) >= self._most:
                self._give_way()
            code = codes.new_code()
            while code in self._rooms:
                code = codes.new_code()
            timer = threading.Timer(LIFETIME + 1, self.delete_old)  # also if nobody visits the server any more
            timer.daemon = True
            timer.start()
            self._rooms[code] = _Kept(room, opener, self._clock(), timer)
            return code

    def get(self, code: str) -> Room | None:
        with self._lock:
            self._delete_old()
            kept = self._rooms.get(code)
            return None if kept is None else kept.room

    def change(self, code: str, act: Callable[[Room], Room]) -> Room:
        with self._lock:
            self._delete_old()
            if code not in self._rooms:
                raise RoomGoneError
            kept = self._rooms[code]
            kept.room = act(kept.room)
            return kept.room

    def remove(self, code: str) -> None:
        with self._lock:
            self._remove(code)

    def delete_old(self) -> None:
        """Deletes the rooms whose time is over."""
        with self._lock:
            self._delete_old()

    def __len__(self) -> int:
        with self._lock:
            return len(self._rooms)

    def _delete_old(self) -> None:
        now = self._clock()
        for code in [code for code, kept in self._rooms.items() if now - kept.opened >= lifetime(kept.room)]:
            self._remove(code)

    def _give_way(self) -> None:
        """Deletes the oldest room into which nobody has come."""
        unused = next((code for code, kept in self._rooms.items() if not kept.room.came), None)  # the oldest is first
        if unused is None:
            raise AllInUseError(self._most)
        self._remove(unused)

    def _remove(self, code: str) -> None:
        kept = self._rooms.pop(code, None)
        if kept is not None:
            kept.timer.cancel()
