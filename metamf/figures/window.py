"""The window of a large matrix that is drawn, and the names along its axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metamf.ratings.matrix import Ratings
from metamf.wording import name_of

LARGEST_WINDOW = 300  # rows and columns that are drawn at once; 1.5 MB of JSON
DOTTED = 60  # rows and columns up to which cells are drawn apart, and given ones have a dot
# rating units: colour scales work in single precision, whose squares stay finite up to there
LARGEST_DRAWN = 1e12


@dataclass(frozen=True)
class Window:
    """The part of a matrix that is drawn: rows ``top`` to ``top + height``, columns ``left`` to
    ``left + width``."""

    top: int
    left: int
    height: int
    width: int

    @classmethod
    def of(
        cls, shape: tuple[int, int], top: int = 0, left: int = 0, largest: int = LARGEST_WINDOW
    ) -> Window:
        """Returns a window of at most ``largest`` rows and columns, moved so that the window is
        inside the matrix."""
        height, width = (min(size, largest) for size in shape)
        top = max(0, min(top, shape[0] - height))
        left = max(0, min(left, shape[1] - width))
        return cls(top, left, height, width)

    @property
    def dotted(self) -> bool:
        """Whether its cells are large enough for the dots of the given ones."""
        return max(self.height, self.width) <= DOTTED

    @property
    def rows(self) -> slice:
        return slice(self.top, self.top + self.height)

    @property
    def cols(self) -> slice:
        return slice(self.left, self.left + self.width)

    def part(self, X: np.ndarray) -> np.ndarray:
        """(height, width) what is inside of a matrix (N, M)."""
        return X[self.rows, self.cols]

    def holds(self, row: int, col: int) -> bool:
        """Whether a cell is inside; ``row`` and ``col`` count in the window."""
        return 0 <= row < self.height and 0 <= col < self.width

    def dense(self, ratings: Ratings) -> np.ndarray:
        """(height, width) the ratings inside, NaN where there is none."""
        n, m = ratings.rows - self.top, ratings.cols - self.left
        inside = (n >= 0) & (n < self.height) & (m >= 0) & (m < self.width)
        X = np.full((self.height, self.width), np.nan)
        X[n[inside], m[inside]] = ratings.values[inside]
        return X


@dataclass(frozen=True, eq=False)
class Axes:
    row_labels: Sequence[str] | None = (
        None  # names of the rows and columns that are drawn; None: their positions
    )
    col_labels: Sequence[str] | None = None
    top: int = 0  # position of the first row and column, counted from 0
    left: int = 0
    row: str = "row"  # words for a row and a column
    col: str = "column"

    @classmethod
    def of(cls, ratings: Ratings, window: Window) -> Axes:
        rows, cols = ratings.row_labels, ratings.col_labels
        return cls(rows and rows[window.rows], cols and cols[window.cols], window.top, window.left)


def names_of(ratings: Ratings, row: int, col: int) -> tuple[str, str]:
    """The names of the row and the column of a cell, such as 'row 3' (counted from 1) where there
    is none."""
    return name_of(ratings.row_labels, row, "row"), name_of(ratings.col_labels, col, "column")
