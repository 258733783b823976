"""The maps of the page Compare: the truth, and what methods make of the missing cells or get wrong in them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from metamf.figures.maps import rating_map, signed_map
from metamf.tasks.comparison import Contender
from metamf.webapp import address, legends, look
from metamf.webapp.look import Picture
from metamf.webapp.matrix.shown import ShownView
from metamf.wording import rounded

HEIGHT = 380  # pixels; chosen by hand
RATINGS, ERRORS = "ratings", "errors"
SHOWS = {RATINGS: "what they fill in", ERRORS: "what they get wrong"}
_MAPS, _METHODS = address.control("maps", SHOWS.get), address.control("map_methods")


def draw(view: ShownView, found: Sequence[Contender], at_first: Sequence[str]) -> None:
    """Draws the maps of the chosen methods, and the switches; only the maps follow a switch.

    Parameters
    ----------
    view : ShownView
        What is given and hidden.
    found : sequence of Contender
        The methods that have answered.
    at_first : sequence of str
        The names of those that are drawn until others are chosen.
    """
    st.fragment(_draw)(view, found, at_first)


def _draw(view: ShownView, found: Sequence[Contender], at_first: Sequence[str]) -> None:
    names = [method.name for method in found]
    shown = st.segmented_control("Maps of", list(SHOWS), default=RATINGS, format_func=SHOWS.get, required=True, **_MAPS)
    first = [name for name in at_first if name in names]
    chosen = st.pills("of these methods", names, selection_mode="multi", default=first, **_METHODS)
    hidden = bool(view.run.task.hidden.nnz)
    if shown == ERRORS and not hidden:
        look.small("Nothing is hidden, so no error is known.")
        return
    low, high = view.run.range
    limit = (high - low) / 2
    legend = (
        legends.of_differences(limit, "too low", "too high") if shown == ERRORS else legends.of_ratings(low, high, True)
    )
    st.html(legend)
    pictures = [_truth(view)] if hidden and shown == RATINGS else []
    pictures += [_map(view, method, shown, limit) for method in found if method.name in chosen]
    for row in in_rows(pictures):
        look.draw_in(st.columns(len(row) if len(row) > 1 else 2, gap="medium"), row)


def in_rows(pictures: list, width: int = 3) -> list[list]:
    """Rows of ``width`` pictures, the last ones shorter; none has a single picture unless there is only one."""
    rows = [pictures[i : i + width] for i in range(0, len(pictures), width)]
    if len(rows) > 1 and len(rows[-1]) == 1:
        rows[-1].insert(0, rows[-2].pop())
    return rows


def _truth(view: ShownView) -> Picture:
    def make() -> Picture:
        low, high = view.run.range
        chart = rating_map(view.known, low, high, view.axes(), given=view.is_given, height=HEIGHT)
        return Picture("Truth", "where it is known", chart, "map-truth", "Heatmap of the true ratings, where known.")

    return view.once("map of the truth", make)


def _map(view: ShownView, method: Contender, shown: str, limit: float) -> Picture:
    def make() -> Picture:
        estimates, (low, high) = method.estimate(view), view.run.range
        detail = "" if method.rmse is None else f"RMSE {rounded(method.rmse)}"
        if shown == ERRORS:
            chart = signed_map(estimates - view.hidden, limit, view.axes(), given=view.is_given, height=HEIGHT)
            alt = f"Heatmap of estimate minus true rating by {method.name}; {detail}."
        else:
            chart = rating_map(estimates, low, high, view.axes(), given=view.is_given, height=HEIGHT)
            alt = f"Heatmap of the ratings as filled in by {method.name}; {detail}."
        return Picture(method.name, detail, chart, f"map-{shown}-{method.name}", alt)

    return view.once(("map", shown, method.name, method.rmse), make)
