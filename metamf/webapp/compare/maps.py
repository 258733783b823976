"""The maps of the page Compare: the truth, and what methods make of the missing cells or get wrong in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from metamf.evaluate.comparison import Contender
from metamf.webapp import address, look
from metamf.webapp.matrix.shown import ShownView
from metamf.webapp.monitoring.fragments import fragment
from metamf.webapp.player import component, still
from metamf.webapp.player.still import Still
from metamf.wording import rounded

RATINGS, ERRORS = "ratings", "errors"
SHOWS = {RATINGS: "what they fill in", ERRORS: "what they get wrong"}
_MAPS, _METHODS = address.control("maps", SHOWS.get), address.control("map_methods")


def draw(view: ShownView, found: Sequence[Contender], at_first: Sequence[str]) -> None:
    """Draws the maps of the chosen methods, and the switches; only the maps follow a switch.

    Parameters
    ----------
    view : ShownView
        The given and the hidden cells.
    found : sequence of Contender
        The methods that have answered.
    at_first : sequence of str
        The names of those that are drawn until others are chosen.
    """
    fragment(_draw, "Compare: maps")(view, found, at_first)


def _draw(view: ShownView, found: Sequence[Contender], at_first: Sequence[str]) -> None:
    names = [method.name for method in found]
    shown = st.segmented_control("Maps of", list(SHOWS), default=RATINGS, format_func=SHOWS.get, required=True, **_MAPS)
    first = [name for name in at_first if name in names]
    chosen = st.pills("of these methods", names, selection_mode="multi", default=first, **_METHODS)
    if shown == ERRORS and not view.run.task.hidden.nnz:
        look.small("Nothing is hidden, so no error is known.")
        return
    methods = [method for method in found if method.name in chosen]
    name = ("maps", shown, *((method.name, method.rmse) for method in methods))
    data = view.once(name, lambda: _data(view, methods, shown))
    if data is not None:
        component.draw_apart(data, "compared", "maps", address={"prefix": "maps_"})


def _data(view: ShownView, methods: Sequence[Contender], shown: str) -> dict[str, Any] | None:
    """The maps as the player draws them; None where none is to be drawn."""
    task, (low, high) = view.run.task, view.run.range
    maps = []
    if task.hidden.nnz and shown == RATINGS:
        maps.append(Still("Truth", "where it is known", view.known, low, high, noun="true rating"))
    for method in methods:
        detail, values = "" if method.rmse is None else f"RMSE {rounded(method.rmse)}", method.estimate(view)
        if shown == ERRORS:
            errors = values - view.hidden
            maps.append(Still.signed(method.name, detail, errors, (high - low) / 2, "too low", "too high"))
        else:
            maps.append(Still(method.name, detail, values, low, high))
    if not maps:
        return None
    truth = view.hidden if task.hidden.nnz else None
    cells = {"given": view.given, "truth": truth, "shape": task.given.shape}
    return still.scene_of(task.matrix.name, maps, view.axes(), ends=(low, high), **cells)
