"""A student's phone: a name, the ratings, and nothing else."""

from classroom import SOME, class_of, code_of, key_of, lecturer, no_rooms, phone, press, rate, ratings, raw, text  # noqa: F401  fixtures
from opened import no_data_sets  # noqa: F401  a fixture

from metamf.webapp.rooms import here


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


def test_a_reload_is_the_same_student_with_the_same_ratings(lecturer):
    again = phone(code_of(lecturer), None, me=class_of(lecturer, SOME)["Ada"])
    assert "You are Ada" in text(again) and "3 of 4 rated" in text(again)
    assert again.button_group(key="room_rate_1").value == 4
    rate(again, 1, 2)
    assert ratings(lecturer)["Ada"] == {0: 5, 1: 2, 2: 1}
