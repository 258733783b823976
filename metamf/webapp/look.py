"""The look of the pages: style sheet, titles, sentences, tiles, tables and figures. Text from
outside is escaped.

``marked`` gives the first occurrence of each term of ``metamf.webapp.glossary`` on a page a
``title``, and ``words_of_page`` lists the terms of the page. Plotly is imported only by the pages
that make a figure.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Hashable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from metamf.figures.style import RATING_COLOURS
from metamf.figures.window import LARGEST_WINDOW, Window
from metamf.webapp import address
from metamf.webapp.glossary import ANY_FORM, BY_KEY, KEY_OF_FORM, TERMS

if TYPE_CHECKING:
    import plotly.graph_objects as go

# in the session: what each place is for, and which of its containers is in use
_TURNS = "turns_of_places"
LECTURE = "lecture"  # in the session: whether this visit is in lecture mode
_CONFIG = {
    "displaylogo": False,
    "modeBarButtons": [["toImage"]],
    "doubleClick": False,
    "scrollZoom": False,
}
_JOINER = "\u2060"  # takes no place: addresses, icons and colours are not found behind it
_BEGINS_LINK = ":.@"
_ADDRESS = re.compile(r"(?i)\b(https?:|ftp:|mailto:|xmpp:|www\.)|@")
STYLE = Path(__file__).with_name("style.css")  # that all pages share
LONGEST_TABLE = 300  # lines of a table of numbers
_DARK = 3  # colours of ratings that take white text, from the dark end; the others take dark text
_explained: ContextVar[set[str] | None] = ContextVar(
    "explained", default=None
)  # on this page, in this run


def begin_page() -> None:
    """Begins a page, no word of which is explained yet."""
    _explained.set(set())


def words_of_page() -> None:
    """Draws, folded, the terms that occurred on the page so far, with their meanings."""
    found = _explained.get()
    if found:
        items = "".join(
            f"<dt>{escape(term.name)}</dt><dd>{escape(term.meaning)}</dd>"
            for term in TERMS
            if term.key in found
        )
        with st.expander("Words on this page"):
            st.html(f'<dl class="mf-meanings">{items}</dl>')


def marked(sentence: str) -> str:
    """Returns a sentence as escaped HTML, in which terms are explained at their first occurrence on
    the page.

    A fragment that is redrawn explains the terms of each sentence again.
    """
    page = _explained.get()
    seen = set() if page is None else page
    parts = []
    end = 0
    for match in ANY_FORM.finditer(sentence):
        key = KEY_OF_FORM.get(match[0]) or KEY_OF_FORM[match[0].lower()]
        if key in seen:
            continue
        seen.add(key)
        parts += [escape(sentence[end : match.start()]), term(key, match[0])]
        end = match.end()
    return "".join([*parts, escape(sentence[end:])])


def term(key: str, word: str | None = None) -> str:
    """Returns a word with its meaning as ``title``, as HTML: ``word``, or the headword of
    ``key``."""
    shown = BY_KEY[key].name if word is None else word
    return f'<span class="mf-term" title="{escape(BY_KEY[key].meaning)}">{escape(shown)}</span>'


def title(text: str, lead: str = "") -> None:
    below = lead and f"<p>{marked(lead)}</p>"
    st.html(f'<header class="mf-title"><h1>{escape(text)}</h1>{below}</header>')


def heading(text: str) -> None:
    st.html(f'<h2 class="mf-heading">{escape(text)}</h2>')


def panel(name: str, detail: str = "") -> None:
    """Draws the heading above a figure, always one line high."""
    st.html(f'<div class="mf-panel"><b>{escape(name)}</b><span>{escape(detail)}</span></div>')


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure with its heading, its key in Streamlit, its alternative text, the sentence below it,
    and its numbers.

    ``table`` is HTML, as the function ``table`` returns it.
    """

    name: str
    detail: str
    chart: go.Figure
    key: str
    alt: str
    table: str
    below: str = ""

    def draw(self) -> None:
        """Draws heading, figure with a button that saves it, sentence and, folded, the table.

        Lecture mode draws a larger figure, under its own key, since Plotly lays out the legend for
        the size it met first.
        """
        panel(self.name, self.detail)
        key = self.key
        chart = self.chart
        if st.session_state.get(LECTURE):
            from metamf.figures.lines import larger

            key = f"lecture-{key}"
            chart = larger(chart)
        saving = {"filename": f"metamf {self.name}", "scale": 3}
        st.plotly_chart(
            chart,
            key=f"figure-{key}",
            config=_CONFIG | {"toImageButtonOptions": saving},
            alt=self.alt,
        )
        if self.below:
            small(self.below)
        with st.expander("The numbers behind the picture"):
            st.html(self.table)


def table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns a table of numbers as HTML, of which a long one is cut; the first text of a row names
    it."""
    if len(rows) > LONGEST_TABLE:
        caption = f"{caption} The first {LONGEST_TABLE} lines."
    columns = "".join(
        f'<th scope="col">{escape(name)}</th>' if name else "<td></td>" for name in head
    )
    lines = "".join(
        f'<tr><th scope="row">{escape(name)}</th>{"".join(f"<td>{escape(value)}</td>" for value in values)}</tr>'
        for name, *values in rows[:LONGEST_TABLE]
    )
    return (
        f'<div class="mf-scroll" tabindex="0" role="region" aria-label="{escape(caption)}"><table '
        'class="mf-values">'
        f"<caption>{escape(caption)}</caption><thead><tr>{columns}</tr></thead><tbody>{lines}</tbody></table></div>"
    )


def number_table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns a small table as HTML; the first text of a row names it, the others are numbers."""
    first, *others = names
    head = "".join(f'<th scope="col" class="n">{name}</th>' for name in others)
    lines = ""
    for name, *values in rows:
        numbers = "".join(f'<td class="n">{value}</td>' for value in values)
        lines += f'<tr><td class="place">{escape(name)}</td>{numbers}</tr>'
    return (
        f'<table class="mf-table"><thead><tr><th scope="col">{first}</th>{head}</tr></thead>'
        f"<tbody>{lines}</tbody></table>"
    )


def finding(sentence: str) -> None:
    """Draws a sentence in large type, the result shown on the page."""
    st.html(f'<p class="mf-finding">{marked(sentence)}</p>')


def small(sentence: str) -> None:
    st.html(f'<p class="mf-small">{marked(sentence)}</p>')


def note(sentence: str, kind: str = "note") -> None:
    """Draws a sentence set apart from the rest; ``kind`` is 'note' or 'warning'."""
    text = marked(sentence) if kind == "note" else escape(sentence)  # a warning explains no terms
    st.html(f'<p class="mf-note mf-{kind}" role="note">{text}</p>')


def note_with_button(
    sentence: str, label: str, key: str, act: Callable[..., None], *about: Any
) -> None:
    """Draws a note, and next to it a button that calls ``act(*about)``."""
    words, button = st.columns([3, 1], vertical_alignment="center")
    with words:
        note(sentence)
    button.button(label, key=key, on_click=act, args=about)


def choose_window(
    shape: tuple[int, int], largest: int = LARGEST_WINDOW, prefix: str = ""
) -> tuple[Window, DeltaGenerator | None]:
    """Draws the choice of the rows and columns of a matrix that are shown, where there are more
    than ``largest``.

    Returns the window, and the place next to the choice or None where there is none. ``prefix``
    begins the names in the URL.
    """
    N, M = shape
    if max(shape) <= largest:
        return Window.of(shape), None
    words, top, left = st.columns([3, 1, 1], vertical_alignment="bottom")
    row = top.number_input("First row", 1, N, 1, **address.control(f"{prefix}top"))
    col = left.number_input("First column", 1, M, 1, **address.control(f"{prefix}left"))
    return Window.of(shape, row - 1, col - 1, largest), words


def as_markdown(name: str) -> str:
    """Escapes text from outside for a place that Streamlit reads as Markdown, such as a label."""
    shown = (f"\\{c}" if c in string.punctuation else c for c in name)
    return "".join(c + _JOINER if c[-1] in _BEGINS_LINK else c for c in shown)


def as_hidden_label(name: str) -> str:
    """Escapes text from outside for a label that is only read aloud. Streamlit reads it as
    Markdown, too, but backslashes would be spoken. So square brackets become round ones, without
    which there is no image to fetch, and addresses are no links."""
    return _ADDRESS.sub(rf"\g<0>{_JOINER}", name.replace("[", "(").replace("]", ")"))


def tiles(items: list[tuple[str, str, str]]) -> None:
    """Draws tiles side by side; an item holds a name, a number and the meaning of the number."""
    cells = "".join(
        f"<div><span>{escape(name)}</span><b>{escape(value)}</b><p>{marked(text)}</p></div>"
        for name, value, text in items
    )
    st.html(f'<div class="mf-tiles">{cells}</div>')


def rating_style(value: float, low: float, high: float) -> str:
    """Returns the colours of a rating's background and of the text on it, which has a contrast of
    4.5 at least."""
    last = len(RATING_COLOURS) - 1
    k = min(max(round(last * (value - low) / (high - low)), 0), last)
    return f"background:{RATING_COLOURS[k]};color:{'#ffffff' if k < _DARK else '#14181d'}"


def place(name: str, key: Hashable) -> DeltaGenerator:
    """Returns a container that is cleared as soon as ``key`` changes.

    The browser keeps the old elements of a container until the run has replaced them or is over, so
    the table of the file before would stay while a new one is read. There are two containers, and
    another ``key`` switches to the other. ``name`` is used once in a run.
    """
    turns = st.session_state.setdefault(_TURNS, {})
    before, turn = turns.get(name, (key, 0))
    turn = turn if before == key else 1 - turn
    turns[name] = key, turn
    both = [st.container() if at == turn else st.empty() for at in range(2)]
    return both[turn]
