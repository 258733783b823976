"""Small matrices as tiles, whose rows and columns are shuffled and put back before a class.

The tiles move by the style sheet (``mf-move``): each from where it was to where it is, unless
motion is unwanted.
"""

from __future__ import annotations

from html import escape

import numpy as np

from metamf.ratings.matrix import Ratings
from metamf.webapp.look import rating_style
from metamf.wording import with_minus


def tiles(
    title: str,
    alt: str,
    ratings: Ratings,
    X: np.ndarray | None = None,
    *,
    came_from: tuple[np.ndarray, np.ndarray] | None = None,
    framed: np.ndarray | None = None,
) -> str:
    """Returns a matrix with the names of its rows and columns as HTML, read as an image with the
    text ``alt``.

    The tiles have the ratings on them or, without numbers, the colours of ``X``, (N, M) in rating
    units. They move from where their rows (N,) and columns (M,) ``came_from``. Where ``framed``,
    (N, M), they have a frame.
    """
    assert (
        ratings.scale is not None
        and ratings.row_labels is not None
        and ratings.col_labels is not None
    )
    N, M = ratings.shape
    ends = (ratings.scale.minimum, ratings.scale.maximum)
    values = ratings.to_dense() if X is None else X
    rows, cols = came_from or (np.arange(N), np.arange(M))
    dy = (rows - np.arange(N)).tolist()
    dx = (cols - np.arange(M)).tolist()
    parts = ["<span></span>"]
    for x, name in zip(dx, ratings.col_labels):
        parts.append(f'<b style="--x:{x}"><span>{escape(name)}</span></b>')
    for n in range(N):
        parts.append(f'<b style="--y:{dy[n]}">{escape(ratings.row_labels[n])}</b>')
        for m in range(M):
            value = values[n, m]
            text = "" if X is not None or np.isnan(value) else with_minus(f"{value:z.0f}")
            style = "" if np.isnan(value) else rating_style(value, *ends)
            kind = ' class="framed"' if framed is not None and framed[n, m] else ""
            parts.append(f'<i{kind} style="--x:{dx[m]};--y:{dy[n]};{style}">{text}</i>')
    return (
        f'<figure class="mf-moving"><figcaption>{escape(title)}</figcaption><div role="img" '
        f'aria-label="{escape(alt)}" style="--m:{M}">{"".join(parts)}</div></figure>'
    )
