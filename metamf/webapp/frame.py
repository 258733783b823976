"""The frame around every page: page configuration, style, navigation, sidebar, and the corner with
lecture mode.

Lecture mode is large type and few controls on every page. Whether it is on is kept in the session
under ``LECTURE``, which is its name in the address, too, so it outlives
the page.

For the first visitor of a fresh server Streamlit runs a script of the folder ``pages`` by itself,
without app.py, when the address asks for it (its older way of finding pages). Every page begins
with ``ensure``, which notices that and draws the frame around it.
"""

from __future__ import annotations

from contextvars import ContextVar
from pathlib import Path
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from metamf.checkpoints.info import CheckpointError
from metamf.webapp import address, jobs, look, visits
from metamf.webapp.engine import EngineError, engine
from metamf.webapp.look import LECTURE
from metamf.webapp.player.bundle import mount, mount_bundle
from metamf.webapp.sidebar import OPENED, head, sidebar
from metamf.webapp.teach.rooms import session as rooms

_ON = ("1", "true", "on", "yes")  # in the address, as people type it
_LECTURE_STYLE = Path(__file__).with_name("lecture.css")
_PLACES = (
    ("explore", "Explore", "grid_on"),
    ("compare", "Compare", "balance"),
    ("inside", "Inside", "biotech"),
    ("teach", "Teach", "school"),
    ("your_table", "Your table", "table_edit"),
)
_HIDDEN = ("lesson", "room", "train", "results")  # pages that no list has
_TEACHING = ("room", "train")  # what leads back to Teach by a line of its own
WITH_SIDEBAR = ("", "compare", "inside")  # pages whose figures obey it
# pages whose visitors soon need a worker, which starts in the background
_COMPUTING = ("train", "your_table")
_KEYS = {  # of a page, by its name in addresses; players know theirs
    "lesson": (("Page down", "the next step"), ("Page up", "the step before")),
    "train": (("↑ ↓ ← →", "in the held-out matrix: from cell to cell"),),
    "your_table": (
        ("↑ ↓ ← →", "in the table: from cell to cell"),
        ("Enter", "in the table: the next cell"),
    ),
}
_ICON = Path(__file__).with_name("icon.svg")
# in this run, whether the page is framed; the place for its title where the frame has one
_framed: ContextVar[DeltaGenerator | bool] = ContextVar("framed", default=False)


def draw_app() -> None:
    """Draws the whole application: the frame, and in it the page asked for."""
    visits.register()
    st.set_page_config(page_icon=str(_ICON), layout="wide")
    st.html(look.STYLE)
    in_a_room = rooms.is_student()  # a phone in a room shows the room and nothing around it
    places = []
    for name, title, icon in _PLACES:
        first = name == "explore"
        of_page = st.Page(f"pages/{name}.py", title=title, icon=f":material/{icon}:", default=first)
        places.append(of_page)
    hidden = [
        st.Page(f"pages/{name}.py", title=name.capitalize(), visibility="hidden")
        for name in _HIDDEN
    ]
    page = st.navigation([*places, *hidden], position="hidden" if in_a_room else "top")
    address.go()
    if page.url_path in _COMPUTING:
        engine().warm()
    arrives = not in_a_room and address.ARRIVED not in st.session_state  # the first run of a visit
    if arrives:
        st.session_state[LECTURE] = st.query_params.get(LECTURE, "").lower() in _ON
    open_sidebar = not st.session_state.get(LECTURE) and page.url_path in WITH_SIDEBAR
    usual_state: Literal["auto", "expanded"] = "auto"
    if page.url_path == "":  # the first screen has what is changed most above its maps
        open_sidebar = bool(st.session_state.get(OPENED))
        usual_state = "expanded"  # by the click that opens it, on a phone, too
    st.set_page_config(
        page_title=f"{page.title} – MetaMF",
        initial_sidebar_state=usual_state if open_sidebar else "collapsed",
    )
    if not in_a_room:
        if arrives:
            address.arrive()
        if page.url_path in WITH_SIDEBAR:
            with st.sidebar:
                sidebar(page.url_path)
        _corner(page.url_path)
        with st.container(key="places", horizontal=True):  # a phone has them at its lower edge
            for place in places:
                st.page_link(place, label=place.title, icon=place.icon)
    mount_bundle()
    look.begin_page()
    if page.url_path in _TEACHING and not in_a_room:
        with st.container(key="back"):
            st.page_link("pages/teach.py", label="Teach", icon=":material/arrow_back:")
    token = _framed.set(True if page.url_path else head())
    try:
        page.run()
    except EngineError as error:
        jobs.show_end(error)
    except CheckpointError:  # damaged since it was offered
        look.note(
            "This model cannot be read now. Choose another one, or try again later.", "warning"
        )
    except MemoryError:
        look.note(
            "The server is low on memory. Try a smaller table, or try again later.", "warning"
        )
    finally:
        _framed.reset(token)
        if not in_a_room:
            look.words_of_page()
            with st.container(key="foot"):
                st.page_link(
                    "pages/results.py",
                    label="Results on MovieLens and Jester",
                    icon=":material/article:",
                )


def _corner(page: str) -> None:
    """Draws the switch of lecture mode and the sheet of keys of a page, by its name in
    addresses."""
    on = bool(st.session_state.get(LECTURE))
    if not on or LECTURE not in st.query_params:
        address.write(LECTURE, "1" if on else "")
    # one element, so that nothing below it moves
    st.html(f"<style>{_LECTURE_STYLE.read_text('utf-8') if on else ''}</style>")
    with st.container(key="corner"):
        # lists would be looked through for tables, with pandas
        data = {"on": on, "keys": _KEYS.get(page, ())}
        mount(
            "corner",
            key="lecture_corner",
            data=data,
            on_lecture_change=_switch,
            on_lost_change=_draw_again,
        )


def _switch() -> None:
    st.session_state[LECTURE] = not st.session_state.get(LECTURE)


def _draw_again() -> None:
    """What the corner asks for where the page is lost; the run that asking begins is enough."""


def ensure() -> DeltaGenerator | bool:
    """Draws the application instead of a page that runs alone, and stops there; returns the place
    for the title of Explore.

    Marks the page as there, for the corner (player/js/keys.js).
    """
    if not (framed := _framed.get()):
        draw_app()
        st.stop()
    st.container(key="here").html("<i></i>")
    return framed
