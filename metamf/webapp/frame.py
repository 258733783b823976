"""The frame around every page: page configuration, style, navigation, sidebar.

For the first visitor of a fresh server Streamlit runs a script of the folder ``pages`` by itself, without app.py, when
the address asks for it (its older way of finding pages). Every page begins with ``ensure``, which notices that and
draws the frame around it.
"""

from __future__ import annotations

import sys
import time
from contextlib import nullcontext
from contextvars import ContextVar
from pathlib import Path

import streamlit as st

from metamf.webapp import address, collection, lecture_mode, warming
from metamf.webapp.lesson import progress
from metamf.webapp.look import LECTURE, apply_style, mount_glossary, note
from metamf.webapp.matrix.ways_on import CELLS
from metamf.webapp.monitoring import observing
from metamf.webapp.monitoring.sentences import sentence_on
from metamf.webapp.rooms import session as rooms
from metamf.webapp.serving import at_the_door, heavy, start
from metamf.webapp.serving.abreast import ABREAST
from metamf.webapp.serving.aside import ASIDE
from metamf.webapp.sidebar import sidebar

LESSON = "lesson"  # the page's name in addresses
OBEYING = {"", "watch", "compare", "inside"}  # and those of the pages that obey the sidebar's controls
_ICON = Path(__file__).with_name("icon.svg")
_framed = ContextVar("framed", default=False)  # in this run of the script


def draw() -> None:
    """Draws the whole application, in its turn where a class is here: the frame, and in it the page asked for."""
    if not start.begun:
        start.begin()
    with ABREAST.place() if ASIDE.crowded else nullcontext():
        _draw()


def _draw() -> None:
    st.set_page_config(page_icon=str(_ICON), layout="wide")
    apply_style()
    in_a_room = rooms.is_student()  # a phone in a room shows the room and nothing around it
    page = st.navigation(
        [
            st.Page("pages/fill_in.py", title="Fill in", icon=":material/grid_on:", default=True),
            st.Page("pages/watch.py", title="Watch", icon=":material/play_circle:"),
            st.Page("pages/compare.py", title="Compare", icon=":material/balance:"),
            st.Page("pages/inside.py", title="Inside", icon=":material/biotech:"),
            st.Page("pages/train.py", title="Train", icon=":material/model_training:"),
            st.Page("pages/lesson.py", title="Lesson", icon=":material/school:"),
            st.Page("pages/room.py", title="Room", icon=":material/groups:"),
            st.Page("pages/paper.py", title="Paper", icon=":material/article:"),
            st.Page("pages/your_table.py", title="Your table", icon=":material/table_edit:"),
        ],
        position="hidden" if in_a_room else "top",
    )
    let_in = st.session_state.get(at_the_door.PASS)
    if (let_in is None or not let_in.is_set()) and not at_the_door.let_in():
        return
    at_lesson = page.url_path == LESSON
    obeys = page.url_path in OBEYING or (at_lesson and CELLS in st.query_params)
    # Where nothing obeys the sidebar, it is shut before it is there: hidden later it would push the page to and fro.
    open_sidebar = obeys and not st.session_state.get(LECTURE)
    state = "auto" if open_sidebar else "collapsed"
    st.set_page_config(page_title=f"{page.title} – MetaMF", initial_sidebar_state=state)
    if at_lesson:
        progress.come_back()
    if not in_a_room:
        with st.sidebar:
            sidebar(page.url_path)
        _corner(page.url_path)
    if st.session_state.get(LECTURE) and open_sidebar:  # the address asks for it, as the sidebar has read
        st.set_page_config(initial_sidebar_state="collapsed")
    mount_glossary()
    if progress.AWAY in st.session_state and not at_lesson:
        progress.banner()
    said = st.container()  # on the link by which the visitor came
    token, began = _framed.set(True), time.perf_counter()
    try:
        with nullcontext() if warming.ready else warming.importing:
            page.run()
    except heavy.EndedError as error:
        heavy.show_end(error)
    except Exception as error:
        said_of_it = sentence_on(error)
        if observing.on or said_of_it:  # otherwise Streamlit's own line in the log is enough
            observing.failed(page.title, error)
        if said_of_it is None:
            raise
        note(said_of_it, "warning")
    finally:
        _framed.reset(token)
        if observing.on:
            observing.ran(page.title, time.perf_counter() - began)
        if not in_a_room:
            address.note(said)
        if len(sys.modules) != collection.modules_apart:
            collection.set_modules_apart()
        if not warming.begun:
            warming.begin()


def _corner(page: str) -> None:
    """The switch of lecture mode and the sheet of keys of a page, by its name in addresses."""
    on, asked = bool(st.session_state.get(LECTURE)), st.query_params
    if on and LECTURE not in asked:
        asked[LECTURE] = "1"
    elif not on and LECTURE in asked:
        del asked[LECTURE]
    st.html(lecture_mode.style(on))  # one element, so that nothing below it moves
    with st.container(key="corner"):
        data = {
            "on": on,
            "keys": tuple(lecture_mode.KEYS.get(page, ())),
        }  # lists would be looked through for tables, with pandas
        lecture_mode.corner()(data=data, key="lecture_corner", on_lecture_change=lecture_mode.switch)


def ensure() -> None:
    """Draws the application instead of a page that runs alone, and stops there."""
    if not _framed.get():
        draw()
        st.stop()
