"""The typed contents of the sheet of an own matrix: names and cells as texts, and the matrix that they say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote_plus

import numpy as np

from metamf.evaluate.task import Matrix
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import guess_scale
from metamf.webapp.experiments.edits import EditError, checked
from metamf.wording import name_of, shown

LARGEST = 30  # rows and columns; what can be typed
IN_ADDRESS = 4000  # characters of an address that a sheet may take: some 30 x 30 with names; servers take 8,000
_LONGEST_NAME = 60  # characters
_LONGEST_CELL = 30  # characters
_BETWEEN, _WITHIN = "~", "_"  # rows, and cells of a row: characters that an address need not escape
_ESCAPES = {_BETWEEN: "t", _WITHIN: "l", "!": "u"}  # after an exclamation mark
_ESCAPED = {letter: text for text, letter in _ESCAPES.items()}


class TypedError(ValueError):
    """The typed text is not a matrix; the message is a sentence for the person who typed it."""


@dataclass(frozen=True)
class Sheet:
    """A sheet as it was typed.

    Attributes
    ----------
    rows, cols : tuple of str
        The names, '' where there is none.
    cells : tuple of tuples of str
        The texts of the cells, row by row.
    """

    rows: tuple[str, ...]
    cols: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]

    @classmethod
    def sent(cls, value: Any) -> Sheet:
        """The sheet that a browser has sent; TypedError if it is none, or too large."""
        try:
            sheet = cls(*(tuple(value[name]) for name in ("rows", "cols")), tuple(map(tuple, value["cells"])))
        except (TypeError, KeyError):
            raise TypedError("This is not a sheet.") from None
        N, M = len(sheet.rows), len(sheet.cols)
        if not (1 <= N <= LARGEST and 1 <= M <= LARGEST):
            raise TypedError(f"A sheet has 1 to {LARGEST} rows and columns, not {N} × {M}.")
        texts = [*sheet.rows, *sheet.cols, *(text for row in sheet.cells for text in row)]
        if [len(row) for row in sheet.cells] != N * [M] or not all(isinstance(text, str) for text in texts):
            raise TypedError("This is not a sheet.")
        return sheet

    @classmethod
    def of(cls, ratings: Ratings) -> Sheet:
        """The sheet that says a matrix."""
        sides = (ratings.row_labels, ratings.n_rows, "row"), (ratings.col_labels, ratings.n_cols, "column")
        names = (tuple(name_of(labels, k, side) for k in range(size)) for labels, size, side in sides)
        cells = tuple(tuple("" if np.isnan(x) else f"{x:.12g}" for x in row) for row in ratings.to_dense())
        return cls(*names, cells)

    @classmethod
    def from_text(cls, text: str) -> Sheet:
        """The sheet that an address says, of ``to_text``.

        Raises
        ------
        TypedError
            If it says none.
        """
        if len(text) > IN_ADDRESS:
            raise TypedError(f"A link holds a sheet of at most {IN_ADDRESS:,} characters, not {len(text):,}.")
        cols, *lines = ([_plain(part) for part in line.split(_WITHIN)] for line in text.split(_BETWEEN))
        return cls.sent({"rows": [line[0] for line in lines], "cols": cols, "cells": [line[1:] for line in lines]})

    def to_text(self) -> str:
        """The sheet as an address says it: names of the columns, then each row with its name; '' if it is too large."""
        lines = [self.cols, *((name, *cells) for name, cells in zip(self.rows, self.cells))]
        text = _BETWEEN.join(_WITHIN.join(map(_escaped, line)) for line in lines)
        return text if len(quote_plus(text)) <= IN_ADDRESS else ""

    def data(self) -> dict[str, Any]:
        """The sheet as values that JSON knows."""
        return {"rows": list(self.rows), "cols": list(self.cols), "cells": [list(row) for row in self.cells]}

    def matrix(self) -> Matrix:
        """The matrix that it says.

        Raises
        ------
        TypedError
            If a cell holds no number, or two rows or two columns have the same name.
        """
        rows, cols = _names(self.rows, "row"), _names(self.cols, "column")
        X = np.full((len(rows), len(cols)), np.nan)
        for n, texts in enumerate(self.cells):
            for m, text in enumerate(texts):
                if text.strip():
                    X[n, m] = _number(text, f"{rows[n]}, {cols[m]}")
        ratings = Ratings.from_dense(X, row_labels=rows, col_labels=cols, scale=guess_scale(X[~np.isnan(X)]))
        return own_matrix(ratings)


def _escaped(text: str) -> str:
    return re.sub("[~_!]", lambda found: "!" + _ESCAPES[found[0]], text)


def _plain(text: str) -> str:
    return re.sub("!([tul])", lambda found: _ESCAPED[found[1]], text)


def own_matrix(ratings: Ratings) -> Matrix:
    """Ratings of the visitor's own as a matrix to look at."""
    return Matrix("Your own grid", "Type names and numbers, or delete them: everything follows.", ratings)


def _names(texts: Sequence[str], side: str) -> tuple[str, ...]:
    names = tuple(" ".join(text.split()) or f"{side} {k}" for k, text in enumerate(texts, 1))
    for name in names:
        if len(name) > _LONGEST_NAME:
            raise TypedError(f"{shown(name)} is longer than {_LONGEST_NAME} characters: shorten it.")
    if twice := next((name for k, name in enumerate(names) if name in names[:k]), None):
        raise TypedError(f"Two {side}s are called {shown(twice)}: give one of them another name.")
    return names


def _number(text: str, where: str) -> float:
    if len(text) > _LONGEST_CELL:
        raise TypedError(f"{where}: {shown(text)} is not a number.")
    try:
        return checked(text, None)
    except EditError as error:
        raise TypedError(f"{where}: {error}") from None
