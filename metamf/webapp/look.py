"""The look of the pages: style sheet, titles, legends, figures and tiles. Text from outside is always escaped.

Sentences explain the words of the field (``metamf.webapp.glossary``). Plotly is not imported here: pages come
without it until one of them makes a figure.
"""

from __future__ import annotations

import string
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from metamf.figures.style import ABOVE, BELOW, RATING_COLOURS, WIDTH, WIDTH_ALPHA, rgba
from metamf.webapp.glossary import marked
from metamf.wording import with_minus

if TYPE_CHECKING:
    import plotly.graph_objects as go

LECTURE = "lecture"  # in the session: whether this visit is in lecture mode
CONFIG = {"displayModeBar": False, "doubleClick": False, "scrollZoom": False}
_CELL = f'<em style="background:{RATING_COLOURS[3]}">{{}}</em>'
_GIVEN = f'<span class="mf-key">{_CELL.format("<u></u>")}given</span>'
_WHOLE = 0.995  # of the scale from which a width counts as the whole, and of a width as equal; chosen by hand
_JOINER = "\u2060"  # takes no place: addresses, icons and colours are not found behind it
_BEGINS_LINK = ":.@"
_STYLE = Path(__file__).with_name("style.css")
_NO_CONTROLS = Path(__file__).with_name("no_controls.css")


def apply_style() -> None:
    """Applies the style sheet of all pages."""
    st.html(_STYLE)


def hide_controls() -> None:
    """Hides the sidebar's controls on a page that they do not affect.

    The navigation, which a phone shows in the sidebar, stays.
    """
    st.html(_NO_CONTROLS)


def title(text: str, lead: str) -> None:
    """Draws the title of a page and the sentence below it."""
    st.html(f'<header class="mf-title"><h1>{escape(text)}</h1><p>{marked(lead)}</p></header>')


def panel(name: str, detail: str = "") -> None:
    """Draws the heading above a figure, always one line high."""
    st.html(f'<div class="mf-panel"><b>{escape(name)}</b><span>{escape(detail)}</span></div>')


def figure(chart: go.Figure, key: str, alt: str) -> None:
    """Draws a figure; ``alt`` is its alternative text."""
    st.plotly_chart(for_the_room(chart), key=key, config=CONFIG, alt=alt)


def for_the_room(chart: go.Figure) -> go.Figure:
    """A figure as this visit draws it: larger in lecture mode."""
    if not st.session_state.get(LECTURE):
        return chart
    from metamf.figures.larger import larger

    return larger(chart)


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure with its heading, its legend and a sentence below it, ready to be drawn.

    Attributes
    ----------
    name, detail : texts of the heading
    chart : the figure; None where a sentence takes its place
    key : key of the figure in Streamlit
    alt : alternative text of the figure
    legend : the legend as HTML
    below : the sentence below the figure
    """

    name: str
    detail: str = ""
    chart: go.Figure | None = None
    key: str = ""
    alt: str = ""
    legend: str = ""
    below: str = ""

    def draw(self) -> None:
        """Draws heading, figure, legend and sentence."""
        panel(self.name, self.detail)
        if self.chart is not None:
            figure(self.chart, self.key, self.alt)
        if self.legend:
            st.html(self.legend)
        if self.below:
            small(self.below)


def draw_in(places: Iterable, pictures: Iterable[Picture]) -> None:
    """Draws each picture in its place."""
    for place, picture in zip(places, pictures):
        with place:
            picture.draw()


def finding(sentence: str) -> None:
    """Draws a sentence in large type: what one sees on the page."""
    st.html(f'<p class="mf-finding">{marked(sentence)}</p>')


def small(sentence: str) -> None:
    """Draws a sentence in small type."""
    st.html(f'<p class="mf-small">{marked(sentence)}</p>')


def note(sentence: str, kind: str = "note") -> None:
    """Draws a sentence set apart from the rest; ``kind`` is 'note' or 'warning'."""
    text = marked(sentence) if kind == "note" else escape(sentence)  # a warning asks for something, in plain words
    st.html(f'<p class="mf-note mf-{kind}" role="note">{text}</p>')


def as_markdown(name: str) -> str:
    """Text from outside, such as a name, for a place where Streamlit reads Markdown, such as a label: shown as it is,
    without links, images, formulas, icons or colours."""
    shown = (f"\\{c}" if c in string.punctuation else c for c in name)
    return "".join(c + _JOINER if c[-1] in _BEGINS_LINK else c for c in shown)


def tiles(items: list[tuple[str, str, str]]) -> None:
    """Draws tiles side by side; each item holds a name, a number and the meaning of the number."""
    cells = "".join(
        f"<div><span>{escape(name)}</span><b>{escape(value)}</b><p>{marked(text)}</p></div>"
        for name, value, text in items
    )
    st.html(f'<div class="mf-tiles">{cells}</div>')


def rating_legend(low: float, high: float, dotted: bool = False) -> str:
    """The legend of a map of ratings as HTML: its colours from ``low`` to ``high``, and the dot if the map has dots."""
    colours = ", ".join(RATING_COLOURS)
    lowest, highest = (with_minus(f"{end:.4g}") for end in (low, high))
    return (
        f'<div class="mf-legend"><span>{lowest}</span>'
        f'<i style="background:linear-gradient(90deg,{colours})"></i><span>{highest}</span>'
        f"{_GIVEN if dotted else ''}</div>"
    )


def width_legend(low: float, high: float, ends: tuple[float, float] | None) -> str:
    """The legend of a map of interval widths as HTML: its colours from ``low`` to ``high``, or words if all are alike.

    What an interval as wide as the whole scale means is said in words, too.

    Parameters
    ----------
    low, high : float
        The smallest and the largest width, in rating units.
    ends : (float, float) or None
        The ends of the rating scale; None where it is not known.
    """
    whole = np.inf if ends is None else ends[1] - ends[0]
    if low >= _WHOLE * whole:
        lowest, highest = (with_minus(f"{end:.4g}") for end in ends)
        said = f"It knows nothing here: every interval is the whole scale, {lowest} to {highest}."
        return f'<div class="mf-legend">{said}</div>'
    if high - low < (1 - _WHOLE) * high:
        return f'<div class="mf-legend">Every interval is {low:.3g} wide.</div>'
    pale, strong = (rgba(WIDTH, alpha) for alpha in (WIDTH_ALPHA, 1))
    said = f"<span>{whole:.4g} is the whole scale: there it knows nothing</span>" if high >= _WHOLE * whole else ""
    return (
        f'<div class="mf-legend"><span>sure, {low:.3g} wide</span>'
        f'<i style="background:linear-gradient(90deg,{pale},{strong})"></i>'
        f"<span>{high:.3g} wide, unsure</span>{said}</div>"
    )


def signed_legend(limit: float, below: str, above: str) -> str:
    """The legend of a map of differences as HTML: its colours from ``-limit`` to ``limit``, a word at each end."""
    low, high = (f"rgb({r}, {g}, {b})" for r, g, b in (BELOW, ABOVE))
    return (
        f'<div class="mf-legend"><span>{escape(below)} −{limit:.3g}</span>'
        f'<i style="background:linear-gradient(90deg,{low},transparent,{high})"></i>'
        f"<span>+{limit:.3g} {escape(above)}</span></div>"
    )
