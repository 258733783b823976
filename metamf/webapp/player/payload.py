"""What every payload of the player says of its matrix, and numbers as JSON values."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from typing import Any

import numpy as np

from metamf.figures.window import Axes

# of the payload; the page and its script come from the same package, a saved replay has its script
# with it
VERSION = 2


def payload_of(
    name: str, size: tuple[int, int], axes: Axes, whole: tuple[int, int] | None = None
) -> dict[str, Any]:
    """What each payload says of its matrix: the name, the part of ``size`` (n, m) that is drawn,
    with the names of its rows and columns, and the shape of the ``whole``, which by default ends
    with the part."""
    n, m = size
    total_rows, total_cols = whole or (axes.top + n, axes.left + m)
    rows, cols = (names and list(map(str, names)) for names in (axes.row_labels, axes.col_labels))
    return {
        "version": VERSION,
        "matrix": {"name": name},
        "n": n,
        "m": m,
        "top": axes.top,
        "left": axes.left,
        "total_rows": total_rows,
        "total_cols": total_cols,
        "rows": rows,
        "cols": cols,
    }


def id_of(*parts: object) -> str:
    """What tells payloads apart."""
    return hashlib.blake2b(repr(parts).encode(), digest_size=12).hexdigest()


def text_of(array: np.ndarray | None) -> str | None:
    """Base64 of a float32 array; what single precision cannot hold is sent as its largest
    number."""
    if array is None:
        return None
    largest = np.finfo(np.float32).max
    return b64encode(np.clip(array, -largest, largest).astype("<f4").tobytes()).decode("ascii")


def numbers_of(array: np.ndarray | None) -> list[float | None] | None:
    """Numbers as JSON has them: it has no infinity and no NaN."""
    return (
        None if array is None else [float(value) if np.isfinite(value) else None for value in array]
    )
