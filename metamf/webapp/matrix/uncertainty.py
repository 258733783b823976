"""Intervals of the hidden cells beside their ratings: how sure the model is. The player draws how wide they are."""

from __future__ import annotations

from metamf.evaluate.run import View
from metamf.webapp import look
from metamf.webapp.matrix import words
from metamf.wording import counted, rounded

HEIGHT = 320  # pixels


def strip(view: View, height: int = HEIGHT) -> look.Picture | None:
    """The intervals of hidden cells; None where the checkpoint gives no intervals or no cell is hidden."""
    run, shown = view.run, view.run.hidden_intervals
    if shown is None or not run.task.hidden.nnz:
        return None
    from metamf.figures.lines import interval_strip  # with Plotly

    inside = words.inside(run)
    low, high = (rounded(float(end)) for end in (shown.estimate.min(), shown.estimate.max()))
    widths = sorted(shown.upper - shown.lower)
    narrow, wide = rounded(float(widths[0])), rounded(float(widths[-1]))
    alt = (
        f"{counted(len(widths), 'interval')} of hidden cells beside their true ratings, sorted by their estimates, "
        f"{low} to {high}; {narrow} to {wide} wide. {inside}."
    )
    columns = shown.estimate, shown.lower, shown.upper, shown.truth
    lines = [
        [str(place), *(rounded(float(values[at])) for values in columns)]
        for place, at in enumerate(shown.estimate.argsort(), 1)
    ]
    table = look.table("Intervals of hidden cells.", ["place", "estimate", "from", "to", "true rating"], lines)
    chart, below = interval_strip(*shown, height=height), words.about_intervals(run)
    return look.Picture("Does it hold?", inside, chart, "intervals", alt, table, below)
