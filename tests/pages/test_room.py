"""The page Room: a lecturer and a few phones, each a session of its own, in one server process."""

import re

import pytest
from classroom import PAGE, SOME, class_of, code_of, key_of, lecturer, no_rooms, phone, press, ratings, raw, text  # noqa: F401  fixtures
from opened import healthy, no_data_sets  # noqa: F401  a fixture

from metamf.webapp import look
from metamf.webapp.matrix.choices import GRID
from metamf.webapp.rooms import here


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
