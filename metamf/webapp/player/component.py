"""The player on a page: mounts it, and hands what the visitor asks of the server to a function of the page.

A step, a play, a pointer over a map: none of them reaches the server. An edited rating and the question what a cell
leans on do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Literal

import streamlit as st

from metamf.webapp.glossary import BY_KEY
from metamf.webapp.look import LECTURE
from metamf.webapp.player import bundle, once

NAME = "metamf_player"
EXPLAINED = ("frobenius-norm", "residual", "prior", "factor")  # words that js/terms.js finds in the player's texts
# js/scenes.js says what stands in each
Scene = Literal["fill", "watch", "fit", "alone", "prior", "given", "episode", "maps", "map", "pick"]


class Component:
    """A component of a page, whose script and style travel once (``once``).

    Parameters
    ----------
    name : str
        Its name, which no other component of the app has.
    script : str
        A module whose default export is a function with a name, as ``bundle.join`` makes it.
    style : str
        Its style sheet.
    """

    def __init__(self, name: str, script: str, style: str):
        bringing, waiting = once.messages(name, script, style)
        self._key = f"script-{name}"
        self._bring = st.components.v2.component(f"{name}_script", js=bringing)
        self._mount = st.components.v2.component(name, js=waiting)

    def bring(self) -> None:
        """Sends script and style, once in a run of a page."""
        with st.container(key=self._key):  # hidden by the style sheet of all pages
            self._bring(key=f"{self._key}-text", height=1, width=1)

    def __call__(self, *, key: str, data: dict[str, Any], another: bool = False, **changes: Callable[[], None]) -> None:
        """Mounts it; ``another``: beside one that this run has mounted; ``changes``: as in Streamlit, what is called
        when the browser tells something."""
        if not another:
            self.bring()
        self._mount(key=key, data=[data], **changes)  # of a dictionary Streamlit asks pandas whether it holds tables


def player(
    data: dict[str, Any],
    *,
    scene: Scene,
    key: str,
    on_edit: Callable[[dict[str, Any]], None] | None = None,
    on_lean: Callable[[Sequence[int]], None] | None = None,
    on_choose: Callable[[Sequence[int]], None] | None = None,
    options: dict[str, Any] | None = None,
    another: bool = False,
) -> None:
    """Draws a run.

    Parameters
    ----------
    data : dict
        The run, of ``metamf.tasks.replay.replay``; maps that follow no step are those of ``still.Still``.
    scene : str
        The name of the scene that is drawn of it, one of ``Scene``.
    key : str
        Streamlit's key. Other data under the same key change what is drawn, and leave step, play and chosen cell alone.
    on_edit : callable, optional
        Called with ``{"op", "row", "col", "value"}`` before the run of the script that an edit causes; without it
        nothing can be edited. ``op`` is 'set', 'hide', 'restore', 'undo', 'redo' or 'reset', ``row`` and ``col`` count
        in the window, ``value`` is a number or None.
    on_lean : callable, optional
        Called with the row and the column of a cell, which count in the window.
    on_choose : callable, optional
        Called with the row and the column of the cell that is chosen in the scene 'pick'.
    options : dict, optional
        Other facts that the scene needs, as JSON values.
    another : bool
        Whether script and style are on the page already, by another player or by ``bring``.
    """
    asked = {"edit": on_edit, "lean": on_lean, "choose": on_choose}
    _component()(
        key=key,
        data={
            "run": data,
            "scene": scene,
            "asks": [name for name, answer in asked.items() if answer is not None],
            "terms": {key: BY_KEY[key].meaning for key in EXPLAINED},
            "options": options or {},
        },
        another=another,
        **{f"on_{name}_change": _teller(key, name, answer) for name, answer in asked.items() if answer is not None},
    )


def draw_apart(
    data: dict[str, Any],
    key: str,
    scene: Scene = "map",
    *,
    on_choose: Callable[[Sequence[int]], None] | None = None,
    address: dict[str, str] | None = None,
    another: bool = True,
) -> None:
    """Draws a scene, of ``still.scene_of`` or of a run, that shares no step with the pages on a matrix.

    Parameters
    ----------
    data : dict
        The scene or the run.
    key : str
        Its own part of Streamlit's key.
    scene : str
        Name of the scene.
    on_choose, another
        As of ``player``.
    address : dict, optional
        Names in the address, as ``OwnNames`` of ``js/address.js``: with the prefix 'maps_' ``maps_cell`` holds the cell
        that is chosen. Without it the address says nothing of the scene.
    """
    options = {"address": address or False, "lecture": bool(st.session_state.get(LECTURE))}
    player(data, scene=scene, key=f"drawn-{key}", options=options, another=another, on_choose=on_choose)


def bring() -> None:
    """Sends the player's script and style before the first of several players, all of which are ``another`` then."""
    _component().bring()


@cache
def _component() -> Component:
    return Component(NAME, bundle.script(), bundle.style())


def _teller(key: str, name: str, answer: Callable[[Any], None]) -> Callable[[], None]:
    def tell() -> None:
        value = st.session_state[key].get(name)
        if value is not None:
            answer(value)

    return tell
