"""A filled table -> a picture of it, as SVG: for a slide, a handout, or a report."""

from __future__ import annotations

from html import escape

import numpy as np

from metamf.figures.style import RATING_COLOURS
from metamf.tables.filled import CLIPPED, HELD_OUT, MISSING, OBSERVED, Filled
from metamf.tables.limits import TableError
from metamf.wording import counted, with_minus

LARGEST_PICTURE = 20_000  # cells of a picture; a file of some 4 MB, which browsers still draw at once
_NUMBERED = 3_000  # cells up to which each bears its number; more are not read
_WIDTH, _HEIGHT, _SMALL = 40, 22, 9  # pixels of a cell with a number, and of one without; chosen by eye
_LONGEST = 24  # characters of a name, chosen by eye; the whole one is shown where the pointer rests
_LETTER = 6.2  # pixels of a letter of 11 pixels, the mean of a sans serif typeface
_EMPTY, _INK, _PAPER = "#dddddd", "#1f2328", "#ffffff"
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
    colour = _EMPTY if kind == MISSING else _colour(value, *ends)
    ink = _ink(colour)
    box = f'<rect x="{x:.1f}" y="{y:.1f}" width="{width - 1}" height="{height - 1}" fill="{colour}"/>'
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
    value, name = _number(float(filled.values[n, m])), f"{filled.full_names[0][n]}, {filled.full_names[1][m]}"
    if kind == MISSING:
        return f"{name}: no estimate"
    if kind == OBSERVED:
        return f"{name}: given, {value}"
    if kind == HELD_OUT:
        return f"{name}: given, {value}; hidden from the method, which estimates {_number(float(filled.mean[n, m]))}"
    cut = ", cut at the end of the scale" if kind == CLIPPED else ""
    if filled.lower is None or filled.upper is None:
        return f"{name}: estimated, {value}{cut}"
    return f"{name}: estimated, {value}{cut}; {_number(filled.lower[n, m])} to {_number(filled.upper[n, m])}"


def _legend(filled: Filled, x: float, y: float, low: float, high: float) -> list[str]:
    """The colours from ``low`` to ``high``, and what the signs mean."""
    stops = "".join(
        f'<stop offset="{k / (len(RATING_COLOURS) - 1):.3f}" stop-color="{colour}"/>'
        for k, colour in enumerate(RATING_COLOURS)
    )
    kinds = set(np.unique(filled.kinds).tolist())
    signs = ["● given"] if OBSERVED in kinds else []
    signs += ["○ given, but hidden from the method"] if HELD_OUT in kinds else []
    signs += ["italic: estimated"] if filled.ratings.shape[0] * filled.ratings.shape[1] <= _NUMBERED else []
    signs += ["↧ cut at the end of the scale"] if CLIPPED in kinds else []
    signs += ["grey: no estimate"] if MISSING in kinds else []
    said = "; ".join(signs)
    if filled.method:
        said += f". By {filled.method}."
    bar = x + 8 + _LETTER * len(_number(low))
    return [
        f'<defs><linearGradient id="colours">{stops}</linearGradient></defs>',
        _text(x, y + 9, _number(low)),
        f'<rect x="{bar:.1f}" y="{y:.1f}" width="120" height="10" fill="url(#colours)"/>',
        _text(bar + 128, y + 9, _number(high)),
        _text(x, y + 30, said),
    ]


def _colour(value: float, low: float, high: float) -> str:
    """The colour of a value between ``low`` and ``high``, as the app draws it."""
    place = 0.5 if high == low else (value - low) / (high - low)
    at = float(np.clip(place, 0, 1)) * (len(RATING_COLOURS) - 1)
    below = min(int(at), len(RATING_COLOURS) - 2)
    one, other = (_rgb(RATING_COLOURS[k]) for k in (below, below + 1))
    return "#" + "".join(f"{round(a + (at - below) * (b - a)):02x}" for a, b in zip(one, other))


def _ink(colour: str) -> str:
    """Black or white: what is read on ``colour``."""
    red, green, blue = _rgb(colour)
    return _PAPER if 0.299 * red + 0.587 * green + 0.114 * blue < _DARK else _INK


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


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
