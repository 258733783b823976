"""Small matrices as tiles: support and query of an episode, and names that are shuffled and put back before a class.

The tiles move by the style sheet (``mf-move``): each from where it was to where it is, unless motion is unwanted.
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
    named: bool = False,
    came_from: tuple[np.ndarray, np.ndarray] | None = None,
    framed: np.ndarray | None = None,
) -> str:
    """Returns a matrix as HTML, read as an image with the text ``alt``; ``named``: with names of rows and columns.

    The tiles have the ratings on them or, without numbers, the colours of ``X``, (N, M) in rating units. They move from
    where their rows (N,) and columns (M,) ``came_from``. Where ``framed``, (N, M), they have a frame, and a question
    mark if they are empty.
    """
    assert ratings.scale is not None
    N, M = ratings.shape
    ends = (ratings.scale.minimum, ratings.scale.maximum)
    values = ratings.to_dense() if X is None else X
    rows, cols = came_from or (np.arange(N), np.arange(M))
    dy, dx = (rows - np.arange(N)).tolist(), (cols - np.arange(M)).tolist()
    parts = []
    if named:
        heads = (
            f'<b style="--x:{dx[m]}"><span>{escape(name)}</span></b>' for m, name in enumerate(ratings.col_labels or ())
        )
        parts += ["<span></span>", *heads]
    for n in range(N):
        if named and ratings.row_labels:
            parts.append(f'<b style="--y:{dy[n]}">{escape(ratings.row_labels[n])}</b>')
        for m in range(M):
            frame = framed is not None and framed[n, m]
            value = values[n, m]
            if np.isnan(value):
                text = "?" if frame else ""
                style = ""
            else:
                text = "" if X is not None else with_minus(f"{value:z.0f}")
                style = rating_style(value, *ends)
            kind = ' class="framed"' if frame else ""
            parts.append(f'<i{kind} style="--x:{dx[m]};--y:{dy[n]};{style}">{text}</i>')
    return (
        f'<figure class="mf-moving{" named" * named}"><figcaption>{escape(title)}</figcaption><div role="img" '
        f'aria-label="{escape(alt)}" style="--m:{M}">{"".join(parts)}</div></figure>'
    )
