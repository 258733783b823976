"""Intervals of the hidden cells beside their ratings: how sure the model is. The player draws how wide they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metamf.evaluate.run import View
from metamf.webapp import look
from metamf.webapp.look import Picture
from metamf.webapp.matrix import words
from metamf.wording import counted, rounded

if TYPE_CHECKING:
    from metamf.evaluate.run import ShownIntervals

HEIGHT = 320  # pixels


def strip(view: View) -> Picture | None:
    """The intervals of hidden cells; None where the checkpoint gives no intervals or no cell is hidden."""
    run, shown = view.run, view.run.hidden_intervals
    if shown is None or not run.task.hidden.nnz:
        return None
    from metamf.figures.lines import interval_strip  # with Plotly

    inside = words.inside(run)
    return Picture(
        "Does it hold?",
        inside,
        interval_strip(*shown, height=HEIGHT),
        "intervals",
        alternative_text(shown, inside),
        below=words.about_intervals(run),
        table=table_of(shown),
    )


def alternative_text(shown: ShownIntervals, inside: str) -> str:
    """Returns the text of the intervals that are drawn; ``inside``: how many of all hold, in words."""
    low, high = (rounded(float(end)) for end in (shown.estimate.min(), shown.estimate.max()))
    narrow, wide = (rounded(float(end)) for end in sorted(shown.upper - shown.lower)[:: max(len(shown.lower) - 1, 1)])
    count = counted(len(shown.lower), "interval")
    return (
        f"{count} of hidden cells beside their true ratings, sorted by their estimates, {low} to {high}; {narrow} to "
        f"{wide} wide. {inside}."
    )


def table_of(shown: ShownIntervals) -> str:
    """Returns the table of the intervals that are drawn, sorted by their estimates."""
    columns = shown.estimate, shown.lower, shown.upper, shown.truth
    lines = [
        [str(place), *(rounded(float(values[at])) for values in columns)]
        for place, at in enumerate(shown.estimate.argsort(), 1)
    ]
    return look.table("Intervals of hidden cells.", ["place", "estimate", "from", "to", "true rating"], lines)
