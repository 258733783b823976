"""Maps of ratings and of signed values, from plain arrays. Nothing here knows of Streamlit.

Ratings are drawn on one sequential scale (viridis), signed values on one that fades into the background at zero, blue
below and orange above; both keep their order for every common colour vision. A dot marks a cell whose rating was given:
what is known is never told by colour alone.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from html import escape, unescape

import numpy as np
import plotly.graph_objects as go

from metamf.figures.names import cleaned, shortened
from metamf.figures.style import ABOVE, BELOW, EMPTY, RATING_COLOURS, TRANSPARENT, rgba
from metamf.figures.window import DOTTED, Axes

NAMED_CELLS = 4000  # up to here the text under the pointer holds the names of every cell
_LONGEST_LABEL = 7.8  # width of a name beside a map, in sizes of its type, about 16 letters
_LONGEST_HOVER = 80  # characters of a name under the pointer
_NUMBERED_COLS = 15  # up to here, and where rows are high enough, every cell shows its number


def rating_map(
    X: np.ndarray,
    low: float,
    high: float,
    axes: Axes = Axes(),
    *,
    given: np.ndarray | None = None,
    notes: np.ndarray | None = None,
    numbers: bool = True,
    height: int = 420,
) -> go.Figure:
    """A map of ratings.

    Parameters
    ----------
    X : (n, m) ratings, NaN where there is none, in rating units
    low, high : ratings at the two ends of the colours
    axes : names of the rows and columns
    given : (n, m) whether the rating of the cell was given, which a dot marks; None: no dots
    notes : (n, m) a word on each cell for the text under the pointer, such as "given"
    numbers : whether cells that are large enough show their number
    height : in pixels
    """
    figure = _map(X, axes, height, low, high, _steps(RATING_COLOURS), notes, "{:.2f}")
    n, m = X.shape
    row_height = (height - figure.layout.margin.t) / n
    numbered = numbers and m <= _NUMBERED_COLS and row_height >= 13
    if numbered:
        _write_numbers(figure, X, black_is_read(((X - low) / (high - low)).clip(0, 1)), given, axes)
    if given is not None and given.any() and max(given.shape) <= DOTTED:
        _dot(figure, given, axes, row_height, corner=numbered)
    return figure


def signed_map(
    D: np.ndarray, limit: float, axes: Axes = Axes(), *, given: np.ndarray | None = None, height: int = 420
) -> go.Figure:
    """A map of differences or factors, whose colours fade out at zero.

    Parameters
    ----------
    D : (n, m) values, NaN where there is none
    limit : absolute value at the two ends of the colours
    axes : names of the rows and columns
    given : (n, m) whether a dot marks the cell; None: no dots
    height : in pixels
    """
    limit = limit if limit > 0 else 1.0
    colours = [[0.0, rgba(BELOW, 1)], [0.5, rgba(BELOW, 0)], [0.5, rgba(ABOVE, 0)], [1.0, rgba(ABOVE, 1)]]
    figure = _map(D, axes, height, -limit, limit, colours, None, "{:+.2f}")
    if given is not None and given.any() and max(given.shape) <= DOTTED:
        _dot(figure, given, axes, (height - figure.layout.margin.t) / len(D), corner=False)
    return figure


def _map(Z, axes: Axes, height: int, low: float, high: float, colours, notes, form: str) -> go.Figure:
    """A grid of empty cells and, on top of it, the values; integer axes, since equal names would swallow rows."""
    n, m = Z.shape
    y, x = axes.top + 1 + np.arange(n), axes.left + 1 + np.arange(m)
    apart = max(n, m) <= DOTTED
    cells = {"x": x, "y": y, "xgap": int(apart), "ygap": int(apart), "showscale": False}
    values = go.Heatmap(z=Z.astype(np.float32), zmin=low, zmax=high, colorscale=colours, hoverongaps=False, **cells)
    empty = go.Heatmap(z=np.zeros((n, m), np.uint8), colorscale=[[0, EMPTY], [1, EMPTY]], hoverinfo="skip", **cells)
    if Z.size <= NAMED_CELLS:
        values.update(hovertext=_hover(Z, axes, notes, form), hovertemplate="%{hovertext}<extra></extra>")
    else:
        place = f"{axes.row} %{{y}}, {axes.col} %{{x}}: %{{z:{form[2:-1]}}}<extra></extra>"
        values.update(hovertemplate=place)
    row_names = _labels(axes.row_labels, axes.top, n)
    col_names = _labels(axes.col_labels, axes.left, m)
    size = 11 if max(n, m) <= 24 else 9
    rotated = axes.show_cols and axes.col_labels is not None
    left = 10 + size * max(map(_ems, row_names)) if axes.show_rows else 4
    top = 10 + size * max(map(_ems, col_names)) if rotated else 22 if axes.show_cols else 6
    plain = {
        "showgrid": False,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "title": None,
        "fixedrange": True,
        "automargin": False,
    }
    layout = go.Layout(
        height=height,
        margin={"l": left, "r": 4, "t": top, "b": 4, "pad": 3},
        **TRANSPARENT | ({} if apart else {"plot_bgcolor": EMPTY}),
        xaxis=plain
        | {
            "side": "top",
            "range": [x[0] - 0.5, x[-1] + 0.5],
            "tickfont": {"size": size},
            "tickangle": -90 if rotated else 0,
            "showticklabels": axes.show_cols,
        }
        | _ticks(x, col_names, 30 if rotated else 8),
        yaxis=plain
        | {"range": [y[-1] + 0.5, y[0] - 0.5], "tickfont": {"size": size}, "showticklabels": axes.show_rows}
        | _ticks(y, row_names, max(2, int((height - top) / 12))),
    )
    return go.Figure([empty, values] if apart else [values], layout)


def _ticks(at: np.ndarray, names: list[str], room: int) -> dict:
    every = next(step for step in (1, 2, 5, 10, 20, 50, 100, len(at)) if len(at) <= step * room)
    return {"tickmode": "array", "tickvals": at[::every], "ticktext": names[::every]}


def _labels(labels: Sequence[str] | None, first: int, count: int) -> list[str]:
    if labels is None:
        return [f"{first + i + 1}" for i in range(count)]
    names = shortened(cleaned(labels, first), _LONGEST_LABEL, first=first)
    return [escape(name, quote=False) for name in names]  # Plotly reads a little HTML in its texts


def _ems(label: str) -> float:
    """About how wide a label is, in units of its font size: margins are fixed, so that nothing moves while stepping."""
    wide = {"W": 1.0, "F": 1.0}
    return sum(wide.get(unicodedata.east_asian_width(c), 0.66 if c.isupper() else 0.5) for c in unescape(label))


def _hover(Z, axes: Axes, notes, form: str) -> list[list[str]]:
    """(n, m) the text under the pointer: names, value and note of each cell."""
    n, m = Z.shape
    rows = [_name(axes.row, axes.row_labels, axes.top, i) for i in range(n)]
    cols = [_name(axes.col, axes.col_labels, axes.left, j) for j in range(m)]
    below = np.full((n, m), "") if notes is None else np.char.add("<br>", np.asarray(notes, dtype=str))
    return [
        [f"{rows[i]}<br>{cols[j]}<br><b>{form.format(Z[i, j])}</b>{below[i, j]}" for j in range(m)] for i in range(n)
    ]


def _name(noun: str, labels: Sequence[str] | None, first: int, i: int) -> str:
    """The name of the ``i``-th row or column that is drawn, or its noun and its number in the whole matrix."""
    label = "" if labels is None else str(labels[i])
    return escape(label[:_LONGEST_HOVER], quote=False) or f"{noun} {first + i + 1}"


def black_is_read(shares: np.ndarray) -> np.ndarray:
    """Whether black has more contrast than white on the colours of ratings; ``shares``: of the range, 0 to 1.

    Either has at least 4.5:1 then, as WCAG 2.2 asks of text (1.4.3): black has 4.5:1 where white has 4.67:1 or less.
    """
    stops = np.array([[int(colour[k : k + 2], 16) for k in (1, 3, 5)] for colour in RATING_COLOURS])
    at = np.linspace(0, 1, len(stops))
    rgb = np.stack([np.interp(shares, at, stops[:, k]) for k in range(3)], axis=-1) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    return luminance + 0.05 > np.sqrt(1.05 * 0.05)


def _write_numbers(figure: go.Figure, X: np.ndarray, bright: np.ndarray, given, axes: Axes) -> None:
    """The value of every cell: white on dark colours, black on ``bright`` ones, bold where it was given."""
    i, j = np.nonzero(~np.isnan(X))
    known = np.zeros(X.shape, bool) if given is None else given
    font = {
        "size": 14 if X.shape[1] <= 8 else 12,
        "color": np.where(bright, "#000000", "#ffffff")[i, j].tolist(),
        "weight": np.where(known, 700, 400)[i, j].tolist(),
    }
    figure.add_scatter(
        x=axes.left + 1 + j,
        y=axes.top + 1 + i,
        mode="text",
        hoverinfo="skip",
        showlegend=False,
        text=[f"{v:.0f}" if v == round(v) else f"{v:.1f}" for v in X[i, j]],
        textfont=font,
    )


def _dot(figure: go.Figure, given: np.ndarray, axes: Axes, row_height: float, corner: bool) -> None:
    i, j = np.nonzero(given)
    shift = 0.34 if corner else 0.0
    cell = min(row_height, 300 / given.shape[1])
    figure.add_scatter(
        x=axes.left + 1 + j - shift,
        y=axes.top + 1 + i - shift,
        mode="markers",
        hoverinfo="skip",
        showlegend=False,
        marker={
            "size": 4.0 if corner else float(np.clip(0.32 * cell, 2.5, 5.5)),
            "color": "#ffffff",
            "line": {"width": 1, "color": "rgba(20, 20, 20, 0.75)"},
        },
    )


def _steps(colours: Sequence[str]) -> list[list]:
    return [[i / (len(colours) - 1), colour] for i, colour in enumerate(colours)]
