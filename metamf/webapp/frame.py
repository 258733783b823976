"""The frame around every page: page configuration, style, navigation, sidebar.

For the first visitor of a fresh server Streamlit runs a script of the folder ``pages`` by itself, without app.py, when
the address asks for it (its older way of finding pages). Every page begins with ``ensure``, which notices that and
draws the frame around it.
"""

from __future__ import annotations

from contextvars import ContextVar
from pathlib import Path

import streamlit as st

from metamf.checkpoints.info import CheckpointError
from metamf.webapp import address, lecture_mode, look, waiting
from metamf.webapp.engine import EngineError, engine
from metamf.webapp.first_paint import WITH_SIDEBAR
from metamf.webapp.lesson import progress
from metamf.webapp.look import LECTURE
from metamf.webapp.matrix.exports import CELLS
from metamf.webapp.rooms import session as rooms
from metamf.webapp.sidebar import sidebar

_ICON = Path(__file__).with_name("icon.svg")
_framed = ContextVar("framed", default=False)  # in this run of the script


def draw() -> None:
    """Draws the whole application: the frame, and in it the page asked for."""
    engine()  # the first visitor starts its processes, in the background
    st.set_page_config(page_icon=str(_ICON), layout="wide")
    st.html(look.STYLE)
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
    at_lesson = page.url_path == "lesson"
    obeys = page.url_path in WITH_SIDEBAR or (at_lesson and CELLS in st.query_params)
    # Where nothing obeys the sidebar, it is shut before it is there: hidden later it would push the page to and fro.
    open_sidebar = obeys and not st.session_state.get(LECTURE)
    st.set_page_config(
        page_title=f"{page.title} – MetaMF", initial_sidebar_state="auto" if open_sidebar else "collapsed"
    )
    if at_lesson:
        progress.come_back()
    if not in_a_room:
        with st.sidebar:
            sidebar(page.url_path)
        lecture_mode.corner(page.url_path)
    if st.session_state.get(LECTURE) and open_sidebar:  # the address asks for it, as the sidebar has read
        st.set_page_config(initial_sidebar_state="collapsed")
    look.mount_glossary()
    if progress.AWAY in st.session_state and not at_lesson:
        progress.banner()
    said = st.container()  # on the link by which the visitor came
    token = _framed.set(True)
    try:
        page.run()
    except EngineError as error:
        waiting.show_end(error)
    except CheckpointError:  # damaged since it was offered
        look.note("The model cannot be read on this server now: choose another one, or try again later.", "warning")
    except MemoryError:
        look.note("This server has too little memory left: take a smaller table, or try again later.", "warning")
    finally:
        _framed.reset(token)
        if not in_a_room:
            address.note(said)


def ensure() -> None:
    """Draws the application instead of a page that runs alone, and stops there."""
    if not _framed.get():
        draw()
        st.stop()
