"""Rooms of each test, and a lecturer."""

from classroom import lecturer, room, rooms  # noqa: F401
