"""The ways into a room: students type a code, lecturers open a room, phones scan a QR code."""

from __future__ import annotations

import re
import socket
import tomllib
from contextlib import suppress
from html import escape
from pathlib import Path

import segno
import streamlit as st

from metamf.webapp import look
from metamf.webapp.teach.rooms import session
from metamf.webapp.teach.rooms.room import (
    FEWEST_ITEMS,
    LONGEST_TITLE,
    MOST_ITEMS,
    MOST_STUDENTS,
    SCALES,
)
from metamf.webapp.teach.rooms.store import LIFETIME, hyphenated
from metamf.wording import counted

OWN = "My own list"
LISTS: dict[str, list[str]] = tomllib.loads(
    Path(__file__).with_name("lists.toml").read_text("utf-8")
)
_LONGEST_ADDRESS = 300  # characters: what a QR code holds that can be read from the last row
_LONGEST_LIST = 4000  # characters
_THIS_MACHINE = re.compile(r"(https?://)(localhost|127\.0\.0\.1|\[::1\])(?=[:/?#]|$)")


def entrance() -> None:
    """Draws the page for somebody who is in no room."""
    look.title(
        "A room: your class makes a matrix",
        "Everybody rates films, or whatever you choose, on a phone. The screen fills in live and "
        "then shows how well "
        "the model can guess.",
    )
    session.draw_note()
    students, lecturers = st.columns([1, 1.6], gap="medium")
    with students:
        _join()
    with lecturers:
        _open()


def _join() -> None:
    look.panel("Join a room", "with a code")
    with st.form("room_join", border=False):
        code = st.text_input(
            "Code", key="room_code", max_chars=20, placeholder="from your lecturer's screen"
        )
        if st.form_submit_button("Join", type="primary"):
            with session.noting_errors():
                st.query_params[session.CODE] = session.service().find(code, session.who())
            st.rerun()


def _open() -> None:
    look.panel("Open a room", "for a class")
    if "room_items" not in st.session_state:
        st.session_state.room_list = next(iter(LISTS))
        _take_list()
    st.selectbox("Start with", [*LISTS, OWN], key="room_list", on_change=_take_list)
    with st.form("room_open", border=False):
        title = st.text_input("What you rate", key="room_title", max_chars=LONGEST_TITLE)
        label = f"{FEWEST_ITEMS} to {MOST_ITEMS} things, one per line"
        items = st.text_area(label, key="room_items", height=240, max_chars=_LONGEST_LIST)
        scale = SCALES[st.radio("Scale", list(SCALES), key="room_scale", horizontal=True)]
        if st.form_submit_button("Open the room", type="primary"):
            with session.noting_errors():
                session.keep_key(
                    session.service().open(title, items.splitlines(), scale, session.who())
                )
            st.rerun()
    look.small(
        f"A room holds up to {MOST_STUDENTS} students. It is kept in memory for "
        f"{counted(LIFETIME // 3600, 'hour')} at "
        "most, never on a disk or in a log, and you can delete it at any time."
    )


def _take_list() -> None:
    state = st.session_state
    state.room_items = "\n".join(LISTS.get(state.room_list, ()))
    state.room_title = state.room_list if state.room_list in LISTS else ""


def qr_panel(code: str) -> None:
    """Draws code, QR code and address so large that a class reads them from the last row."""
    own = st.context.url or "http://localhost:8501/room"
    st.session_state.setdefault("room_base", for_phones(own))
    base = st.session_state.room_base.strip()
    if not base.startswith(("http://", "https://")):
        look.note("The address must begin with http:// or https://.", "warning")
        base = own
    link = student_link(base, code)
    st.html(
        f'<div class="room-join"><img src="{qr_code(link)}" width="280" height="280" '
        f'alt="QR code that opens this room: {escape(link)}">'
        f'<p class="room-where">{escape(base.partition("://")[2])}</p>'
        f'<p class="room-code" aria-label="Code {" ".join(code)}">{hyphenated(code)}</p></div>'
    )
    if _THIS_MACHINE.match(base):
        look.note(
            "Phones cannot reach this address, which works on this computer only. Type another one.",
            "warning",
        )
    with st.expander("Phones cannot open this address?"):
        st.text_input(
            "Address of this page as phones reach it",
            key="room_base",
            persist_state="session",
            max_chars=_LONGEST_ADDRESS,
            help=(
                "Unless the app runs on a server, phones and this computer must be in the same "
                "network"
            ),
        )


def student_link(page: str, code: str) -> str:
    """Returns the address by which students join; ``page`` is that of the page Room."""
    return f"{re.split('[?#]', page)[0].rstrip('/')}?{session.CODE}={code}"


def for_phones(page: str) -> str:
    """Returns the page's address with this machine's address in its network, if there is one, in
    place of localhost."""
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe,
        suppress(OSError),
    ):  # OSError: no network
        probe.connect(
            ("192.0.2.1", 9)
        )  # sends nothing; an address reserved for documentation (RFC 5737)
        return _THIS_MACHINE.sub(rf"\g<1>{probe.getsockname()[0]}", page)
    return page


def qr_code(address: str) -> str:
    """Returns the QR code as an SVG image in a data URI, dark on white with the quiet zone of the
    standard."""
    return segno.make(address, error="m", micro=False).svg_data_uri(
        scale=8, border=4, dark="#000", light="#fff"
    )
