"""Maps that follow no step, drawn by the player: answers of several methods, errors, a channel of
the network.

They have the sizes, legends, names, keys, tables of numbers, alternative texts and files of the
player's other maps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from metamf.figures.window import Axes
from metamf.webapp.player.payload import id_of, payload_of, text_of


@dataclass(frozen=True, eq=False)
class Still:
    """A map of one matrix of n rows and m columns."""

    title: str  # in the heading; no two maps of one scene have the same
    detail: str  # next to it
    values: np.ndarray  # (n, m) numbers, NaN where there is none
    # numbers at the two ends of the colours; for widths the ends of the rating scale, equal without
    # one
    low: float
    high: float
    kind: Literal["rating", "signed", "width"] = (
        "rating"  # palette; the middle of signed values is 0
    )
    below: str = ""  # words at the two ends of a map of signed values
    above: str = ""
    noun: str = "estimate"  # word for one number of a map of ratings or of widths

    @classmethod
    def signed(
        cls,
        title: str,
        detail: str,
        values: np.ndarray,
        limit: float,
        below: str = "negative",
        above: str = "positive",
    ) -> Still:
        """Returns a map of signed values, whose colours span -``limit`` to ``limit``."""
        end = limit if limit > 0 else 1.0
        return cls(title, detail, values, -end, end, "signed", below, above)


def scene_of(
    name: str,
    maps: Sequence[Still],
    axes: Axes,
    *,
    given: np.ndarray | None = None,
    truth: np.ndarray | None = None,
    shape: tuple[int, int] | None = None,
    mark: tuple[int, int] | None = None,
    ends: tuple[float, float] | None = None,
) -> dict[str, Any]:
    """Returns the data of ``maps``, (n, m) each, of the matrix ``name``, as JSON values; the keys
    are those of ``types.d.ts``.

    ``given`` and ``truth`` (n, m) are given and hidden ratings, NaN elsewhere; a dot marks the
    given ones. ``shape`` is that of the whole matrix, by default that of the maps; ``mark`` the row
    and column, counted in the window, of a cell with a frame; ``ends`` those of the rating scale,
    which decide the digits of numbers in cells, by default those of the maps of ratings.
    """
    size = maps[0].values.shape
    X = np.full(size, np.nan) if given is None else given
    scaled = [one for one in maps if one.kind == "rating"] or maps
    low, high = ends or (min(one.low for one in scaled), max(one.high for one in scaled))
    sent = [
        vars(one) | {"values": text_of(one.values), "low": float(one.low), "high": float(one.high)}
        for one in maps
    ]
    cells = {"X": text_of(X), "truth": None if truth is None else text_of(truth)}
    about = payload_of(name, size, axes, shape)
    return about | {
        "id": id_of(about, cells, sent),
        "nouns": [axes.row, axes.col],
        "low": float(low),
        "high": float(high),
        **cells,
        "n_given": int((~np.isnan(X)).sum()),
        "n_hidden": 0 if truth is None else int((~np.isnan(truth)).sum()),
        "mark": None if mark is None else {"row": mark[0], "col": mark[1], "text": ""},
        "maps": sent,
    }
