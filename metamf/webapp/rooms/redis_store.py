"""Rooms that all replicas of a server share, in Redis: each room is one text under one key, which Redis lets expire.

Needs the package redis (``pip install 'metamf[served]'``). Nothing else is kept there, and nothing about rooms here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import redis

from metamf.webapp.rooms import codes
from metamf.webapp.rooms.room import Room, RoomError
from metamf.webapp.rooms.store import LIFETIME, UNUSED, RoomGoneError, RoomsAwayError

MOST_ROOMS = 100  # at once, of all replicas; chosen by hand: see ``codes.chance``
PATIENCE = 2.0  # seconds until Redis counts as gone; chosen by hand
KEY_PREFIX = "metamf:room:"


class RedisStore:
    """A ``RoomStore`` in Redis; safe for threads and for other processes.

    Parameters
    ----------
    url : 'redis://host:6379/0', or 'rediss://...' for an encrypted connection
    most : largest number of rooms at once; replicas that open rooms in the same moment may exceed it by a few

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

    def add(self, room: Room) -> str:
        return self._asked(lambda: self._add(room))

    def get(self, code: str) -> Room | None:
        text = self._asked(lambda: self._redis.get(KEY_PREFIX + code))
        return None if text is None else _room(text)

    def change(self, code: str, act: Callable[[Room], Room]) -> Room:
        def put(pipe: redis.client.Pipeline) -> Room:
            text, left = pipe.get(KEY_PREFIX + code), pipe.pttl(KEY_PREFIX + code)
            if text is None:
                raise RoomGoneError
            room = _room(text)
            changed = act(room)
            more = 1000 * (LIFETIME - UNUSED) if changed.came and not room.came else 0  # somebody came
            pipe.multi()
            pipe.set(KEY_PREFIX + code, _text(changed), px=max(left, 1) + more)
            return changed

        return self._asked(lambda: self._redis.transaction(put, KEY_PREFIX + code, value_from_callable=True))

    def remove(self, code: str) -> None:
        self._asked(lambda: self._redis.delete(KEY_PREFIX + code))

    def __len__(self) -> int:
        return self._asked(lambda: sum(1 for _ in self._redis.scan_iter(KEY_PREFIX + "*", count=1000)))

    def _add(self, room: Room) -> str:
        if len(self) >= self._most:
            raise RoomError(f"All {self._most} rooms of this server are in use. Try again later.")
        code = codes.new_code()
        while not self._redis.set(KEY_PREFIX + code, _text(room), nx=True, ex=UNUSED):
            code = codes.new_code()
        return code

    @staticmethod
    def _asked(act: Callable[[], Any]) -> Any:
        try:
            return act()
        except redis.RedisError as error:  # gone, too slow, full, or still loading
            raise RoomsAwayError from error


def _text(room: Room) -> str:
    return json.dumps(room.to_json(), separators=(",", ":"))


def _room(text: str) -> Room:
    return Room.from_json(json.loads(text))
