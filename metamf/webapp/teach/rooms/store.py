"""Stores of rooms by code: in the memory of one server process, or in Redis, which all replicas of
a server share.

A store changes rooms as a whole, one change after the other, and deletes each room when its time is
over. A text in Redis that another version of the program wrote counts as a closed room, since
replicas are renewed one at a time.

A code is eight letters of twenty: 20^8 = 2.6e10 codes, 34.6 bits. There are no vowels, so codes
never spell words, and no L, which looks like I; letters alone suit a phone's keyboard.
"""

from __future__ import annotations

import secrets
import threading
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from metamf.webapp.teach.rooms.room import Room, RoomError

ALPHABET = "BCDFGHJKMNPQRSTVWXYZ"
LENGTH = 8  # letters of a code
LIFETIME = (
    4 * 3600
)  # seconds from the opening until a room is deleted: a double lecture and a break
MOST_ROOMS = 100  # at once; some 100 kB each at the most
MOST_OF_ONE = 5  # at once, opened from one address; several classes of a school may share it
PATIENCE = 2.0  # seconds until Redis counts as unreachable
ROOM_PREFIX = "metamf:room:"
_OPENINGS = "metamf:openings"


class RoomGoneError(RoomError):
    def __init__(self) -> None:
        super().__init__("This room is closed, and everything in it is deleted.")


class RoomsAwayError(RoomError):
    """The store cannot be reached; whether the rooms come back with it is not known."""

    def __init__(self) -> None:
        super().__init__("The rooms cannot be reached at the moment. This page keeps trying.")


def hyphenated(code: str) -> str:
    """Returns the code as people read it: 'BKTM-WXRD'."""
    return f"{code[: LENGTH // 2]}-{code[LENGTH // 2 :]}"


def parse_code(text: str) -> str | None:
    """Returns the code that somebody typed, with or without hyphen, in any case; None if it cannot
    be a code."""
    letters = "".join(c for c in unicodedata.normalize("NFKC", text[:100]).upper() if c.isalnum())
    return letters if len(letters) == LENGTH and set(letters) <= set(ALPHABET) else None


def _free_code(rooms: Mapping[str, Room | None], new: Room) -> str:
    """Returns a code for a new room next to ``rooms``; ``RoomError`` if there are too many, of its
    opener or of all."""
    if (
        sum(room is not None and room.opener == new.opener for room in rooms.values())
        >= MOST_OF_ONE
    ):
        raise RoomError(
            f"There are {MOST_OF_ONE} open rooms from here. Close one of them, or try again later."
        )
    if len(rooms) >= MOST_ROOMS:
        raise RoomError(
            f"All {MOST_ROOMS} rooms of this server are in use. Please try again later."
        )
    code = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
    return _free_code(rooms, new) if code in rooms else code


class MemoryStore:
    """The rooms of this process, which end with it; safe for threads."""

    def __init__(self) -> None:
        self.rooms: dict[str, Room] = {}
        self._timers: dict[str, threading.Timer] = {}
        self._lock = threading.Lock()

    def add(self, room: Room) -> str:
        """Adds a room and returns its code; ``RoomError`` if there are too many, of this opener or
        of all."""
        with self._lock:
            code = _free_code(self.rooms, room)
            self.rooms[code] = room
            self._timers[code] = timer = threading.Timer(LIFETIME, self.remove, [code])
            timer.daemon = True
            timer.start()
            return code

    def get(self, code: str) -> Room | None:
        return self.rooms.get(code)

    def change(self, code: str, act: Callable[[Room], Room]) -> Room:
        """Replaces the room by ``act(room)``, with no other change in between, and returns the new
        room.

        ``act`` may be called more than once. Raises ``RoomGoneError`` if there is no room; what
        ``act`` raises leaves the room as it was.
        """
        with self._lock:
            if code not in self.rooms:
                raise RoomGoneError
            self.rooms[code] = act(self.rooms[code])
            return self.rooms[code]

    def remove(self, code: str) -> None:
        with self._lock:
            if self.rooms.pop(code, None) is not None:
                self._timers.pop(code).cancel()


class RedisStore:
    """The same in Redis, whose failure is a ``RoomsAwayError``; needs the package ``redis``.

    ``url`` is 'redis://host:6379/0' or, for an encrypted connection, 'rediss://...'; ``ValueError``
    if it is another.
    """

    def __init__(self, url: str) -> None:
        import redis  # only replicas need it

        self._error = redis.RedisError
        self._redis: Any = redis.Redis.from_url(
            url, decode_responses=True, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE
        )

    def add(self, room: Room) -> str:
        def put(pipe: Any) -> str:
            keys = [*pipe.scan_iter(ROOM_PREFIX + "*", count=1000)]
            rooms = map(Room.from_text, keys and pipe.mget(keys))
            code = _free_code(
                dict(zip((key.removeprefix(ROOM_PREFIX) for key in keys), rooms)), room
            )
            pipe.multi()
            pipe.set(
                _OPENINGS, code, ex=LIFETIME
            )  # watched, so that two openings at once do not overlook each other
            pipe.set(ROOM_PREFIX + code, room.to_text(), ex=LIFETIME)
            return code

        return self._ask(lambda: self._redis.transaction(put, _OPENINGS, value_from_callable=True))

    def get(self, code: str) -> Room | None:
        return Room.from_text(self._ask(lambda: self._redis.get(ROOM_PREFIX + code)))

    def change(self, code: str, act: Callable[[Room], Room]) -> Room:
        def put(pipe: Any) -> Room:
            room = Room.from_text(pipe.get(ROOM_PREFIX + code))
            if room is None:
                raise RoomGoneError
            room = act(room)
            pipe.multi()
            pipe.set(ROOM_PREFIX + code, room.to_text(), keepttl=True)
            return room

        return self._ask(
            lambda: self._redis.transaction(put, ROOM_PREFIX + code, value_from_callable=True)
        )

    def remove(self, code: str) -> None:
        self._ask(lambda: self._redis.delete(ROOM_PREFIX + code))

    def _ask(self, act: Callable[[], Any]) -> Any:
        try:
            return act()
        except self._error as error:  # gone, too slow, full, or still loading
            raise RoomsAwayError from error


RoomStore = MemoryStore | RedisStore
