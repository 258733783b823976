"""The page Room: a lecturer and a few phones, each a session of its own, in one server process."""

import re

import opened as pages
import pytest
from opened import APP, healthy, no_data_sets  # noqa: F401  a fixture
from streamlit.testing.v1 import AppTest

from metamf.webapp import look
from metamf.webapp.matrix.choices import GRID
from metamf.webapp.rooms import here
from metamf.webapp.rooms.room import Room, Scale

PAGE = "pages/room.py"
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(autouse=True)
def no_rooms():
    here._desk_of_process.cache_clear()
    yield
    for code in list(here.desk()._store._rooms):
        here.desk()._store.remove(code)
    here._desk_of_process.cache_clear()


def press(at, label):
    [button] = [button for button in at.button if button.label == label]
    return healthy(button.click().run())


def text(at):
    return " ".join(pages.text(at).split())


def opened(**address):
    at = AppTest.from_file(APP, default_timeout=60).switch_page(PAGE)
    for name, value in address.items():
        at.query_params[name] = value
    return healthy(at.run())


def in_address(at, name):
    value = at.query_params[name]
    return value if isinstance(value, str) else value[0]


@pytest.fixture
def lecturer():
    items = ["Alien", "Psycho", HOSTILE, "Titanic"]
    return opened(lecturer=here.desk().open("Our films", items, Scale(1, 5), {}))


def key_of(at):
    return at.session_state.room_key


def code_of(at):
    return key_of(at).partition(".")[0]


def raw(at):
    return " ".join(element.proto.body for element in at.get("html"))


def phone(code, name="", **address):
    at = opened(room=code, **address)
    if name is not None:
        at.text_input[0].set_value(name)
        press(at, "Come in")
    return healthy(at)


def rate(at, item, value):
    return healthy(at.button_group(key=f"room_rate_{item}").set_value(value).run())


def ratings(lecturer):
    return {s.name: dict(s.ratings) for s in here.desk().hosted(key_of(lecturer)).students}


def class_of(lecturer, ratings_of):
    """Rates without pages; the secret in each student's address."""
    desk, key = here.desk(), key_of(lecturer)
    desk.change(key, Room.start)
    secrets = {name: desk.join(code_of(lecturer), name) for name in ratings_of}
    for name, given in ratings_of.items():
        for item, value in given.items():
            desk.rate(code_of(lecturer), secrets[name], item, value)
    healthy(lecturer.run())
    return secrets


HER = HOSTILE[:20]
SOME = {"Ada": {0: 5, 1: 4, 2: 1}, HER: {0: 5, 1: 5, 3: 1}, "Cy": {0: 1, 1: 2, 2: 5, 3: 4}}


def test_a_lecturer_opens_a_room_and_students_come_in_by_its_code():
    lecturer = opened()
    lecturer.text_area(key="room_items").set_value("Only one")
    press(lecturer, "Open the room")
    assert "this has 1" in text(lecturer) and not len(here.desk()._store)
    lecturer.text_area(key="room_items").set_value("Alien\n\nPsycho")
    press(lecturer, "Open the room")
    code = code_of(lecturer)
    assert f"{code[:4]}-{code[4:]}" in text(lecturer) and "data:image/svg+xml" in raw(lecturer)
    assert f"?room={code}" in raw(lecturer), "the QR code's alternative text says where it leads"
    assert in_address(lecturer, "lecturer") == key_of(lecturer)
    ada = phone(f"{code[:4]}-{code[4:]}".lower(), "Ada")
    assert "You are Ada" in text(ada) and "The lecturer will start" in text(ada)
    assert "1 student" in text(healthy(lecturer.run())) and "Ada" in text(lecturer)


def test_a_name_is_not_lost_when_others_come_in_while_it_is_typed(lecturer):
    slow = phone(code_of(lecturer), None)
    here.desk().join(code_of(lecturer), "Quick")
    slow.text_input(key="room_name").set_value("Slow")
    press(slow, "Come in")
    assert "You are Slow" in text(slow) and list(ratings(lecturer)) == ["Quick", "Slow"]


def test_a_student_s_page_has_no_key_no_sidebar_and_no_way_elsewhere(lecturer):
    ada = phone(code_of(lecturer), "Ada")
    secret = key_of(lecturer).partition(".")[2]
    assert secret not in raw(ada) and secret not in str(ada.query_params) and secret not in str(ada.session_state)
    assert not ada.sidebar and not ada.get("page_link")
    assert secret not in raw(lecturer), "nor is the key on the lecturer's own screen"


def test_what_is_rated_stands_on_the_lecturer_s_screen_as_text(lecturer):
    class_of(lecturer, SOME)
    assert "3 students" in text(lecturer) and "10 ratings of 12" in text(lecturer)
    assert HOSTILE not in raw(lecturer) and HER not in raw(lecturer) and "&lt;img src=x" in raw(lecturer)


def test_a_reload_is_the_same_student_with_the_same_ratings(lecturer):
    again = phone(code_of(lecturer), None, me=class_of(lecturer, SOME)["Ada"])
    assert "You are Ada" in text(again) and "3 of 4 rated" in text(again)
    assert again.button_group(key="room_rate_1").value == 4
    rate(again, 1, 2)
    assert ratings(lecturer)["Ada"] == {0: 5, 1: 2, 2: 1}


def test_a_reload_of_the_lecturer_s_page_keeps_the_room_and_a_wrong_key_opens_nothing(lecturer):
    class_of(lecturer, SOME)
    again = opened(lecturer=key_of(lecturer))
    assert "3 students" in text(again) and any(button.label == "Reveal" for button in again.button)
    stranger = opened(lecturer=code_of(lecturer) + ".")
    assert "Ada" not in text(stranger) and "Open a room" in text(stranger)


def test_empty_cells_are_filled_in_and_the_reveal_tells_students_what_was_expected(lecturer):
    me = class_of(lecturer, SOME)["Ada"]
    healthy(lecturer.toggle(key="room_fill").set_value(True).run())
    assert len(re.findall(r"<em class=\"c\d\">[1-5]\.\d</em>", raw(lecturer).partition("room-legend")[0])) == 2
    press(lecturer, "Reveal")
    said = text(lecturer)
    assert "The largest surprise" in said and "Furthest apart" in said and "typical surprise" in said
    ada = phone(code_of(lecturer), None, me=me)
    assert "we think you would give" in text(ada) and text(ada).count("you gave") >= 3
    assert not ada.get("button_group"), "ratings are not taken any more"
    with pytest.raises(Exception, match="not taken now"):
        here.desk().rate(code_of(lecturer), me, 0, 3)
    press(lecturer, "Rate again")
    assert ada.run().get("button_group")


def test_a_handful_of_ratings_is_too_few_to_reveal_and_the_page_says_so(lecturer):
    class_of(lecturer, {"Ada": {0: 5}, "Bo": {1: 2}})
    press(lecturer, "Reveal")
    assert "2 ratings so far: it takes 10" in text(lecturer)
    assert here.desk().hosted(key_of(lecturer)).phase == "rating"


def test_one_click_takes_out_a_student_a_thing_or_a_rating(lecturer):
    me = class_of(lecturer, SOME)["Ada"]
    room = here.desk().hosted(key_of(lecturer))
    ada = room.students[0]
    healthy(lecturer.button_group(key="room_out_student").set_value(ada.id).run())
    assert "Ada" not in ratings(lecturer) and "Ada is out of the room" in text(lecturer)
    assert "not in this room any more" in text(phone(code_of(lecturer), None, me=me))
    press(lecturer, "Undo")
    assert ratings(lecturer) == SOME and "out of the room" not in text(lecturer)
    healthy(lecturer.button_group(key="room_out_item").set_value(1).run())
    assert all(1 not in given for given in ratings(lecturer).values())
    healthy(lecturer.selectbox(key="room_out_of").set_value(ada.id).run())
    healthy(lecturer.button_group(key="room_out_rating").set_value(0).run())
    assert ratings(lecturer)["Ada"] == {2: 1}


def test_nobody_enters_by_guessing(lecturer):
    stranger = opened()
    for n in range(6):
        stranger.text_input(key="room_code").set_value("BBBBBBB" + "BCDFGHJK"[n])
        press(stranger, "Join")
    assert "Too many wrong codes" in text(stranger)
    stranger.text_input(key="room_code").set_value(code_of(lecturer))
    press(stranger, "Join")
    assert "Too many wrong codes" in text(stranger) and "Come in" not in {button.label for button in stranger.button}


def test_an_address_of_no_room_says_so_and_leads_to_the_entrance():
    at = phone("BKTMWXRD", None)
    assert "There is no room BKTM-WXRD now" in text(at)
    press(at, "Type the code")
    assert "Join a room" in text(at)


def test_closing_deletes_everything_and_every_phone_says_so(lecturer):
    me, key, code = class_of(lecturer, SOME)["Ada"], key_of(lecturer), code_of(lecturer)
    ada = phone(code, None, me=me)
    press(lecturer, "Close the room and delete everything")
    assert "All that was in it is deleted" in text(lecturer) and len(here.desk()._store) == 0
    assert not lecturer.query_params and "Ada" not in str(lecturer.session_state)
    assert "There is no room" in text(healthy(ada.run()))
    assert "This room is closed" in text(opened(lecturer=key))


def test_a_new_address_of_the_lecturer_makes_the_old_one_worthless(lecturer):
    old = key_of(lecturer)
    press(lecturer, "New address for me")
    assert in_address(lecturer, "lecturer") == key_of(lecturer) != old
    assert "This room is closed" in text(opened(lecturer=old))
    assert "Start rating" in {button.label for button in lecturer.button}


def test_the_matrix_is_taken_to_fill_in_with_its_names(lecturer):
    class_of(lecturer, SOME)
    press(lecturer, "Reveal")
    press(lecturer, "Take it to Fill in")
    assert lecturer.session_state.data == GRID and lecturer.session_state.keep == 80
    assert "8 of 12 cells" in text(lecturer)
    healthy(lecturer.switch_page(PAGE).run())
    assert "The largest surprise" in text(lecturer), "the room is still there"


def test_a_revealed_room_without_students_offers_no_way_on(lecturer):
    class_of(lecturer, SOME)
    press(lecturer, "Reveal")
    for student in here.desk().hosted(key_of(lecturer)).students:
        here.desk().change(key_of(lecturer), lambda room, id=student.id: room.without_student(id))
    labels = {button.label for button in healthy(lecturer.run()).button}
    assert "Rate again" in labels and not [label for label in labels if label.startswith("Take it to")]
    assert "Nobody is here yet" in text(lecturer)


def test_a_room_that_is_larger_than_the_grid_is_taken_along_as_a_file(lecturer):
    desk, key = here.desk(), key_of(lecturer)
    desk.change(key, lambda room: room.start())
    for n in range(31):
        me = desk.join(code_of(lecturer), f"=S{n}")
        for item in range(3):
            desk.rate(code_of(lecturer), me, item, 1 + (n * 3 + item) % 5)
    healthy(lecturer.run())
    press(lecturer, "Reveal")
    press(lecturer, "Take it to Fill in")
    assert f"{look.as_markdown('room.csv')}: what was understood" in {box.label for box in lecturer.expander}
    assert "75 of 124 cells" in text(lecturer)
