"""The way into a room: opened by a lecturer, entered by its code, and by no guess."""

from classroom import code_of, in_address, key_of, lecturer, no_rooms, opened, phone, press, raw, text  # noqa: F401  fixtures
from opened import healthy, no_data_sets  # noqa: F401  a fixture

from metamf.webapp.rooms import here


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


def test_one_address_opens_five_rooms_and_is_told_so():
    for n in range(6):
        lecturer = opened()  # each time another visit
        press(lecturer, "Open the room")
        assert ("From here 5 rooms are open already" in text(lecturer)) == (n == 5)
    assert len(here.desk()._store) == 5


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
