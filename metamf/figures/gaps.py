"""Two pictures of a filled-in table: given and estimated values of each column, and where gaps are.

Both come with the numbers behind them, as data frames, for people who read numbers or a screen
reader.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from metamf.figures.style import ABOVE, AXIS, BELOW, GREY, LEGEND_ABOVE, TRANSPARENT, rgba

MOST_COLUMNS = 12  # of the first picture: those with most gaps
MOST_POINTS = 400  # of one column that are sent to the browser: quantiles where there are more
MOST_PATTERNS = 40  # of the second picture: the most frequent ones
FEWEST_FOR_DENSITY = 8  # values; fewer are drawn as points
_ROW = 46  # pixels of a column of the table in the first picture


def given_and_estimated(
    given: Sequence[np.ndarray], estimated: Sequence[np.ndarray], names: Sequence[str]
) -> go.Figure:
    """Returns densities of the values of each column: given ones above a line, estimated ones
    below.

    ``given`` and ``estimated`` hold for each of M columns the values in its own unit, which hover
    shows. Columns are drawn in spreads of their given values around the mean of these, so that
    columns of different units can stand below each other. At most ``MOST_COLUMNS`` are drawn, those
    with most estimates.
    """
    order = drawn_columns(estimated)
    figure = go.Figure()
    for number, j in enumerate(order):
        mean, spread = _centre(given[j])
        for values, label, side, colour in (
            # the axis is reversed, so that the first column is on top: negative is above the line
            (given[j], "given", "negative", BELOW),
            (estimated[j], "estimated", "positive", ABOVE),
        ):
            shown = _thinned(values)
            if not len(shown):
                continue
            # so few that each is a point on its side of the line
            few = len(shown) < FEWEST_FOR_DENSITY
            figure.add_violin(
                x=(shown - mean) / spread,
                y0=names[j],
                name=label,
                legendgroup=label,
                showlegend=number == 0,
                orientation="h",
                side=side,
                width=0.9,
                spanmode="hard",
                points="all" if few else False,
                pointpos=0.3 if side == "positive" else -0.3,
                jitter=0,
                marker={"color": rgba(colour), "size": 7, "opacity": 0.7},
                line={"width": 0 if few else 1.5, "color": rgba(colour)},
                fillcolor=rgba(colour, 0 if few else 0.3),
                meanline={"visible": not few},
                customdata=shown,
                hovertemplate=f"{names[j]}<br>{label}: %{{customdata:.4g}}<extra></extra>",
                hoveron="points+kde",
            )
    figure.update_layout(
        height=90 + _ROW * len(order),
        margin={"l": 8, "r": 12, "t": 30, "b": 40},
        violinmode="overlay",
        violingap=0,
        legend=LEGEND_ABOVE,
        xaxis=AXIS | {"title": {"text": "standard deviations from the mean of the given values"}},
        yaxis=AXIS | {"automargin": True, "autorange": "reversed", "showgrid": False},
        **TRANSPARENT,
    )
    return figure


def drawn_columns(estimated: Sequence[np.ndarray]) -> list[int]:
    """Columns of the first picture, in the order of the table: those with most estimates."""
    counts = np.array([len(values) for values in estimated])
    most = np.argsort(-counts, kind="stable")[:MOST_COLUMNS]
    return sorted(int(j) for j in most if counts[j])


def numbers_of_columns(
    given: Sequence[np.ndarray], estimated: Sequence[np.ndarray], names: Sequence[str]
) -> pd.DataFrame:
    """Returns the numbers behind the first picture: a row for each column with an estimate."""
    rows = []
    for name, known, guess in zip(names, given, estimated):
        if len(guess):
            row: dict[str, Any] = {"column": name}
            for label, values in (("given", known), ("estimated", guess)):
                series = pd.Series(values, dtype=float)
                row[label] = len(series)
                row[f"{label}: mean"] = series.mean()
                row[f"{label}: SD"] = series.std()
                row[f"{label}: lowest"] = series.min()
                row[f"{label}: highest"] = series.max()
            rows.append(row)
    return pd.DataFrame(rows)


def _centre(values: np.ndarray) -> tuple[float, float]:
    """Mean and spread of given values; 0 and 1 where there are none, or all are one."""
    if not len(values):
        return 0.0, 1.0
    return float(values.mean()), float(values.std()) or 1.0


def _thinned(values: np.ndarray) -> np.ndarray:
    """The values, or of many as many quantiles, so that their density stays."""
    if len(values) <= MOST_POINTS:
        return values
    return np.quantile(values, (np.arange(MOST_POINTS) + 0.5) / MOST_POINTS)


def gap_patterns(missing: np.ndarray, names: Sequence[str]) -> pd.DataFrame:
    """Returns the patterns of gaps (N, M), the most frequent first, and below each column its gaps.

    A row is a pattern: 'rows' of the table that have it, 'gaps' in it, and for each of the M
    columns True where it has a gap. Columns stand in the order of their gaps, the fewest first.
    """
    missing = np.asarray(missing, dtype=bool)
    order = np.argsort(missing.sum(axis=0), kind="stable")
    patterns, counts = np.unique(missing[:, order], axis=0, return_counts=True)
    frame = pd.DataFrame(patterns, columns=[names[j] for j in order])
    frame.insert(0, "gaps", patterns.sum(axis=1))
    frame.insert(0, "rows", counts)
    by = np.lexsort((frame["gaps"], -counts))
    return frame.iloc[by].reset_index(drop=True)


def where_gaps_are(missing: np.ndarray, names: Sequence[str]) -> go.Figure:
    """Returns a map of the gaps (N, M): a line for each pattern, the most frequent first.

    The height of a line is the number of rows that have the pattern, at least a hundredth of all.
    At most ``MOST_PATTERNS`` are drawn, and what they leave out is said above.
    """
    table = gap_patterns(missing, names)
    shown = table.iloc[:MOST_PATTERNS]
    columns = list(table.columns[2:])
    gaps = shown[columns].to_numpy(dtype=bool)
    n, total = shown["rows"].to_numpy(), int(table["rows"].sum())
    heights = np.maximum(n, total / 100)
    edges = np.concatenate([[0], np.cumsum(heights)])
    hover = np.array(
        [
            [
                f"{name}: {'gap' if gap else 'given'}<br>{rows:,} of {total:,} rows like this"
                for name, gap in zip(columns, line)
            ]
            for rows, line in zip(n, gaps)
        ],
        dtype=object,
    )
    figure = go.Figure(
        go.Heatmap(
            z=gaps.astype(int),
            x=np.arange(len(columns) + 1) - 0.5,
            y=edges,
            text=hover,
            hovertemplate="%{text}<extra></extra>",
            colorscale=[[0, rgba(GREY, 0.15)], [1, rgba(ABOVE)]],
            zmin=0,
            zmax=1,
            showscale=False,
            xgap=1,
            ygap=1,
        )
    )
    left = total - int(n.sum())
    figure.update_layout(
        height=360,
        margin={"l": 8, "r": 12, "t": 30 if left else 8, "b": 8},
        xaxis=AXIS
        | {
            "tickvals": np.arange(len(columns)),
            "ticktext": columns,
            "automargin": True,
            "showgrid": False,
        },
        yaxis=AXIS
        | {
            "autorange": "reversed",
            "showgrid": False,
            "tickvals": (edges[:-1] + edges[1:]) / 2,
            "ticktext": [f"{rows:,}" for rows in n],
            "title": {"text": "rows"},
            "automargin": True,
        },
        title={"text": f"{left:,} rows have other patterns", "font": {"size": 12}}
        if left
        else None,
        **TRANSPARENT,
    )
    return figure
