"""The frame around every page: page configuration, style, navigation, sidebar, and the corner with lecture mode.

Lecture mode is large type and few controls on every page. Whether it is on is kept in the session under ``LECTURE``,
the key of the toggle in the sidebar and its name in the address, so it outlives the page.

For the first visitor of a fresh server Streamlit runs a script of the folder ``pages`` by itself, without app.py, when
the address asks for it (its older way of finding pages). Every page begins with ``ensure``, which notices that and
draws the frame around it.
"""

from __future__ import annotations

from contextvars import ContextVar
from pathlib import Path

import streamlit as st

from metamf.checkpoints.info import CheckpointError
from metamf.webapp import address, look, visits, waiting
from metamf.webapp.engine import EngineError, engine
from metamf.webapp.explore.choices import canonical
from metamf.webapp.explore.exports import CELLS
from metamf.webapp.first_paint import WITH_SIDEBAR
from metamf.webapp.look import LECTURE
from metamf.webapp.player.bundle import mount
from metamf.webapp.sidebar import Head, head, sidebar
from metamf.webapp.teach.lesson import progress
from metamf.webapp.teach.rooms import session as rooms

_ON = ("1", "true", "on", "yes")  # in the address, as people type it
_STYLE = Path(__file__).with_name("lecture.css")
_PLACES = (
    ("explore", "Explore", "grid_on"),
    ("compare", "Compare", "balance"),
    ("inside", "Inside", "biotech"),
    ("teach", "Teach", "school"),
    ("your_table", "Your table", "table_edit"),
)
_HIDDEN = ("lesson", "room", "train", "results")  # pages that no list has
_TEACHING = ("lesson", "room", "train")  # what the tiles of Teach lead to
_COMPUTING = ("train", "your_table")  # pages whose visitors soon need a worker, which starts in the background
_KEYS = {  # of a page, by its name in addresses; players know theirs
    "lesson": (("Page down", "the next step"), ("Page up", "the step before")),
    "train": (("↑ ↓ ← →", "in the held-out matrix: from cell to cell"),),
    "your_table": (("↑ ↓ ← →", "in the table: from cell to cell"), ("Enter", "in the table: the next cell")),
}
_ICON = Path(__file__).with_name("icon.svg")
_framed: ContextVar[Head | bool] = ContextVar("framed", default=False)  # in this run; the head where the page has one


def draw() -> None:
    """Draws the whole application: the frame, and in it the page asked for."""
    visits.register()
    st.set_page_config(page_icon=str(_ICON), layout="wide")
    st.html(look.STYLE)
    in_a_room = rooms.is_student()  # a phone in a room shows the room and nothing around it
    places = [
        st.Page(f"pages/{name}.py", title=title, icon=f":material/{icon}:", default=name == "explore")
        for name, title, icon in _PLACES
    ]
    hidden = [st.Page(f"pages/{name}.py", title=name.capitalize(), visibility="hidden") for name in _HIDDEN]
    page = st.navigation([*places, *hidden], position="hidden" if in_a_room else "top")
    if page.url_path in _COMPUTING:
        engine().warm()
    at_lesson = page.url_path == "lesson"
    arrives = not in_a_room and address.ARRIVED not in st.session_state  # the first run of a visit
    if arrives:
        st.session_state[LECTURE] = st.query_params.get(LECTURE, "").lower() in _ON
    obeys = page.url_path in WITH_SIDEBAR or (at_lesson and CELLS in st.query_params)
    # Where nothing obeys the sidebar, it is shut before it is there: hidden later it would push the page to and fro.
    open_sidebar = obeys and not st.session_state.get(LECTURE)
    st.set_page_config(
        page_title=f"{page.title} – MetaMF", initial_sidebar_state="auto" if open_sidebar else "collapsed"
    )
    if at_lesson:
        progress.come_back()
    if not in_a_room:
        if arrives:
            address.arrive(canonical)
        with st.sidebar:
            sidebar(page.url_path)
        _corner(page.url_path)
        with st.container(key="places", horizontal=True):  # a phone has them at its lower edge
            for place in places:
                st.page_link(place, label=place.title, icon=place.icon)
    look.mount_glossary()
    if page.url_path in _TEACHING and not in_a_room:
        with st.container(key="back"):
            st.page_link("pages/teach.py", label="Teach", icon=":material/arrow_back:")
    if progress.AWAY in st.session_state and not at_lesson:
        progress.banner()
    token = _framed.set(True if page.url_path or in_a_room else head())
    try:
        page.run()
    except EngineError as error:
        waiting.show_end(error)
    except CheckpointError:  # damaged since it was offered
        look.note("This model cannot be read now. Choose another one, or try again later.", "warning")
    except MemoryError:
        look.note("The server is low on memory. Try a smaller table, or try again later.", "warning")
    finally:
        _framed.reset(token)
        if not in_a_room:
            with st.container(key="foot"):
                st.page_link("pages/results.py", label="Results on MovieLens and Jester", icon=":material/article:")


def _corner(page: str) -> None:
    """Draws the switch of lecture mode and the sheet of keys of a page, by its name in addresses."""
    on = bool(st.session_state.get(LECTURE))
    if not on or LECTURE not in st.query_params:
        address.write(LECTURE, "1" if on else "")
    st.html(f"<style>{_STYLE.read_text('utf-8') if on else ''}</style>")  # one element, so that nothing below it moves
    with st.container(key="corner"):
        data = {"on": on, "keys": _KEYS.get(page, ())}  # lists would be looked through for tables, with pandas
        mount("corner", key="lecture_corner", data=data, on_lecture_change=_switch)


def _switch() -> None:
    st.session_state[LECTURE] = not st.session_state.get(LECTURE)


def ensure() -> Head | bool:
    """Draws the application instead of a page that runs alone, and stops there; returns the head of the page."""
    if not (framed := _framed.get()):
        draw()
        st.stop()
    return framed
