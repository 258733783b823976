"""Small matrices as tiles: support and query of an episode, and names that are shuffled and put back before a class.

The tiles move by the style sheet (``mf-move``): each from where it was to where it is, unless motion is unwanted.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from metamf.ratings.scale import RatingScale
from metamf.webapp.look import rating_style
from metamf.wording import with_minus


def tiles(
    title: str,
    alt: str,
    X: np.ndarray,
    scale: RatingScale,
    labels: tuple[Sequence[str], Sequence[str]] = ((), ()),
    *,
    came_from: tuple[np.ndarray, np.ndarray] | None = None,
    framed: np.ndarray | None = None,
    numbers: bool = False,
) -> str:
    """Returns a matrix as HTML, read as an image with the text ``alt``.

    Parameters
    ----------
    X : ndarray of shape (N, M)
        Ratings in rating units; NaN for an empty tile.
    labels : pair of sequences, optional
        Names of the rows and of the columns.
    came_from : pair of ndarrays of shapes (N,) and (M,), optional
        Where each row and column was before: the tiles move from there.
    framed : ndarray of shape (N, M) of bool, optional
        Tiles with a frame; an empty one has a question mark in it.
    numbers : bool
        Whether each tile has its rating on it.
    """
    N, M = X.shape
    rows, cols = came_from or (np.arange(N), np.arange(M))
    dy, dx = (rows - np.arange(N)).tolist(), (cols - np.arange(M)).tolist()
    parts = []
    if labels[0]:
        parts.append("<span></span>")
        parts += [f'<b style="--x:{dx[m]}"><span>{escape(labels[1][m])}</span></b>' for m in range(M)]
    for n in range(N):
        if labels[0]:
            parts.append(f'<b style="--y:{dy[n]}">{escape(labels[0][n])}</b>')
        for m in range(M):
            empty, frame = np.isnan(X[n, m]), framed is not None and framed[n, m]
            text = ("?" if frame else "") if empty else with_minus(f"{X[n, m]:z.0f}") if numbers else ""
            style = "" if empty else rating_style(X[n, m], scale.minimum, scale.maximum)
            kind = ' class="framed"' if frame else ""
            parts.append(f'<i{kind} style="--x:{dx[m]};--y:{dy[n]};{style}">{text}</i>')
    named = " named" if labels[0] else ""
    return (
        f'<figure class="mf-moving{named}"><figcaption>{escape(title)}</figcaption><div role="img" '
        f'aria-label="{escape(alt)}" style="--m:{M}">{"".join(parts)}</div></figure>'
    )
