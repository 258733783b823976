"""Rooms: a class rates a list of things on its phones, and the lecturer's screen fills in."""
