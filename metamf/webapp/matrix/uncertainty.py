"""How sure the model is: the width of every cell's interval, and the intervals of hidden cells beside their ratings."""

from __future__ import annotations

import numpy as np

from metamf.figures.lines import interval_strip
from metamf.figures.maps import rating_map
from metamf.tasks.view import View
from metamf.webapp import look
from metamf.webapp.look import Picture
from metamf.webapp.matrix import words
from metamf.wording import percent

HEIGHT = 320  # pixels


def pictures(view: View) -> list[Picture]:
    """The map of widths and, if cells are hidden, their intervals; none where the checkpoint gives no intervals."""
    if view.ends is None:
        return []
    found = view.run.summaries[-1]
    return [_widths(view, percent(found.level)), *([_strip(view)] if found.n_hidden else [])]


def _widths(view: View, level: str) -> Picture:
    name, detail = "How sure it is", f"width of the {level} interval"
    if np.isnan(view.spread).all():
        return Picture(name, detail, below="Every cell that is shown was given.")
    low, high = float(np.nanmin(view.spread)), float(np.nanmax(view.spread))
    high = high if high > low else low + 1.0
    return Picture(
        name,
        detail,
        rating_map(view.spread, low, high, view.axes(show_cols=False), numbers=False, height=HEIGHT),
        "widths",
        f"Heatmap of the width of the {level} interval of each cell that is not given.",
        look.rating_legend(round(low, 2), round(high, 2)),
        "Bright cells are uncertain; given ones are left empty.",
    )


def _strip(view: View) -> Picture:
    found = view.run.summaries[-1]
    inside = words.inside(found)
    return Picture(
        "Does it hold?",
        inside,
        interval_strip(*view.run.hidden_intervals, height=HEIGHT),
        "intervals",
        f"Intervals of hidden cells beside their true ratings: {inside}.",
        below=words.about_intervals(found),
    )
