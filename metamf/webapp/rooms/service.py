"""Who may do what in the rooms, by the code that the class knows and a secret of one's own.

A lecturer's key is the code and a secret, 'BKTMWXRD.secret'; a student has a secret, too. Rooms keep digests of both.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable
from dataclasses import replace

from metamf.webapp.rooms import access_codes as codes
from metamf.webapp.rooms.access_codes import NEW_ROOMS, WRONG_CODES, Throttle, Who
from metamf.webapp.rooms.room import Room, RoomError, Student
from metamf.webapp.rooms.store import RoomGoneError, RoomStore
from metamf.wording import counted

ADDRESS_KEY = "METAMF_ADDRESS_KEY"  # key of the digests of addresses; each process has a random one without it


def split_key(key: str) -> tuple[str, str]:
    """Returns code and secret of a lecturer's key."""
    code, _, secret = key.partition(".")
    return code, secret


class RoomService:
    """The rooms of ``store``, for lecturers and students. Each replica of a server limits attempts by itself."""

    def __init__(self, store: RoomStore) -> None:
        self.store = store
        self._address_key = os.environ.get(ADDRESS_KEY) or codes.new_secret()
        self._new_rooms, self._wrong_codes = Throttle(NEW_ROOMS, 3600), Throttle(WRONG_CODES, 60)

    # -- a lecturer ---------------------------------------------------------------------------------------------------

    def open(self, title: str, names: Iterable[str], scale: range, who: Who) -> str:
        """Opens a room and returns the lecturer's key."""
        secret, opener = codes.new_secret(), codes.digest(who["address"], self._address_key)
        room = Room.new(title, names, scale, codes.digest(secret), opener)
        if self._new_rooms.wait(who):
            raise RoomError("Too many rooms were opened from here. Please try again later.")
        code = self.store.add(room)
        self._new_rooms.count(who)
        return f"{code}.{secret}"

    def hosted(self, key: str) -> Room:
        """Returns the lecturer's room; raises ``RoomGoneError`` if the key opens none."""
        code, secret = split_key(key)
        room = self.store.get(code)
        if room is None or not codes.is_secret(secret, room.lecturer):
            raise RoomGoneError
        return room

    def change(self, key: str, act: Callable[[Room], Room]) -> Room:
        """Changes the lecturer's room and returns the new one."""
        self.hosted(key)
        return self.store.change(split_key(key)[0], act)

    def new_key(self, key: str) -> str:
        """Returns a new key of the same room; the old one opens nothing any more."""
        secret = codes.new_secret()
        self.change(key, lambda room: replace(room, lecturer=codes.digest(secret)))
        return f"{split_key(key)[0]}.{secret}"

    def close(self, key: str) -> None:
        """Deletes the room with everything in it."""
        self.hosted(key)
        self.store.remove(split_key(key)[0])

    # -- a student ----------------------------------------------------------------------------------------------------

    def find(self, text: str, who: Who, secret: str = "") -> str:
        """Returns the code of the room whose code somebody typed.

        A student who is in the room already, as ``secret`` shows, is not affected by the guesses of others. Raises
        ``RoomError`` if there is no such room, which counts as a guess, or after too many guesses, also for a right
        code, since those who guess must not learn that it was right.
        """
        code = codes.parse_code(text)
        if code is None:
            raise RoomError(f"A room's code has {codes.LENGTH} letters, such as BKTM-WXRD.")
        room, seconds = self.store.get(code), self._wrong_codes.wait(who)
        if room is not None and codes.digest(secret) in room.students:
            return code
        if seconds:
            raise RoomError(f"Too many wrong codes. Please try again in {counted(math.ceil(seconds), 'second')}.")
        if room is None:
            self._wrong_codes.count(who)
            raise RoomError(f"There is no room {codes.hyphenated(code)}. Please check the code on the screen.")
        return code

    def join(self, code: str, name: str) -> str:
        """Adds a student to a room and returns the student's secret."""
        secret = codes.new_secret()
        self.store.change(code, lambda room: room.join(codes.digest(secret), name))
        return secret

    def seated(self, code: str, secret: str) -> tuple[Room, Student | None]:
        """Returns the room and the student with that secret, if in it; raises ``RoomGoneError`` if there is no room."""
        room = self.store.get(code)
        if room is None:
            raise RoomGoneError
        return room, room.students.get(codes.digest(secret))

    def rate(self, code: str, secret: str, item: int, value: int | None) -> Room:
        """Sets a student's rating; None takes it back."""
        return self.store.change(code, lambda room: room.rate(codes.digest(secret), item, value))
