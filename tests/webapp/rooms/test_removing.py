"""Taking a student out, and back: with what was rated while the lecturer looked at the page."""

import streamlit as st

from metamf.webapp.rooms import removing
from metamf.webapp.rooms.room import Room, Scale


def test_undo_brings_back_what_a_student_rated_after_the_page_was_drawn(monkeypatch):
    class Session(dict):
        __getattr__, __setattr__ = dict.__getitem__, dict.__setitem__

    drawn = Room.new("Films", ["Alien", "Psycho", "Heat"], Scale(1, 5), "d").start().join("a", "Ada").rate("a", 0, 4)
    rooms = {"key": drawn.rate("a", 1, 2)}  # meanwhile

    def change(key, act):
        rooms[key] = act(rooms[key])

    monkeypatch.setattr(st, "session_state", Session(room_out_student="a"))
    removing._out_student("key", drawn, change)
    assert rooms["key"].students == ()
    removing._bring_back("key", change)
    [back] = rooms["key"].students
    assert back.ratings == {0: 4, 1: 2}
