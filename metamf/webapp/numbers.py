"""Tables of the numbers behind a figure, as HTML. Text from outside is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

LONGEST = 300  # lines of a table; it is read line by line, or not at all


def table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of numbers as HTML, all texts escaped; of a long one the first lines.

    Parameters
    ----------
    caption : sentence on what the numbers are
    head : names of the columns
    rows : lines, whose first text names the line
    """
    left_out = len(rows) - LONGEST
    said = f"{caption} The first {LONGEST} of {len(rows):,} lines." if left_out > 0 else caption
    columns = "".join(f'<th scope="col">{escape(name)}</th>' if name else "<td></td>" for name in head)
    lines = "".join(
        f'<tr><th scope="row">{escape(name)}</th>{"".join(f"<td>{escape(value)}</td>" for value in values)}</tr>'
        for name, *values in rows[:LONGEST]
    )
    return (
        f'<div class="mf-scroll" tabindex="0" role="region" aria-label="{escape(caption)}"><table class="mf-values">'
        f"<caption>{escape(said)}</caption><thead><tr>{columns}</tr></thead><tbody>{lines}</tbody></table></div>"
    )
