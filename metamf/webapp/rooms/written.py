"""Rooms as texts, for a store outside this process; what another version of the program wrote is ignored."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from metamf.webapp.rooms.room import PHASES, Room, RoomError, Student

_ROOM, _STUDENT = ({field.name for field in fields(kind)} for kind in (Room, Student))


def room_as_text(room: Room) -> str:
    """The room as JSON."""
    return json.dumps(room.to_json(), separators=(",", ":"))


def room_from_text(text: str) -> Room | None:
    """The room of which ``room_as_text`` made the text; None for what another version has written: keys that are
    missing or more, other types, ratings of things that are not on the list."""
    try:
        values = json.loads(text)
        return Room.from_json(values) if _is_room(values) else None
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError, RoomError):
        return None


def _is_room(values: Mapping[str, Any]) -> bool:
    low, high = values["scale"]
    things = {item for item, _ in values["items"]}
    return (
        values.keys() == _ROOM
        and values["phase"] in PHASES
        and _are(bool, values["door"])
        and _are(int, low, high, values["came"], values["version"], *things)
        and _are(str, values["title"], values["lecturer"], *(name for _, name in values["items"]))
        and all(_is_student(student, things, low, high) for student in values["students"])
    )


def _is_student(values: Mapping[str, Any], things: set[int], low: int, high: int) -> bool:
    given, expected = values["ratings"], values["expected"]
    return (
        values.keys() == _STUDENT
        and _are(str, values["id"], values["name"])
        and all(item in things and _are(int, value) and low <= value <= high for item, value in given)
        and all(_are(int, item) and math.isfinite(value) for item, value in expected)
    )


def _are(kind: type, *values: Any) -> bool:
    return all(type(value) is kind for value in values)
