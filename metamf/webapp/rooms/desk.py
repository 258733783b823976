"""The desk in front of the rooms: who may do what, by the code that the class knows and a secret of one's own.

A lecturer's key is the code and a secret; it is in the lecturer's address, so that a reload keeps the room. A student's
secret is in the student's address, so that a reload is the same student. The rooms keep digests of both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from metamf.webapp.rooms import codes
from metamf.webapp.rooms.codes import NEW_ROOMS, WRONG_CODES, Throttle, Who
from metamf.webapp.rooms.room import Room, RoomError, Scale, Student
from metamf.webapp.rooms.store import RoomGoneError, RoomStore
from metamf.wording import counted


class Desk:
    """The desk.

    Parameters
    ----------
    store : store of the rooms
    wrong_codes, new_rooms : limits of the attempts; each replica of a server counts its own
    """

    def __init__(
        self, store: RoomStore, wrong_codes: Throttle | None = None, new_rooms: Throttle | None = None
    ) -> None:
        self._store = store
        self._wrong_codes = wrong_codes or Throttle(WRONG_CODES)
        self._new_rooms = new_rooms or Throttle(NEW_ROOMS)

    # -- a lecturer -----------------------------------------------------------------------------------------------

    def open(self, title: str, names: Iterable[str], scale: Scale, who: Who) -> str:
        """Opens a room; the lecturer's key."""
        secret = codes.new_secret()
        room = Room.new(title, names, scale, codes.digest(secret))
        if self._new_rooms.take(who):
            raise RoomError("Too many rooms were opened from here. Try again later.")
        try:
            code = self._store.add(room, codes.digest(who["address"]) if "address" in who else "")
        except RoomError:
            self._new_rooms.give_back(who)
            raise
        return f"{code}.{secret}"

    def hosted(self, key: str) -> Room:
        """The lecturer's room; ``RoomGoneError`` if the key opens nothing."""
        code, secret = self._parts(key)
        room = self._store.get(code)
        if room is None or not codes.is_secret(secret, room.lecturer):
            raise RoomGoneError
        return room

    def change(self, key: str, act: Callable[[Room], Room]) -> Room:
        """Changes the lecturer's room; the new room."""
        code, secret = self._parts(key)

        def as_the_lecturer(room: Room) -> Room:
            if not codes.is_secret(secret, room.lecturer):
                raise RoomGoneError
            return act(room)

        return self._store.change(code, as_the_lecturer)

    def new_key(self, key: str) -> str:
        """Another key of the same room; the one before opens nothing any more."""
        secret = codes.new_secret()
        self.change(key, lambda room: room.with_lecturer(codes.digest(secret)))
        return f"{self._parts(key)[0]}.{secret}"

    def close(self, key: str) -> None:
        """Deletes the room and all that is in it."""
        self.change(key, Room.close)
        self._store.remove(self._parts(key)[0])

    def code(self, key: str) -> str:
        """The code of the lecturer's room."""
        return self._parts(key)[0]

    @staticmethod
    def _parts(key: str) -> tuple[str, str]:
        code, _, secret = key.partition(".")
        return code, secret

    # -- a student ------------------------------------------------------------------------------------------------

    def find(self, text: str, who: Who, secret: str = "") -> str:
        """The code of the room that somebody typed the code of.

        ``secret``: a student's, if there is one: who has a seat in the room is not shut out by what others guess.

        Raises
        ------
        RoomError
            if there is no such room, which counts as a guess, or too many were guessed.
        """
        code = codes.read(text)
        if code is None:
            raise RoomError(f"A room's code has {codes.LENGTH} letters, such as BKTM-WXRD.")
        room = self._store.get(code) if secret else None
        if room is not None and room.student(codes.digest(secret)) is not None:
            return code
        seconds = self._wrong_codes.take(who)  # as a wrong one, until it is known: no two guesses on one budget
        if seconds:  # a right code, too: who has used up the guesses must not learn that it was right
            raise RoomError(f"Too many wrong codes. Try again in {counted(math.ceil(seconds), 'second')}.")
        try:
            found = self._store.get(code) is not None  # no lock is held: a store that hangs keeps nobody else waiting
        except RoomError:
            self._wrong_codes.give_back(who)
            raise
        if not found:
            raise RoomError(f"There is no room {codes.hyphenated(code)} now. Read it again from the lecturer's screen.")
        self._wrong_codes.give_back(who)
        return code

    def join(self, code: str, name: str) -> str:
        """Lets somebody into a room that was found; the student's secret."""
        secret = codes.new_secret()
        self._store.change(code, lambda room: room.join(codes.digest(secret), name))
        return secret

    def seated(self, code: str, secret: str) -> tuple[Room, Student | None]:
        """The room and the student of that secret, None if not in it; ``RoomGoneError`` if there is no room."""
        room = self._store.get(code)
        if room is None:
            raise RoomGoneError
        return room, room.student(codes.digest(secret))

    def rate(self, code: str, secret: str, item: int, value: int | None) -> Room:
        """Gives a rating, or with None takes it back."""
        return self._store.change(code, lambda room: room.rate(codes.digest(secret), item, value))
