"""The player on a page, and as a file: mounts it, and hands what needs the server to functions of
the page.

Steps, plays and pointers never reach the server; an edited rating does, and so does the question
which ratings an estimate depends on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any, Literal

import streamlit as st

from metamf.webapp.look import LECTURE
from metamf.webapp.player.bundle import bundle, mount

NAME = "metamf_player"
# js/scene.js says what each shows
Scene = Literal["train", "fill", "watch", "fit", "prior", "given", "maps", "map", "pick"]


def player(
    data: dict[str, Any],
    *,
    scene: Scene,
    key: str,
    on_edit: Callable[[list[dict[str, Any]]], None] | None = None,
    on_influence: Callable[[Sequence[int]], None] | None = None,
    on_choose: Callable[[Sequence[int]], None] | None = None,
    on_follow: Callable[[dict[str, Any]], None] | None = None,
    options: dict[str, Any] | None = None,
    live: dict[str, Any] | None = None,
) -> None:
    """Draws ``data``: a run, of ``metamf.webapp.run.replay.replay``, or the maps of
    ``still.scene_of``.

    Other data under the same ``key`` change what is drawn, and leave step, play and chosen cell
    alone.

    ``on_edit`` is called with ``[{"id", "op", "row", "col", "value"}, ...]`` before the run of the
    script that an edit causes: the edit after those that were not answered; without it nothing can
    be edited. ``op`` is 'set', 'hide', 'restore', 'undo', 'redo' or 'reset', ``row`` and ``col``
    count in the window, ``value`` is a number or None. ``on_influence`` and ``on_choose`` are
    called with the row and the column, in the window, of a cell: the one whose most influential
    ratings are wanted, and the one that is chosen in the scene 'pick'. ``options`` are 'address',
    False where step and cell are not in the address, and 'start', whether it opens at step 0.
    """
    asked = {"edit": on_edit, "influence": on_influence, "choose": on_choose, "follow": on_follow}
    mount(
        "player",
        key=key,
        data={
            "run": data,
            "scene": scene,
            "live": live,
            "asks": [name for name, answer in asked.items() if answer is not None],
            "options": {"lecture": bool(st.session_state.get(LECTURE))} | (options or {}),
        },
        **{
            f"on_{name}_change": _teller(key, name, answer)
            for name, answer in asked.items()
            if answer is not None
        },
    )


def draw_apart(
    data: dict[str, Any],
    key: str,
    scene: Scene = "map",
    *,
    on_choose: Callable[[Sequence[int]], None] | None = None,
    start: bool = False,
) -> None:
    """Draws a run or maps that share no step with the pages on a matrix, and are not in the
    address; ``start``: at step 0."""
    player(
        data,
        scene=scene,
        key=f"drawn-{key}",
        options={"address": False, "start": start},
        on_choose=on_choose,
    )


def saved_page(
    run: dict[str, Any],
    scene: Scene,
    title: str,
    sentence: str,
    *,
    live: dict[str, Any] | None = None,
    weights: dict[str, Any] | None = None,
    own: dict[str, Any] | None = None,
) -> str:
    """Returns a run as an HTML file that plays without network, with a sentence below the title.

    With the ``weights`` of ``metamf.webapp.player.live.live_of``, which ``live`` names, the page
    computes other runs by itself; ``own`` has the ``example`` of a form for ratings of one's own.
    """
    options = {"address": False}
    data: dict[str, Any] = {
        "run": run,
        "scene": scene,
        "asks": [],
        "options": options,
        "live": live,
    }
    return _page(title, sentence, data | {"weights": weights, "own": own})


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
