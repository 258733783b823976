"""Heavy work of a page in its turn, with the place in the line on the page while it waits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from metamf.webapp.serving.threads import cores
from metamf.webapp.serving.turns import Turns
from metamf.wording import counted

TURNS = Turns()  # the turns of all visitors of this process


@contextmanager
def turn() -> Iterator[None]:
    """Waits for this visitor's turn, says so on the page, and holds it until the end of the block.

    What is divided into blocks there has a helper for each core that this process may use, which nobody else uses for
    such work meanwhile.
    """
    from metamf.ratings.threads import helpers  # with torch

    places = []  # made only if there is something to say, so that nothing on the page moves otherwise

    def say(place: int) -> None:
        if not places:
            places.append(st.empty())
        before = "one other is" if place == 1 else f"{counted(place, 'other')} are"
        places[0].markdown(f"Large tables are computed one after the other on this server: {before} before you …")

    with TURNS.turn(say), helpers(cores()):
        for line in places:
            line.empty()
        yield
