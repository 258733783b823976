"""A filled table -> a picture of it, as SVG: for a slide, a handout, or a report."""

from __future__ import annotations

from html import escape

import numpy as np

from metamf.figures.style import RATING_COLOURS
from metamf.tables.filled import CLIPPED, HELD_OUT, IMPUTED, MISSING, OBSERVED, Filled
from metamf.tables.limits import TableError
from metamf.wording import counted, with_minus

LARGEST_PICTURE = 20_000  # cells of a picture; a file of some 4 MB, which browsers still draw at once
_NUMBERED = 3_000  # cells up to which each bears its number; more are not read
_WIDTH, _HEIGHT, _SMALL = 40, 22, 9  # pixels of a cell with a number, and of one without; chosen by eye
_LONGEST = 24  # characters of a name, chosen by eye; the whole one is shown where the pointer rests
_LETTER = 6.2  # pixels of a letter of 11 pixels, the mean of a sans serif typeface
_EMPTY, _INK, _PAPER = (221, 221, 221), "#1f2328", "#ffffff"
_DARK = 140  # brightness, of 255, below which letters on a colour are white; chosen by eye


def to_svg(filled: Filled) -> bytes:
    """The table as a map: a colour for each value, a dot where a rating was given, names, numbers and a legend.

    Texts of the table are written as texts, never as markup. The numbers stand in the cells of tables up to 3,000
    cells; of larger ones every cell tells its own where the pointer rests.

    Raises
    ------
    TableError
        if the table has more than 20,000 cells.
    """
    N, M = filled.ratings.shape
    if N * M > LARGEST_PICTURE:
        raise TableError(
            f"a picture holds {LARGEST_PICTURE:,} cells, the table has {N * M:,}: write CSV, Excel or Parquet"
        )
    numbered = N * M <= _NUMBERED
    width, height = (_WIDTH, _HEIGHT) if numbered else (_SMALL, _SMALL)
    rows, cols = filled.full_names
    left = 16 + _LETTER * max(map(len, map(_short, rows)))
    top = 16 + _LETTER * max(map(len, map(_short, cols)))
    low, high = _ends(filled)
    parts = []
    for m, name in enumerate(cols):
        x, y = left + (m + 0.5) * width + 4, top - 6
        parts.append(_name(x, y, name, f'transform="rotate(-90 {x:.1f} {y:.1f})"'))
    for n, name in enumerate(rows):
        y = top + n * height
        parts.append(_name(left - 6, y + height / 2 + 4, name, 'text-anchor="end"'))
        for m in range(M):
            parts.append(_cell(filled, n, m, left + m * width, y, numbered, (low, high)))
    across, down = left + max(M * width, 320) + 16, top + N * height + 62
    parts += _legend(filled, left, top + N * height + 16, low, high)
    title = f"{counted(N, 'row')}, {counted(M, 'column')}, filled in by {filled.method or 'estimates'}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{across:.0f}" height="{down:.0f}" '
        f'viewBox="0 0 {across:.0f} {down:.0f}" font-family="sans-serif" font-size="11" fill="{_INK}" role="img">'
        f'<title>{_plain(title)}</title><rect width="100%" height="100%" fill="{_PAPER}"/>{"".join(parts)}</svg>\n'
    ).encode()


def _ends(filled: Filled) -> tuple[float, float]:
    """The smallest and the largest value that is drawn; those of the rating scale where it is known and wider."""
    values, scale = filled.values[np.isfinite(filled.values)], filled.ratings.scale
    ends = [*values.tolist(), *([] if scale is None else [scale.minimum, scale.maximum])]
    return (min(ends), max(ends)) if ends else (0.0, 0.0)


def _cell(filled: Filled, n: int, m: int, x: float, y: float, numbered: bool, ends: tuple[float, float]) -> str:
    """One cell: its colour, the dot of a rating, its number, and what is said of it where the pointer rests."""
    value, kind = float(filled.values[n, m]), int(filled.kinds[n, m])
    width, height = (_WIDTH, _HEIGHT) if numbered else (_SMALL, _SMALL)
    rgb = _EMPTY if kind == MISSING else _colour(value, *ends)
    ink = _PAPER if np.dot(rgb, (0.299, 0.587, 0.114)) < _DARK else _INK
    box = f'<rect x="{x:.1f}" y="{y:.1f}" width="{width - 1}" height="{height - 1}" fill="#{bytes(rgb).hex()}"/>'
    if kind in (OBSERVED, HELD_OUT):
        hollow = f'fill="none" stroke="{ink}"' if kind == HELD_OUT else f'fill="{ink}"'
        box += f'<circle cx="{x + width - 5:.1f}" cy="{y + 4.5:.1f}" r="2" {hollow}/>'
    if numbered and kind != MISSING:
        slope = "" if kind in (OBSERVED, HELD_OUT) else ' font-style="italic"'
        mark = "↧" if kind == CLIPPED else ""
        centre = x + (width - 1) / 2
        box += _text(centre, y + 15, _number(value) + mark, f'text-anchor="middle" fill="{ink}"{slope}')
    return f"<g>{box}<title>{_plain(_cell_title(filled, n, m, kind))}</title></g>"


def _cell_title(filled: Filled, n: int, m: int, kind: int) -> str:
    """A cell in words: its name, its value, and how that is known."""
    value, estimate = _number(filled.values[n, m]), _number(filled.mean[n, m])
    interval = " to ".join(_number(end[n, m]) for end in filled.ends.values())
    known = {
        MISSING: "no estimate",
        OBSERVED: f"given, {value}",
        HELD_OUT: f"given, {value}; hidden from the method, which estimates {estimate}",
        CLIPPED: f"estimated, {value}, cut at the end of the scale",
    }.get(kind, f"estimated, {value}")
    known += f"; {interval}" if interval and kind in (IMPUTED, CLIPPED) else ""
    return f"{filled.full_names[0][n]}, {filled.full_names[1][m]}: {known}"


def _legend(filled: Filled, x: float, y: float, low: float, high: float) -> list[str]:
    """The colours from ``low`` to ``high``, and what the signs mean."""
    last = len(RATING_COLOURS) - 1
    stops = (f'<stop offset="{k / last:.3f}" stop-color="{colour}"/>' for k, colour in enumerate(RATING_COLOURS))
    meaning = {
        OBSERVED: "● given",
        HELD_OUT: "○ given, but hidden from the method",
        IMPUTED: "italic: estimated",
        CLIPPED: "↧ cut at the end of the scale",
        MISSING: "grey: no estimate",
    }
    kinds = set(np.unique(filled.kinds).tolist()) | {IMPUTED}
    kinds -= {IMPUTED} if filled.kinds.size > _NUMBERED else set()
    said = "; ".join(words for kind, words in meaning.items() if kind in kinds)
    bar = x + 8 + _LETTER * len(_number(low))
    return [
        f'<defs><linearGradient id="colours">{"".join(stops)}</linearGradient></defs>',
        _text(x, y + 9, _number(low)),
        f'<rect x="{bar:.1f}" y="{y:.1f}" width="120" height="10" fill="url(#colours)"/>',
        _text(bar + 128, y + 9, _number(high)),
        _text(x, y + 30, f"{said}. By {filled.method}." if filled.method else said),
    ]


def _colour(value: float, low: float, high: float) -> tuple[int, ...]:
    """Red, green and blue of a value between ``low`` and ``high``, as the app draws it."""
    place = 0.5 if high == low else (value - low) / (high - low)
    channels = zip(*(bytes.fromhex(colour[1:]) for colour in RATING_COLOURS))
    at = np.linspace(0, 1, len(RATING_COLOURS))
    return tuple(round(float(np.interp(place, at, channel))) for channel in channels)


def _name(x: float, y: float, name: str, more: str) -> str:
    """A name beside the map; one that is too long is cut, and whole in what is said where the pointer rests."""
    short = _short(name)
    return _text(x, y, short, more, f"<title>{_plain(name)}</title>" if short != name else "")


def _text(x: float, y: float, words: str, more: str = "", title: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{_plain(words)}{title}</text>'


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"


def _plain(words: str) -> str:
    """Words for XML: no markup, and no character that XML does not know."""
    return escape("".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in words))


def _number(value: float) -> str:
    return with_minus(f"{value:.3g}")
