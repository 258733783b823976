"""The lecturer's screen: who is there, what they rated, the reveal, the key, the end."""

from classroom import (  # noqa: F401  fixtures
    HER,
    HOSTILE,
    SOME,
    class_of,
    code_of,
    in_address,
    key_of,
    lecturer,
    no_rooms,
    opened,
    phone,
    press,
    raw,
    text,
)
from opened import healthy, no_data_sets  # noqa: F401  a fixture

from metamf.webapp.rooms import here


def test_what_is_rated_stands_on_the_lecturer_s_screen_as_text(lecturer):
    class_of(lecturer, SOME)
    assert "3 students" in text(lecturer) and "10 ratings of 12" in text(lecturer)
    assert HOSTILE not in raw(lecturer) and HER not in raw(lecturer) and "&lt;img src=x" in raw(lecturer)


def test_a_reload_of_the_lecturer_s_page_keeps_the_room_and_a_wrong_key_opens_nothing(lecturer):
    class_of(lecturer, SOME)
    again = opened(lecturer=key_of(lecturer))
    assert "3 students" in text(again) and any(button.label == "Reveal" for button in again.button)
    stranger = opened(lecturer=code_of(lecturer) + ".")
    assert "Ada" not in text(stranger) and "Open a room" in text(stranger)


def test_a_handful_of_ratings_is_too_few_to_reveal_and_the_page_says_so(lecturer):
    class_of(lecturer, {"Ada": {0: 5}, "Bo": {1: 2}})
    press(lecturer, "Reveal")
    assert "2 ratings so far: it takes 10" in text(lecturer)
    assert here.desk().hosted(key_of(lecturer)).phase == "rating"


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
