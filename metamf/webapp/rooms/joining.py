"""The way in for students: the code in large letters, the QR code, and the address that it holds."""

from __future__ import annotations

from html import escape

import streamlit as st

from metamf.webapp import look
from metamf.webapp.rooms import address, codes


def panel(code: str) -> None:
    """Draws the panel that a class reads from the last row."""
    own = st.context.url or "http://localhost:8501/room"
    st.session_state.setdefault("room_base", address.for_phones(own, address.this_machine()))
    base = st.session_state.room_base
    if not address.is_address(base):
        look.note("This is not an address that begins with http:// or https://.", "warning")
        base = own
    link = address.joining(base, code)
    st.html(
        f'<div class="room-join"><img src="{address.qr_code(link)}" width="280" height="280" '
        f'alt="QR code that opens this room: {escape(link)}">'
        f'<p class="room-where">{escape(address.without_scheme(base))}</p>'
        f'<p class="room-code" aria-label="Code {" ".join(code)}">{codes.hyphenated(code)}</p></div>'
    )
    if address.is_here(base):
        look.note(
            "Phones do not reach this address: it names this computer only. Type the one that they reach.", "warning"
        )
    with st.expander("Another address for the phones"):
        st.text_input(
            "Address of this page, as the phones reach it",
            key="room_base",
            persist_state="session",
            max_chars=address.LONGEST,
            help="Phones and this computer have to be in the same network, unless the app runs on a server",
        )
