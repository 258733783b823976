"""Stores of rooms: in the memory of one server process, or in Redis, which all replicas of a server share.

A store changes rooms as a whole, one change after the other, and deletes each room when its time is over. A text in
Redis that another version of the program wrote counts as a closed room, since replicas are renewed one at a time. Who
opened a room is kept as a keyed digest of the address, by which open rooms are counted.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from metamf.webapp.rooms.access_codes import address_tag, new_code, new_secret
from metamf.webapp.rooms.room import Room, RoomError

LIFETIME = 4 * 3600  # seconds from the opening until a room is deleted: a double lecture and a break
UNUSED = 3600  # seconds until a room is deleted that nobody joined
MOST_ROOMS = 100  # at once; some 100 kB each at the most
MOST_OF_ONE = 5  # at once, opened from one address; several classes of a school may share it
PATIENCE = 2.0  # seconds until Redis counts as unreachable
ADDRESS_KEY = "METAMF_ADDRESS_KEY"  # key of the digests of addresses; without it Redis keeps a random one
ROOM_PREFIX = "metamf:room:"
_RANDOM_KEY, _OPENINGS = "metamf:address-key", "metamf:openings"


class RoomGoneError(RoomError):
    """There is no such room, or not any more."""

    def __init__(self) -> None:
        super().__init__("This room is closed, and everything in it is deleted.")


class RoomsAwayError(RoomError):
    """The store cannot be reached; whether the rooms come back with it is not known."""

    def __init__(self) -> None:
        super().__init__("The rooms cannot be reached at the moment. This page keeps trying.")


def _new_code(taken: list[str], openers: list[str], opener: str, most: int) -> str:
    """Returns the code of a new room beside those of ``openers``; ``RoomError`` if there are too many."""
    if opener and openers.count(opener) >= MOST_OF_ONE:
        raise RoomError(f"There are {MOST_OF_ONE} open rooms from here. Close one of them, or try again later.")
    if len(openers) >= most:
        raise RoomError(f"All {most} rooms of this server are in use. Please try again later.")
    return next(code for code in iter(new_code, "") if code not in taken)


@dataclass
class _Kept:
    room: Room
    opener: str
    opened: float
    timer: threading.Timer


class MemoryStore:
    """The rooms of this process, which end with it; safe for threads. ``clock`` gives seconds and must not jump."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, most: int = MOST_ROOMS, lifetime: float = LIFETIME
    ) -> None:
        self._clock, self._most, self._lifetime = clock, most, lifetime
        self._lock, self._key = threading.Lock(), new_secret()
        self._rooms: dict[str, _Kept] = {}

    def add(self, room: Room, opener: str = "") -> str:
        """Adds a room that was opened from the address ``opener``, and returns its code; ``RoomError`` if there are too
        many rooms, of this address or of all."""
        tag = address_tag(self._key, opener) if opener else ""
        self.delete_old()
        with self._lock:
            code = _new_code([*self._rooms], [kept.opener for kept in self._rooms.values()], tag, self._most)
            timer = threading.Timer(self._lifetime, self.delete_old)  # also if nobody visits the server any more
            timer.daemon = True
            timer.start()
            self._rooms[code] = _Kept(room, tag, self._clock(), timer)
            return code

    def get(self, code: str) -> Room | None:
        """Returns the room with that code, if there is one."""
        self.delete_old()
        kept = self._rooms.get(code)
        return None if kept is None else kept.room

    def change(self, code: str, act: Callable[[Room], Room]) -> Room:
        """Replaces the room by ``act(room)``, with no other change in between, and returns the new room.

        ``act`` may be called more than once and must have no side effect. Raises ``RoomGoneError`` if there is no room;
        what ``act`` raises leaves the room as it was.
        """
        self.delete_old()
        with self._lock:
            kept = self._rooms.get(code)
            if kept is None:
                raise RoomGoneError
            kept.room = act(kept.room)
            return kept.room

    def remove(self, code: str) -> None:
        """Deletes the room with that code, if there is one."""
        with self._lock:
            kept = self._rooms.pop(code, None)
        if kept is not None:
            kept.timer.cancel()

    def delete_old(self) -> None:
        """Deletes the rooms whose time is over."""
        now = self._clock()
        for code, kept in [*self._rooms.items()]:
            if now - kept.opened >= (self._lifetime if kept.room.came else min(UNUSED, self._lifetime)):
                self.remove(code)

    def clear(self) -> None:
        """Deletes all rooms."""
        for code in [*self._rooms]:
            self.remove(code)

    def __len__(self) -> int:
        return len(self._rooms)


class RedisStore:
    """The same in Redis, whose failure is a ``RoomsAwayError``; needs the package ``redis``.

    A room is one text: the digest of its opener and, on the next line, the room. ``url`` is 'redis://host:6379/0' or,
    for an encrypted connection, 'rediss://...'; ``ValueError`` if it is another.
    """

    def __init__(self, url: str, most: int = MOST_ROOMS, patience: float = PATIENCE) -> None:
        import redis  # only replicas need it

        self._most, self._error = most, redis.RedisError
        self._redis: Any = redis.Redis.from_url(
            url, decode_responses=True, socket_timeout=patience, socket_connect_timeout=patience
        )

    def add(self, room: Room, opener: str = "") -> str:
        def put(pipe: Any) -> str:
            keys = [*pipe.scan_iter(ROOM_PREFIX + "*", count=1000)]
            openers = [(text or "").partition("\n")[0] for text in (pipe.mget(keys) if keys else ())]
            code = _new_code([key.removeprefix(ROOM_PREFIX) for key in keys], openers, tag, self._most)
            pipe.multi()
            pipe.set(_OPENINGS, code, ex=UNUSED)  # watched, so that two openings at once do not overlook each other
            pipe.set(ROOM_PREFIX + code, f"{tag}\n{room.to_text()}", ex=UNUSED)
            return code

        tag = self._ask(lambda: address_tag(self._address_key(), opener)) if opener else ""
        return self._ask(lambda: self._redis.transaction(put, _OPENINGS, value_from_callable=True))

    def get(self, code: str) -> Room | None:
        return _parse(self._ask(lambda: self._redis.get(ROOM_PREFIX + code)))[1]

    def change(self, code: str, act: Callable[[Room], Room]) -> Room:
        def put(pipe: Any) -> Room:
            (opener, room), left = _parse(pipe.get(ROOM_PREFIX + code)), pipe.pttl(ROOM_PREFIX + code)
            if room is None:
                raise RoomGoneError
            changed = act(room)
            if changed.came and not room.came:  # the first student
                left += 1000 * (LIFETIME - UNUSED)
            pipe.multi()
            pipe.set(ROOM_PREFIX + code, f"{opener}\n{changed.to_text()}", px=max(left, 1))
            return changed

        return self._ask(lambda: self._redis.transaction(put, ROOM_PREFIX + code, value_from_callable=True))

    def remove(self, code: str) -> None:
        self._ask(lambda: self._redis.delete(ROOM_PREFIX + code))

    def _address_key(self) -> str:
        """The key of the digests of addresses; a random one lives as long as the rooms whose digests it made."""
        if key := os.environ.get(ADDRESS_KEY):
            return key
        self._redis.set(_RANDOM_KEY, new_secret(), nx=True)
        self._redis.expire(_RANDOM_KEY, LIFETIME)
        return self._redis.get(_RANDOM_KEY)

    def _ask(self, act: Callable[[], Any]) -> Any:
        try:
            return act()
        except self._error as error:  # gone, too slow, full, or still loading
            raise RoomsAwayError from error


def _parse(text: str | None) -> tuple[str, Room | None]:
    opener, _, room = (text or "").partition("\n")
    return opener, Room.from_text(room)


RoomStore = MemoryStore | RedisStore
