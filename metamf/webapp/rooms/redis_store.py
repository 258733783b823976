"""Rooms that all replicas of a server share, in Redis: each room is one text under one key, which Redis lets expire.

A second key of the same lifetime holds the digest of the address that opened it. Replicas are renewed one at a time: a
text that another version of the program wrote and this one does not understand is a closed room here, which stays as it
is. Needs the package redis (``pip install 'metamf[served]'``). Nothing about rooms is kept in this process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import redis

from metamf.webapp.rooms import codes
from metamf.webapp.rooms.room import Room
from metamf.webapp.rooms.store import (
    LIFETIME,
    MOST_OF_ONE,
    UNUSED,
    AllInUseError,
    RoomGoneError,
    RoomsAwayError,
    TooManyOfOneError,
)
from metamf.webapp.rooms.written import room_as_text, room_from_text

MOST_ROOMS = 100  # at once, of all replicas; see ``codes.chance``
PATIENCE = 2.0  # seconds until Redis counts as gone
KEY_PREFIX = "metamf:room:"
OPENER_PREFIX = "metamf:opener:"
_OPENINGS = "metamf:openings"  # changes with each opening, so that two at once do not overlook each other


class RedisStore:
    """A ``RoomStore`` in Redis; safe for threads and for other processes.

    Parameters
    ----------
    url : 'redis://host:6379/0', or 'rediss://...' for an encrypted connection
    most : largest number of rooms at once

    Raises
    ------
    ValueError
        if the address is not one of Redis.
    """

    def __init__(self, url: str, most: int = MOST_ROOMS) -> None:
        self._most = most
        self._redis = redis.Redis.from_url(
            url, decode_responses=True, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE
        )

    def add(self, room: Room, opener: str = "") -> str:
        return self._asked(lambda: self._add(room, opener))

    def get(self, code: str) -> Room | None:
        text = self._asked(lambda: self._redis.get(KEY_PREFIX + code))
        return None if text is None else room_from_text(text)

    def change(self, code: str, act: Callable[[Room], Room]) -> Room:
        def put(pipe: redis.client.Pipeline) -> Room:
            text, left = pipe.get(KEY_PREFIX + code), pipe.pttl(KEY_PREFIX + code)
            room = None if text is None else room_from_text(text)
            if room is None:
                raise RoomGoneError
            changed = act(room)
            more = 1000 * (LIFETIME - UNUSED) if changed.came and not room.came else 0  # somebody came
            pipe.multi()
            pipe.set(KEY_PREFIX + code, room_as_text(changed), px=max(left, 1) + more)
            pipe.pexpire(OPENER_PREFIX + code, max(left, 1) + more)
            return changed

        return self._asked(lambda: self._redis.transaction(put, KEY_PREFIX + code, value_from_callable=True))

    def remove(self, code: str) -> None:
        self._asked(lambda: self._redis.delete(KEY_PREFIX + code, OPENER_PREFIX + code))

    def __len__(self) -> int:
        return self._asked(lambda: len(_codes(self._redis)))

    def _add(self, room: Room, opener: str) -> str:
        def put(pipe: redis.client.Pipeline) -> str:
            there = _codes(pipe)
            if opener and there and pipe.mget(OPENER_PREFIX + code for code in there).count(opener) >= MOST_OF_ONE:
                raise TooManyOfOneError
            gives_way = _unused(pipe, there) if len(there) >= self._most else ""
            if gives_way is None:
                raise AllInUseError(self._most)
            code = codes.new_code()
            while code in there:
                code = codes.new_code()
            pipe.multi()
            pipe.set(_OPENINGS, code, ex=UNUSED)
            if gives_way:
                pipe.delete(KEY_PREFIX + gives_way, OPENER_PREFIX + gives_way)
            pipe.set(KEY_PREFIX + code, room_as_text(room), ex=UNUSED)
            if opener:
                pipe.set(OPENER_PREFIX + code, opener, ex=UNUSED)
            return code

        return self._redis.transaction(put, _OPENINGS, value_from_callable=True)

    @staticmethod
    def _asked(act: Callable[[], Any]) -> Any:
        try:
            return act()
        except redis.RedisError as error:  # gone, too slow, full, or still loading
            raise RoomsAwayError from error


def _codes(asked: redis.Redis) -> set[str]:
    """The codes of all rooms."""
    return {key.removeprefix(KEY_PREFIX) for key in asked.scan_iter(KEY_PREFIX + "*", count=1000)}


def _unused(pipe: redis.client.Pipeline, there: Iterable[str]) -> str | None:
    """The code of the oldest of these rooms into which nobody has come; None if there is none. Who comes in meanwhile
    makes the transaction begin anew."""

    def nobody_came(text: str | None) -> bool:
        room = None if text is None else room_from_text(text)
        return room is not None and not room.came

    there = [*there]
    texts = pipe.mget(KEY_PREFIX + code for code in there)
    unused = [code for code, text in zip(there, texts) if nobody_came(text)]
    for code in sorted(unused, key=lambda code: pipe.pttl(KEY_PREFIX + code)):  # the oldest is the first to expire
        pipe.watch(KEY_PREFIX + code)
        if nobody_came(pipe.get(KEY_PREFIX + code)):
            return code
    return None
