"""Who may do what in the rooms, by the code that the class knows and a secret of one's own.

A lecturer's key is the code and a secret, 'BKTMWXRD.secret'; a student has a secret, too. Rooms keep digests of both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from metamf.webapp.rooms import access_codes as codes
from metamf.webapp.rooms.access_codes import ALL_WRONG_CODES, NEW_ROOMS, RESERVE, WRONG_CODES, Throttle, Who
from metamf.webapp.rooms.room import Room, RoomError, Scale, Student
from metamf.webapp.rooms.store import RoomGoneError, RoomStore
from metamf.wording import counted


def split_key(key: str) -> tuple[str, str]:
    """Returns code and secret of a lecturer's key."""
    code, _, secret = key.partition(".")
    return code, secret


class RoomService:
    """The rooms of ``store``, for lecturers and students. Each replica of a server limits attempts by itself."""

    def __init__(self, store: RoomStore) -> None:
        self.store = store
        self._new_rooms, self._own = Throttle(NEW_ROOMS), Throttle(WRONG_CODES)
        self._all, self._reserve = Throttle(ALL_WRONG_CODES), Throttle(RESERVE)

    # -- a lecturer ---------------------------------------------------------------------------------------------------

    def open(self, title: str, names: Iterable[str], scale: Scale, who: Who) -> str:
        """Opens a room and returns the lecturer's key."""
        secret = codes.new_secret()
        room = Room.new(title, names, scale, codes.digest(secret))
        if self._new_rooms.take(who):
            raise RoomError("Too many rooms were opened from here. Please try again later.")
        try:
            code = self.store.add(room, who.get("address", ""))
        except RoomError:
            self._new_rooms.give_back(who)
            raise
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
        code, secret = split_key(key)

        def as_the_lecturer(room: Room) -> Room:
            if not codes.is_secret(secret, room.lecturer):
                raise RoomGoneError
            return act(room)

        return self.store.change(code, as_the_lecturer)

    def new_key(self, key: str) -> str:
        """Returns a new key of the same room; the old one opens nothing any more."""
        secret = codes.new_secret()
        self.change(key, lambda room: room.with_lecturer(codes.digest(secret)))
        return f"{split_key(key)[0]}.{secret}"

    def close(self, key: str) -> None:
        """Deletes the room with everything in it."""
        self.change(key, Room.close)
        self.store.remove(split_key(key)[0])

    # -- a student ----------------------------------------------------------------------------------------------------

    def find(self, text: str, who: Who, secret: str = "") -> str:
        """Returns the code of the room whose code somebody typed.

        A student who is in the room already, as ``secret`` shows, is not affected by the guesses of others. Raises
        ``RoomError`` if there is no such room, which counts as a guess, or after too many guesses.
        """
        code = codes.parse_code(text)
        if code is None:
            raise RoomError(f"A room's code has {codes.LENGTH} letters, such as BKTM-WXRD.")
        room = self.store.get(code) if secret else None
        if room is not None and room.student(codes.digest(secret)) is not None:
            return code
        counted_by = self._count_as_wrong(who)  # before the look: two guesses at once must not share one budget
        wrong = False
        try:
            wrong = self.store.get(code) is None  # no lock is held: a store that hangs keeps nobody else waiting
        finally:
            for throttle in counted_by if not wrong else ():
                throttle.give_back(who)
        if wrong:
            raise RoomError(f"There is no room {codes.hyphenated(code)}. Please check the code on the screen.")
        return code

    def _count_as_wrong(self, who: Who) -> list[Throttle]:
        """Counts a wrong code and returns the throttles that did; ``RoomError`` after too many, also for a right code,
        since those who guess must not learn that it was right."""
        seconds = self._own.take(who)
        if not seconds:
            if not self._all.take(who):
                return [self._own, self._all]
            seconds = self._reserve.take(who)
            if not seconds:
                return [self._own, self._reserve]
            self._own.give_back(who)
        raise RoomError(f"Too many wrong codes. Please try again in {counted(math.ceil(seconds), 'second')}.")

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
        return room, room.student(codes.digest(secret))

    def rate(self, code: str, secret: str, item: int, value: int | None) -> Room:
        """Sets a student's rating; None takes it back."""
        return self.store.change(code, lambda room: room.rate(codes.digest(secret), item, value))
