"""Intervals of the hidden cells beside their ratings: how sure the model is. The player draws how wide they are."""

from __future__ import annotations

from metamf.tasks.view import View
from metamf.webapp.look import Picture
from metamf.webapp.matrix import words

HEIGHT = 320  # pixels; chosen by hand


def strip(view: View) -> Picture | None:
    """The intervals of hidden cells; None where the checkpoint gives no intervals or no cell is hidden."""
    found = view.run.summaries[-1]
    if view.ends is None or not found.n_hidden:
        return None
    from metamf.figures.lines import interval_strip  # with Plotly

    inside = words.inside(found)
    return Picture(
        "Does it hold?",
        inside,
        interval_strip(*view.run.hidden_intervals, height=HEIGHT),
        "intervals",
        f"Intervals of hidden cells beside their true ratings: {inside}.",
        below=words.about_intervals(found),
    )
