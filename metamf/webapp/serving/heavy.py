"""Heavy work of a page in its turn, in a process of its own, which visitors can stop.

What takes minutes is a job of the pool (``metamf.webapp.jobs``), and the page goes on meanwhile. This here is what a
page waits for: a large file that is read, a large table that is filled in. While it waits the page shows the place in
the line, and, when it is at work, how long, and a button that ends it. A click on anything else ends it, too.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import streamlit as st

from metamf.webapp.look import note
from metamf.webapp.monitoring import observing
from metamf.webapp.serving.heavy_process import DiedError, HeavyProcess, OutOfTimeError
from metamf.webapp.serving.turns import Turns
from metamf.wording import counted

Result = TypeVar("Result")
SECONDS = 120  # time limit, about ten times what the largest table takes by the slowest method
_SILENT = 1.0  # seconds before anything is said, so that nothing on the page moves for what is over soon
_STOPPED = "heavy_work_stopped"  # in the session: name of the work that the visitor has stopped
TURNS = Turns()  # the turns of all visitors of this server
PROCESS = HeavyProcess()


class EndedError(Exception):
    """Raised for work without a result; the message is a sentence for the visitor."""


@contextmanager
def turn() -> Iterator[None]:
    """Waits for this visitor's turn, says so on the page, and holds it until the end of the block."""
    places = []  # made only if there is something to say, so that nothing on the page moves otherwise

    def say(place: int) -> None:
        if not places:
            places.append(st.empty())
        before = "one other is" if place == 1 else f"{counted(place, 'other')} are"
        places[0].markdown(f"Large tables are computed one after the other on this server: {before} before you …")

    with TURNS.turn(say):
        for line in places:
            line.empty()
        yield


def compute(
    name: Hashable,
    function: Callable[..., Result],
    *arguments: Any,
    progress: Callable[[float], None] | None = None,
    then: tuple[str, ...] = (),
) -> Result:
    """The result of a function, called in the process for heavy work in this visitor's turn.

    Parameters
    ----------
    name : hashable
        Name of the work: what has been stopped under that name is not begun again before the visitor says so.
    function, *arguments, progress, then
        As in ``HeavyProcess.call``.

    Raises
    ------
    EndedError
        If the visitor has stopped it, it took longer than ``SECONDS``, or its process died. ``show_end`` draws that.
    MemoryError
        If there was too little memory for it. The frame around all pages has a sentence for that.
    """
    if st.session_state.get(_STOPPED) == name:
        raise EndedError("You stopped this.")
    with turn():
        place = _Place(name)
        try:
            return PROCESS.call(function, *arguments, seconds=SECONDS, waiting=place.say, progress=progress, then=then)
        except OutOfTimeError:
            observing.refused("heavy work out of time")
            sentence = f"This took longer than {SECONDS // 60} minutes, so this server stopped it: take a smaller table"
            raise EndedError(f"{sentence}, or another method.") from None
        except DiedError:
            observing.refused("heavy work died")
            sentence = "The process that worked on this has ended, probably since this server had no memory left for it"
            raise EndedError(f"{sentence}: take a smaller table, or try again later.") from None
        finally:
            place.clear()


class _Place:
    """The place on the page where it says for how long there has been work, with the button that ends it."""

    def __init__(self, name: Hashable):
        self._name, self._place, self._words = name, None, None

    def say(self, seconds: float) -> None:
        """Says how many seconds have passed, in any case to Streamlit, which here ends a run that nobody waits for."""
        st.session_state.get(_STOPPED)
        if seconds < _SILENT:
            return
        if self._place is None:
            self._place, key = st.empty(), f"heavy_work_stop_{hash(self._name)}"
            with self._place.container(horizontal=True, vertical_alignment="center"):
                self._words = st.empty()
                st.button("Stop", icon=":material/stop_circle:", on_click=stop, args=(self._name,), key=key)
        self._words.markdown(f"{seconds:.0f} s so far, of {SECONDS} at most")

    def clear(self) -> None:
        """Removes it, where there is one."""
        if self._place is not None:
            self._place.empty()


def stop(name: Hashable) -> None:
    """Notes that the visitor wants no result of that name; the run that waits for it ends by the click itself."""
    st.session_state[_STOPPED] = name


def go_on() -> None:
    """Lets what was stopped begin again."""
    st.session_state.pop(_STOPPED, None)


def show_end(error: EndedError) -> None:
    """Draws why there is no result, and a button to try again."""
    note(str(error), "warning")
    st.button("Try again", icon=":material/refresh:", on_click=go_on, key="heavy_work_again")
