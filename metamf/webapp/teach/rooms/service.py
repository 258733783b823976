"""Who may do what in the rooms, by the code that the class knows and a secret of one's own.

A lecturer's key is the code and a secret of 128 bits, 'BKTMWXRD.secret'; a student has a secret,
too. Rooms keep digests of both.

A session may try 5 wrong codes a minute, an address (of IPv6: its network of 64 bits) 60, and a
network of 48 bits 120. While 100 rooms are open, an address that guesses for four hours hits any of
them with a probability of 6e-5, a thousand networks with 1e-1. Who hits a room is a student whom
the lecturer sees and can remove. Each replica of a server counts for itself.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import math
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from metamf.webapp.teach.rooms.room import Room, RoomError, Student
from metamf.webapp.teach.rooms.store import LENGTH, RoomGoneError, RoomStore, hyphenated, parse_code
from metamf.wording import counted

Who = Mapping[str, str]  # kind of visitor ('session', 'address', 'network') -> which one
# A class of forty behind one address may mistype the code once each in a minute.
WRONG_CODES = {"session": 5, "address": 60, "network": 120}  # a minute


def split_key(key: str) -> tuple[str, str]:
    """Returns code and secret of a lecturer's key."""
    code, _, secret = key.partition(".")
    return code, secret


def new_secret() -> str:
    """Returns a random text of 128 bits that fits into an address."""
    return secrets.token_urlsafe(16)


def digest(secret: str, key: str = "") -> str:
    """Returns the keyed digest (HMAC) of a secret or an address that a room keeps, from which
    nobody can find a secret, nor an address without the key."""
    return hmac.new(key.encode(), secret.encode("utf-8", "replace"), hashlib.sha256).hexdigest()[
        :32
    ]


def network(address: str, bits: int = 64) -> str:
    """Returns the network of an IPv6 address, since one computer has a network of addresses; other
    texts unchanged."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is None:
        return str(ipaddress.ip_network((parsed, bits), strict=False))
    return str(
        getattr(parsed, "ipv4_mapped", parsed)
    )  # an IPv4 address may come through an IPv6 socket


class Throttle:
    """Limits attempts in periods of ``seconds``; each kind of visitor has ``most`` in one. Safe for
    threads."""

    def __init__(
        self, most: Mapping[str, int], seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = most
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._end = clock()
        self._used = Counter[tuple[str, str]]()

    def wait(self, who: Who) -> float:
        """Returns the seconds until another attempt is allowed, 0 if it is now."""
        with self._lock:
            if (left := self._end - self._clock()) <= 0:
                left = self._seconds
                self._used = Counter()
                self._end = self._clock() + left
            return (
                left
                if any(self._used[kind, who[kind]] >= most for kind, most in self._most.items())
                else 0.0
            )

    def count(self, who: Who) -> None:
        with self._lock:
            self._used.update((kind, who[kind]) for kind in self._most)


class RoomService:
    """The rooms of ``store``, for lecturers and students."""

    def __init__(self, store: RoomStore) -> None:
        self.store = store
        self._address_key = new_secret()
        self._wrong_codes = Throttle(WRONG_CODES, 60)

    def open(self, title: str, names: Iterable[str], scale: range, who: Who) -> str:
        """Opens a room and returns the lecturer's key."""
        secret = new_secret()
        opener = digest(who["address"], self._address_key)
        code = self.store.add(Room.new(title, names, scale, digest(secret), opener))
        return f"{code}.{secret}"

    def hosted(self, key: str) -> Room:
        """Returns the lecturer's room; raises ``RoomGoneError`` if the key opens none."""
        code, secret = split_key(key)
        room = self.store.get(code)
        if room is None or not hmac.compare_digest(digest(secret), room.lecturer):
            raise RoomGoneError
        return room

    def change(self, key: str, act: Callable[[Room], Room]) -> Room:
        self.hosted(key)
        return self.store.change(split_key(key)[0], act)

    def new_key(self, key: str) -> str:
        """Returns a new key of the same room; the old one opens nothing any more."""
        secret = new_secret()
        self.change(key, lambda room: replace(room, lecturer=digest(secret)))
        return f"{split_key(key)[0]}.{secret}"

    def close(self, key: str) -> None:
        self.hosted(key)
        self.store.remove(split_key(key)[0])

    def find(self, text: str, who: Who, secret: str = "") -> str:
        """Returns the code of the room whose code somebody typed.

        A student who is in the room already, as ``secret`` shows, is not affected by the guesses of
        others. Raises ``RoomError`` if there is no such room, which counts as a guess, or after too
        many guesses, also for a right code, since those who guess must not learn that it was right.
        """
        code = parse_code(text)
        if code is None:
            raise RoomError(f"A room's code has {LENGTH} letters, such as BKTM-WXRD.")
        room, seconds = self.store.get(code), self._wrong_codes.wait(who)
        if room is not None and digest(secret) in room.students:
            return code
        if seconds:
            raise RoomError(
                "Too many wrong codes. Please try again in "
                f"{counted(math.ceil(seconds), 'second')}."
            )
        if room is None:
            self._wrong_codes.count(who)
            raise RoomError(
                f"There is no room {hyphenated(code)}. Please check the code on the screen."
            )
        return code

    def join(self, code: str, name: str) -> str:
        """Adds a student to a room and returns the student's secret."""
        secret = new_secret()
        self.store.change(code, lambda room: room.join(digest(secret), name))
        return secret

    def seated(self, code: str, secret: str) -> tuple[Room, Student | None]:
        """Returns the room and the student with that secret, if in it; raises ``RoomGoneError`` if
        there is no room."""
        room = self.store.get(code)
        if room is None:
            raise RoomGoneError
        return room, room.students.get(digest(secret))

    def rate(self, code: str, secret: str, item: int, value: int | None) -> Room:
        return self.store.change(code, lambda room: room.rate(digest(secret), item, value))
