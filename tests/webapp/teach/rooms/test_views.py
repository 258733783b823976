"""The page Room: a lecturer and a few phones, each a session of its own, in one server process."""

import base64
import re
import socket
from dataclasses import replace
from urllib.parse import unquote

import pytest
import streamlit as st
from classroom import (
    HOSTILE,
    SOME,
    WHO,
    class_of,
    code_of,
    key_of,
    opened,
    phone,
    press,
    rate,
    ratings,
    raw,
    text,
)
from hostile import TEXTS, sent  # noqa: F401  a fixture
from opened import healthy, no_data_sets, shown_run  # noqa: F401  a fixture
from served import in_a_loop
from starlette.applications import Starlette

from metamf.webapp import look
from metamf.webapp.choices import UPLOAD
from metamf.webapp.teach.rooms import entrance, session
from metamf.webapp.teach.rooms.room import SCALES, Room
from metamf.webapp.teach.rooms.store import RoomsAwayError

pytestmark = pytest.mark.slow


def test_an_address_of_no_room_leads_to_the_entrance_which_refuses_a_short_list(rooms):
    at = phone("BKTMWXRD", None)
    assert "There is no room BKTM-WXRD" in text(at)
    press(at, "Type the code")
    assert "Join a room" in text(at)
    at.text_area(key="room_items").set_value("Only one")
    press(at, "Open the room")
    assert "this list has 1" in text(at)
    assert not rooms.store.rooms


@pytest.mark.parametrize("name", entrance.LISTS)
def test_a_room_opens_with_each_list(name):
    assert len(Room.new(name, entrance.LISTS[name], SCALES["1 to 7"], "digest").items) >= 10


@pytest.mark.parametrize(
    "address, counts",
    [
        ("192.0.2.7", ("192.0.2.7", "192.0.2.7")),
        ("::ffff:192.0.2.7", ("192.0.2.7", "192.0.2.7")),
        ("2001:DB8:1:2:ffff::1", ("2001:db8:1:2::/64", "2001:db8:1::/48")),
        ("fe80::1%eth0", ("fe80::/64", "fe80::/48")),
        (None, ("this machine", "this machine")),
    ],
)
def test_an_address_of_version_6_counts_by_its_network(address, counts, monkeypatch):
    monkeypatch.setattr(type(st.context), "ip_address", address)
    assert tuple(session.who()[kind] for kind in ("address", "network")) == counts


def test_the_key_leaves_the_address_at_once_and_is_nowhere_on_the_screen(lecturer):
    key, code = key_of(lecturer), code_of(lecturer)
    assert lecturer.query_params["lecturer"] in (code, [code])
    assert key.partition(".")[2] not in raw(lecturer) + str(lecturer.query_params)
    [link] = [field for field in lecturer.text_input if field.label == "Your link"]
    assert link.value.endswith(f"?lecturer={key}") and link.proto.type == link.proto.PASSWORD


def ticket_of(at):
    [ticket] = re.findall(r'<img src="/room-key/([\w-]+)"', raw(at))
    return ticket


def fetch(ticket, scheme="http"):
    """Status and headers of the answer of the app's own routes."""
    answers = []
    scope = {"type": "http", "method": "GET", "path": f"/room-key/{ticket}", "query_string": b""}

    async def send(message):
        answers.append(message)

    about = scope | {"scheme": scheme, "headers": [(b"host", b"x")]}
    in_a_loop(Starlette(routes=session.routes())(about, None, send))
    headers = {name.decode(): value.decode() for name, value in answers[0]["headers"]}
    return answers[0]["status"], headers


def test_a_reload_finds_the_room_by_a_cookie_that_no_script_reads(lecturer, monkeypatch):
    class_of(lecturer, SOME)
    ticket = ticket_of(lecturer)
    (status, headers), (again, others) = (fetch(ticket) for _ in range(2))
    cookie = headers["set-cookie"]
    assert status == again == 204 and "set-cookie" not in others, "a ticket is good for one request"
    assert {"HttpOnly", "Path=/", "SameSite=lax", "Max-Age=14400"} <= set(cookie.split("; "))
    assert "Secure" not in cookie
    press(lecturer, "Replace the link")
    cookie = fetch(ticket_of(lecturer), "https")[1]["set-cookie"]
    assert "; Secure" in cookie
    name, _, value = cookie.partition(";")[0].partition("=")
    code = code_of(lecturer)
    assert "This browser has no key to that room" in text(opened(lecturer=code))
    monkeypatch.setattr(type(st.context), "cookies", {name: value})
    assert "3 students" in text(opened(lecturer=code)) and "Open a room" in text(opened())


def test_a_wrong_or_old_key_opens_nothing_and_gets_no_ticket(lecturer, monkeypatch):
    old = key_of(lecturer)
    press(lecturer, "Replace the link")
    new = key_of(lecturer)
    assert new != old
    monkeypatch.setattr(session, "_tickets", {})
    for wrong in (f"{code_of(lecturer)}.wrong", old):
        stranger = opened(lecturer=wrong)
        assert "This room is closed" in text(stranger) and "Open a room" in text(stranger)
    assert not session._tickets
    assert "Start rating" in {button.label for button in opened(lecturer=new).button}
    assert [kept for kept, _ in session._tickets.values()] == [new]


def test_one_click_removes_a_student_a_thing_or_a_rating(lecturer, rooms):
    me = class_of(lecturer, SOME)["Ada"]
    ada = next(iter(rooms.hosted(key_of(lecturer)).students))
    rooms.rate(code_of(lecturer), me, 3, 2)  # after the page was drawn
    healthy(lecturer.button_group(key="room_out_student").set_value(ada).run())
    assert "Ada" not in ratings(lecturer) and "You removed Ada" in text(lecturer)
    assert "not in this room any more" in text(phone(code_of(lecturer), None, me=me))
    press(lecturer, "Undo")
    assert ratings(lecturer) == SOME | {"Ada": {**SOME["Ada"], 3: 2}}
    assert "You removed" not in text(lecturer)
    healthy(lecturer.button_group(key="room_out_item").set_value(1).run())
    assert all(1 not in given for given in ratings(lecturer).values())
    healthy(lecturer.selectbox(key="room_out_of").set_value(ada).run())
    healthy(lecturer.button_group(key="room_out_rating").set_value(0).run())
    assert ratings(lecturer)["Ada"] == {2: 1, 3: 2}


def test_titles_things_and_nicknames_full_of_markup_are_shown_as_they_are(sent, rooms):
    names = ("![x](//evil.eu/p)", "[y](//evil.eu)", HOSTILE[:20], "$x^2$", "`x`")
    key = rooms.open("![x](https:evil) `x` <img src=x>", TEXTS, range(1, 6), WHO)
    lecturer, code = opened(lecturer=key), key.partition(".")[0]
    phones = [phone(code, name) for name in names]
    rooms.change(key, Room.start)
    for n in range(len(names)):
        for item in range(n, len(TEXTS)):
            rate(phones[n].run(), item, 1 + (3 * n + item) % 5)
    healthy(lecturer.run())
    ada = next(iter(rooms.hosted(key).students))
    healthy(lecturer.selectbox(key="room_out_of").set_value(ada).run())
    assert all(sent.labels(text) for text in (*TEXTS, *names)), "one button each removes them"
    healthy(lecturer.button_group(key="room_out_student").set_value(ada).run())
    assert sent.says(names[0]) and len(rooms.hosted(key).students) == 4
    press(lecturer, "Undo")
    press(lecturer, "Reveal")
    sent.clear()
    healthy(phones[1].run())
    assert all(sent.says(text) for text in (*TEXTS, names[1]))
    # nobody can click there, and nothing is fetched: see below
    hidden = {look.as_hidden_label(text) for text in TEXTS}
    assert not set(sent.live) - hidden


@pytest.mark.parametrize(
    "text, label",
    [
        ("![x](//evil.example/p)", "!(x)(//evil.example/p)"),
        ("E.T.", "E.T."),
        ("8½: *life*", "8½: *life*"),
        ("HTTPS://a.eu", "HTTPS:\u2060//a.eu"),
        ("www.a.eu", "www.\u2060a.eu"),
        ("me@a.eu", "me@\u2060a.eu"),
    ],
)
def test_a_label_that_nobody_sees_fetches_nothing_and_is_read_out_without_a_backslash(text, label):
    assert look.as_hidden_label(text) == label


def test_empty_cells_are_filled_in_and_the_reveal_shows_students_their_estimates(lecturer, rooms):
    me = class_of(lecturer, SOME)["Ada"]
    healthy(lecturer.toggle(key="room_fill").set_value(True).run())
    table = raw(lecturer).partition("room-legend")[0]
    assert len(re.findall(r"<em style=[^>]+>[1-5]\.\d</em>", table)) == 2
    press(lecturer, "Reveal")
    for words in ("The largest surprise", "Most different", "typical error"):
        assert words in text(lecturer)
    ada = phone(code_of(lecturer), None, me=me)
    assert key_of(lecturer).partition(".")[2] not in f"{raw(ada)} {ada.session_state}"
    assert not ada.sidebar
    assert "estimate" in text(ada) and text(ada).count("you gave") >= 3
    assert not ada.get("button_group"), "the room does not take ratings any more"
    press(lecturer, "Rate again")
    assert ada.run().get("button_group")


def test_a_handful_of_ratings_is_too_few_to_reveal_and_the_page_says_so(lecturer, rooms):
    class_of(lecturer, {"Ada": {0: 5}, "Bo": {1: 2}})
    press(lecturer, "Reveal")
    assert "2 ratings so far; the model needs 10" in text(lecturer)
    assert rooms.hosted(key_of(lecturer)).phase == "rating"


def test_explore_shows_the_matrix_filled_in_by_the_model_of_the_room(lecturer):
    class_of(lecturer, SOME)
    lecturer.selectbox(key="room_model").set_value("universal")
    press(lecturer, "Reveal")
    press(lecturer, "Explore it")
    assert lecturer.session_state.data == UPLOAD and lecturer.session_state.keep == 80
    assert lecturer.session_state.model == "universal"
    assert shown_run(lecturer)["n_given"] == 8


def test_a_room_without_ratings_is_not_explored_and_closing_it_deletes_everything(lecturer, rooms):
    me, key = class_of(lecturer, SOME)["Ada"], key_of(lecturer)
    ada = phone(code_of(lecturer), None, me=me)
    press(lecturer, "Reveal")
    rooms.change(key, lambda room: replace(room, students={}))
    labels = {button.label for button in healthy(lecturer.run()).button}
    assert "Rate again" in labels and "Explore it" not in labels
    assert "Nobody is here yet" in text(lecturer)
    press(lecturer, "Close the room and delete everything")
    assert "everything in it is deleted" in text(lecturer) and not rooms.store.rooms
    assert not lecturer.query_params and "Ada" not in str(lecturer.session_state)
    assert "There is no room" in text(healthy(ada.run()))
    assert "This room is closed" in text(opened(lecturer=key))


@pytest.mark.parametrize("side", ["lecturer", "student"])
def test_a_screen_says_that_rooms_are_away_and_comes_back(side, lecturer, rooms, monkeypatch):
    me = class_of(lecturer, SOME)["Ada"]
    at = lecturer if side == "lecturer" else phone(code_of(lecturer), None, me=me)

    def away(code):
        raise RoomsAwayError

    with monkeypatch.context() as patch:
        patch.setattr(rooms.store, "get", away)
        assert "cannot be reached at the moment" in text(healthy(at.run()))
    assert "Ada" in text(healthy(at.run())) and "cannot be reached" not in text(at)


@pytest.mark.parametrize("network", [True, False])
def test_an_address_of_this_machine_alone_becomes_one_that_phones_reach(network, monkeypatch):
    class Socket(socket.socket):
        def connect(self, address):
            if not network:
                raise OSError("Network is unreachable")

        def getsockname(self):
            return "192.168.1.7", 50000

    monkeypatch.setattr(socket, "socket", Socket)
    for page in ("http://localhost:8501/room", "http://[::1]/room", "https://127.0.0.1/room"):
        host = page.split("/")[2].removesuffix(":8501")
        assert entrance.for_phones(page) == (page.replace(host, "192.168.1.7") if network else page)
    assert entrance.for_phones("https://localhost.org/room") == "https://localhost.org/room"


@pytest.mark.parametrize("typed", ["javascript:alert(1)", "http://127.0.0.1", "https://[x"])
def test_an_address_that_phones_cannot_open_is_called_wrong(typed, lecturer):
    said = text(healthy(lecturer.text_input(key="room_base").set_value(typed).run()))
    assert ("must begin with http" in said) == (not typed.startswith("http"))
    assert ("works on this computer only" in said) == (typed != "https://[x")


def test_the_qr_code_of_the_students_link_has_a_quiet_zone_and_no_word_of_the_lecturer_s_address():
    link = entrance.student_link("https://x.org/a/room/?lecturer=KEY#a", "BKTMWXRD")
    assert link == "https://x.org/a/room?room=BKTMWXRD"
    kind, _, data = entrance.qr_code(link).partition(",")
    assert kind.startswith("data:image/svg+xml")
    svg = base64.b64decode(data).decode() if "base64" in kind else unquote(data)
    assert int(re.search(r"(?:width|height)=['\"](\d+)", svg)[1]) >= 8 * (21 + 2 * 4)
    assert "<script" not in svg
