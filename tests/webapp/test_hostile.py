"""Whatever strangers type, send or put into an address: an answer or a sentence, never anything
else.

Tables have their own such tests in tests/tables/test_hostile.py; edits in
tests/webapp/run/test_edits.py.
"""

import re

import pytest
from classroom import WHO
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metamf.webapp import look
from metamf.webapp.teach.rooms.results import matrix_table, row_names
from metamf.webapp.teach.rooms.room import (
    LONGEST_NAME,
    LONGEST_TITLE,
    RATING_NOW,
    Room,
    RoomError,
    is_visible,
)
from metamf.webapp.teach.rooms.service import RoomService
from metamf.webapp.teach.rooms.store import ALPHABET, LENGTH, MemoryStore, parse_code

QUICK = settings(deadline=None, max_examples=25, suppress_health_check=list(HealthCheck))
MARKUP = [
    "<script>alert(1)</script>",
    '"><img src=x>',
    "=1+1",
    "&lt;b&gt;",
    "'",
    "\u202e",
    "\0",
    "🎬",
]
TEXTS = st.one_of(
    st.text(max_size=80), st.sampled_from(MARKUP), st.text(alphabet="a\u0301\u0489\u200d \n")
)
NUMBERS = st.one_of(st.integers(-3, 12), st.sampled_from([None, 2**70, -(2**70)]))
STEPS = ("join", "rate", "start", "reveal", "without_student", "without_item", "without_rating")


@QUICK
@given(TEXTS, st.lists(TEXTS, max_size=45), st.data())
def test_a_room_is_a_room_whatever_comes_or_says_in_a_sentence_why_not(title, items, data):
    try:
        room = Room.new(title, items, range(1, 6), "lecturer")
    except RoomError as error:
        assert str(error) and "\n" not in str(error)
        room = Room.new(title, ["Alien", "Psycho", "<b>"], range(1, 6), "lecturer")
    for _ in range(data.draw(st.integers(0, 12))):
        step = data.draw(st.sampled_from(STEPS))
        id, item, value = data.draw(st.sampled_from("abc")), data.draw(NUMBERS), data.draw(NUMBERS)
        arguments = {
            "join": (id, data.draw(TEXTS)),
            "rate": (id, item, value),
            "start": (),
            "reveal": ({id: {0: 2.5}},),
            "without_student": (id,),
            "without_item": (item,),
            "without_rating": (id, item),
        }[step]
        try:
            room = getattr(room, step)(*arguments)
        except RoomError as error:
            assert str(error) and "\n" not in str(error)
    assert len(room.title) <= LONGEST_TITLE
    seen = [student.name for student in room.students.values()]
    assert len(set(seen)) == len(seen)
    for student in room.students.values():
        assert is_visible(student.name) and student.name.isprintable()
        assert len(student.name) <= LONGEST_NAME + 3
        assert set(student.ratings) <= set(room.items)
        assert all(value in room.scale.values for value in student.ratings.values())
    assert Room.from_text(room.to_text()) == room
    markup = matrix_table(room, row_names(room, named=True))
    tags = {"div", "table", "thead", "tbody", "tr", "td", "th", "span", "i", "b"}
    assert set(re.findall(r"<(\w+)", markup)) <= tags


@QUICK
@given(TEXTS, TEXTS)
def test_no_guess_opens_a_room_and_none_is_more_than_a_sentence(text, secret):
    rooms = RoomService(MemoryStore())
    key = rooms.open("Films", ["Alien", "Psycho"], range(1, 6), WHO)
    code = key.partition(".")[0]
    read = parse_code(text)
    assert read is None or (len(read) == LENGTH and set(read) <= set(ALPHABET))
    for guess in (f"{code}.{secret}", f"{text}.{secret}", text, f"{code}.", f"{code}{secret}"):
        with pytest.raises(RoomError):
            rooms.hosted(guess)
        with pytest.raises(RoomError):
            rooms.close(guess)
    assert rooms.seated(code, secret)[1] is None
    try:
        assert rooms.find(text, WHO, secret) == code
    except RoomError as error:
        assert len(str(error)) < 200
    assert rooms.hosted(key).phase != RATING_NOW


@QUICK
@given(TEXTS)
def test_a_name_in_a_label_is_text(name):
    shown = look.as_markdown(name)
    assert not re.search(r"(?<!\\)[*_`\[\]<>$:#]", shown)
