"""The matrix of a room as a table of HTML: a row for each student, a column for each thing. All texts are escaped."""

from __future__ import annotations

from html import escape

import numpy as np

from metamf.figures.style import RATING_COLOURS
from metamf.webapp.experiments.agreement import Agreement
from metamf.webapp.rooms.findings import row_name
from metamf.webapp.rooms.room import Room, Scale
from metamf.wording import rounded

_TOLD = 0.25  # share of the scale's length from which a surprise is marked; one star of five
_MARKED = 2  # surprises of one student that are marked at the most
_MANY = 16  # students from which rows are low
_DARK = 3  # colours that take white text, from the dark end; the others take dark text: at least 4.5 : 1


def matrix_table(
    room: Room, filled: np.ndarray | None = None, found: Agreement | None = None, names: bool = True
) -> str:
    """The table.

    Parameters
    ----------
    room : the room
    filled : (N, M) ratings and estimates; None: empty cells stay empty
    found : the agreement of a revealed room, whose surprises are marked
    names : whether the students' names are shown, rather than their numbers
    """
    marked = set() if found is None else marks(found, room.scale)
    head = "".join(
        f'<th scope="col"><span title="{_text(item.name)}">{_text(item.name)}</span></th>' for item in room.items
    )
    last = "" if found is None else '<th scope="col" class="n"><span>typical surprise</span></th>'
    rows = []
    for n, student in enumerate(room.students):
        cells = []
        for m, item in enumerate(room.items):
            value = student.ratings.get(item.id)
            if value is None:
                cells.append(_estimate(None if filled is None else float(filled[n, m]), room.scale))
            else:
                surprise = float(found.surprise[n, m]) if found is not None and (n, m) in marked else None
                cells.append(_given(value, surprise, room.scale))
        if found is not None:
            departure = found.departure[n]
            cells.append(f'<td class="n">{"" if np.isnan(departure) else rounded(departure)}</td>')
        name = row_name(student, n, names)
        rows.append(f'<tr><th scope="row">{_text(name)}</th>{"".join(cells)}</tr>')
    many = " room-many" if len(room.students) > _MANY else ""
    return (
        f'<div class="room-table{many}" role="region" aria-label="Ratings of the class" tabindex="0"><table>'
        f"<thead><tr><td></td>{head}{last}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def legend(scale: Scale, filled: bool, revealed: bool) -> str:
    """Legend of the table: the meaning of its colours and marks."""
    colours = ", ".join(RATING_COLOURS)
    parts = [
        f'<span>{scale.low}</span><i style="background:linear-gradient(90deg,{colours})"></i><span>{scale.high}</span>',
        '<span class="room-key"><b class="c6">4</b> rated</span>',
    ]
    if filled:
        parts.append('<span class="room-key"><em class="c4">3.4</em> estimated</span>')
    if revealed:
        parts.append("<span>▲ higher, ▼ lower than expected from other ratings</span>")
    return f'<div class="mf-legend room-legend">{"".join(parts)}</div>'


def marks(found: Agreement, scale: Scale) -> set[tuple[int, int]]:
    """The cells whose surprise is marked: of each student the largest ones that are large."""
    least = _TOLD * (scale.high - scale.low)
    return {
        (n, m) for n in range(len(found.X)) for m in found.surprises(n, _MARKED) if abs(found.surprise[n, m]) >= least
    }


def colour_style() -> str:
    """The style sheet of the colours, which a table's classes c0 to c7 name."""
    rules = []
    for k, colour in enumerate(RATING_COLOURS):
        text = "#ffffff" if k < _DARK else "#14181d"
        rules.append(f".room-table .c{k}, .room-key .c{k} {{ background: {colour}; color: {text}; }}")
    return f"<style>{' '.join(rules)}</style>"


def _given(value: int, surprise: float | None, scale: Scale) -> str:
    if surprise is None:
        return f'<td class="{_colour(value, scale)}">{value}</td>'
    mark, word = ("▲", "higher") if surprise > 0 else ("▼", "lower")
    said = f"{word} by {rounded(abs(surprise))} than expected"
    return (
        f'<td class="{_colour(value, scale)} room-mark" title="{said}">{value}<sup aria-hidden="true">{mark}</sup>'
        f'<span class="room-said">, {said}</span></td>'
    )


def _estimate(value: float | None, scale: Scale) -> str:
    if value is None or np.isnan(value):
        return "<td></td>"
    return f'<td class="room-guess"><em class="{_colour(value, scale)}">{value:.1f}</em></td>'


def _colour(value: float, scale: Scale) -> str:
    share = (value - scale.low) / (scale.high - scale.low)
    return f"c{int(np.clip(round(share * (len(RATING_COLOURS) - 1)), 0, len(RATING_COLOURS) - 1))}"


def _text(text: str) -> str:
    return escape(text, quote=True)
