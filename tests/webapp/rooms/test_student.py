"""A student's phone: a name, the ratings, and nothing else."""

from classroom import (  # noqa: F401  fixtures
    SOME,
    class_of,
    code_of,
    key_of,
    lecturer,
    no_rooms,
    opened,
    phone,
    press,
    rate,
    ratings,
    raw,
    text,
)
from hostile import TEXTS, sent  # noqa: F401  a fixture
from opened import healthy, no_data_sets  # noqa: F401  a fixture

from metamf.webapp import look
from metamf.webapp.rooms import here
from metamf.webapp.rooms.room import Room, Scale


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


def test_titles_things_and_nicknames_full_of_markup_are_shown_as_they_are(sent):  # noqa: F811
    desk, names = here.desk(), ("![x](//evil.eu/p)", "[y](//evil.eu)", "<img src=x>", "$x^2$", "`x`")
    key = desk.open("![x](https:evil) `x` <img src=x>", TEXTS, Scale(1, 5), {})
    lecturer, code = opened(lecturer=key), desk.code(key)
    phones = [phone(code, name) for name in names]
    desk.change(key, Room.start)
    for n in range(len(names)):
        for item in range(n, len(TEXTS)):
            rate(phones[n].run(), item, 1 + (3 * n + item) % 5)
    healthy(lecturer.run())
    ada = desk.hosted(key).students[0]
    healthy(lecturer.selectbox(key="room_out_of").set_value(ada.id).run())
    assert all(sent.labels(text) for text in (*TEXTS, *names)), "one button each takes them out"
    healthy(lecturer.button_group(key="room_out_student").set_value(ada.id).run())
    assert sent.says(names[0]) and len(desk.hosted(key).students) == 4
    press(lecturer, "Undo")
    press(lecturer, "Reveal")
    sent.clear()
    healthy(phones[1].run())
    assert all(sent.says(text) for text in (*TEXTS, names[1]))
    hidden = {look.as_hidden_label(text) for text in TEXTS}  # nobody can click there, and nothing is fetched: see below
    assert not set(sent.live) - hidden


def test_a_label_that_nobody_sees_fetches_no_image_and_is_said_without_a_backslash(sent):  # noqa: F811
    desk = here.desk()
    key = desk.open("Films", ["![x](https://evil.example/p)", "E.T.", "8½: *life*"], Scale(1, 5), {})
    phone(desk.code(key), "Ada")
    said = [group for group in sent.markdown if group.startswith(("!", "E.T", "8"))]
    assert said == ["!(x)(https://evil.example/p)", "E.T.", "8½: *life*"]
