"""How sure the model is: the width of every cell's interval, and the intervals of hidden cells beside their ratings."""

from __future__ import annotations

import numpy as np
import streamlit as st

from metamf import wording
from metamf.figures.lines import interval_strip
from metamf.figures.maps import rating_map
from metamf.tasks.run import LEVEL
from metamf.tasks.view import View
from metamf.webapp import look
from metamf.webapp.matrix import words

HEIGHT = 320


def draw(view: View) -> None:
    """Where the checkpoint gives intervals these; otherwise one sentence that says so."""
    run, level = view.run, wording.percent(LEVEL)
    if view.ends is None:
        look.small(words.no_intervals(run))
        return
    widths, strip = st.columns([1, 1.6], gap="large")
    with widths:
        look.panel("How sure it is", f"width of the {level} interval")
        if np.isnan(view.spread).all():
            look.small("Every cell that is shown was given.")
        else:
            low, high = float(np.nanmin(view.spread)), float(np.nanmax(view.spread))
            high = high if high > low else low + 1.0
            axes = view.axes(show_cols=False)
            chart = rating_map(view.spread, low, high, axes, numbers=False, height=HEIGHT)
            look.figure(
                chart, "widths", f"Heatmap of the width of the {level} interval of each cell that is not given."
            )
            look.rating_legend(round(low, 2), round(high, 2))
            look.small("Bright cells are uncertain; given ones are left empty.")
    if run.hidden_errors is None:
        return
    with strip:
        inside = words.inside(run)
        look.panel("Does it hold?", inside)
        chart = interval_strip(*run.hidden_intervals, height=HEIGHT)
        look.figure(chart, "intervals", f"Intervals of hidden cells beside their true ratings: {inside}.")
        look.small(words.about_intervals(run))
