"""The player on a page, and as a file: mounts it, and hands what needs the server to functions of the page.

Steps, plays and pointers never reach the server; an edited rating does, and so does the question which ratings an
estimate depends on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any, Literal

import streamlit as st

from metamf.webapp.glossary import BY_KEY
from metamf.webapp.look import LECTURE
from metamf.webapp.player.bundle import bundle, mount

NAME = "metamf_player"
EXPLAINED = ("frobenius-norm", "residual", "prior", "factor")  # words that js/glossary.js finds in the player's texts
# js/scene.js says what each shows
Scene = Literal["train", "fill", "watch", "fit", "alone", "prior", "given", "maps", "map", "pick"]


def player(
    data: dict[str, Any],
    *,
    scene: Scene,
    key: str,
    on_edit: Callable[[list[dict[str, Any]]], None] | None = None,
    on_lean: Callable[[Sequence[int]], None] | None = None,
    on_choose: Callable[[Sequence[int]], None] | None = None,
    options: dict[str, Any] | None = None,
) -> None:
    """Draws ``data``: a run, of ``metamf.webapp.player.replay.replay``, or the maps of ``still.scene_of``.

    Other data under the same ``key`` change what is drawn, and leave step, play and chosen cell alone.

    ``on_edit`` is called with ``[{"id", "op", "row", "col", "value"}, ...]`` before the run of the script that an edit
    causes: the edit after those that were not answered; without it nothing can be edited. ``op`` is 'set', 'hide',
    'restore', 'undo', 'redo' or 'reset', ``row`` and ``col`` count in the window, ``value`` is a number or None.
    ``on_lean`` and ``on_choose`` are called with the row and the column, in the window, of a cell: the one whose most
    influential ratings are wanted, and the one that is chosen in the scene 'pick'. ``options`` are 'address', False or
    the names in the address, 'opening', whether the steps play once by themselves on opening, and 'save', kind and
    number of a file of all figures.
    """
    asked = {"edit": on_edit, "lean": on_lean, "choose": on_choose}
    mount(
        "player",
        key=key,
        data={
            "run": data,
            "scene": scene,
            "asks": [name for name, answer in asked.items() if answer is not None],
            "terms": {key: BY_KEY[key].meaning for key in EXPLAINED},
            "options": {"lecture": bool(st.session_state.get(LECTURE))} | (options or {}),
        },
        **{f"on_{name}_change": _teller(key, name, answer) for name, answer in asked.items() if answer is not None},
    )


def draw_apart(
    data: dict[str, Any],
    key: str,
    scene: Scene = "map",
    *,
    on_choose: Callable[[Sequence[int]], None] | None = None,
    address: dict[str, str] | None = None,
) -> None:
    """Draws a run or maps that share no step with the pages on a matrix.

    ``address`` holds the prefix of its names in the address: with the prefix 'maps_', ``maps_cell`` is the chosen cell.
    It counts only where the parameter 'at', if given, has the value 'here'. Without it the address does not hold the
    scene.
    """
    player(data, scene=scene, key=f"drawn-{key}", options={"address": address or False}, on_choose=on_choose)


def saved_page(run: dict[str, Any], scene: Scene, sentence: str) -> str:
    """Returns a run as an HTML file that plays without network, below a sentence; nothing can be edited in it."""
    name = f"{run['matrix']['name']}, {run['model']['title']}"
    return _page(name, sentence, {"run": run, "scene": scene, "asks": [], "options": {}})


def saved_choice(runs: dict[str, dict[str, Any]], choose: str, scene: Scene, name: str, sentence: str) -> str:
    """Returns such a file of several runs, by their names, of which the reader chooses one; the first one opens and
    plays its steps once. ``choose`` is what the choice is called."""
    named = [{"name": of, "run": run} for of, run in runs.items()]
    return _page(
        name, sentence, {"runs": named, "choose": choose, "scene": scene, "asks": [], "options": {"opening": True}}
    )


def _page(name: str, sentence: str, opened: dict[str, Any]) -> str:
    data = json.dumps(opened, allow_nan=False)
    return Template(Path(__file__).with_name("standalone.html").read_text("utf-8")).substitute(
        name=escape(name),
        sentence=escape(sentence),
        data=data.replace("<", "\\u003c"),  # a name cannot end the script
        script=bundle(),
    )


def _teller(key: str, name: str, answer: Callable[[Any], None]) -> Callable[[], None]:
    def tell() -> None:
        value = st.session_state[key].get(name)
        if value is not None:
            answer(value)

    return tell
