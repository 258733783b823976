"""What is known of rows or columns besides ratings, as people have it, as numbers: words become
zeros and ones."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

MOST_WORDS = 30  # of one feature that get a column of zeros and ones, the most frequent first


@dataclass(frozen=True)
class FeatureCoding:
    """The numbers that features become: a column of numbers one, in which a gap is their mean; a
    column of words one for each word that at least two lines hold, so neither names nor one word
    for all say anything."""

    names: tuple[Any, ...]  # of the columns of features
    # the mean of each column of numbers, and the words of each other
    parts: tuple[float | tuple[str, ...], ...]
    idle: tuple[Any, ...]  # names of those that say nothing

    @classmethod
    def of(cls, features: Any) -> FeatureCoding:
        """The coding of an array-like or a data frame (n, P); TypeError for dates and complex
        numbers."""
        frame = _as_frame(features)
        parts: list[float | tuple[str, ...]] = []
        for name, column in frame.items():
            numbers = _numbers(column, name)
            counts = sorted(
                Counter(filter(None, _words(column))).items(),
                key=lambda found: (-found[1], found[0]),
            )
            words = tuple(word for word, n in counts[:MOST_WORDS] if 1 < n < len(frame))
            parts.append(
                words if numbers is None else np.nan_to_num(pd.Series(numbers).mean()).item()
            )
        idle = (
            name
            for (name, column), part in zip(frame.items(), parts)
            if part == () or column.nunique() < 2
        )
        return cls(tuple(frame), tuple(parts), tuple(idle))

    def __call__(self, features: Any) -> np.ndarray | None:
        """(n, P') numbers, None if there are none. A word that is new is none of the words.

        Raises ValueError for other columns than those of ``of``, and for a word in a column of
        numbers.
        """
        frame = _as_frame(features)
        found = []
        if tuple(frame) != self.names:
            raise ValueError(
                f"the features are {list(frame)}, in fit they were {list(self.names)}: give the "
                "same"
            )
        for (name, column), part in zip(frame.items(), self.parts):
            if isinstance(part, tuple):
                words = np.array(_words(column), dtype=object)
                found += [words == word for word in part]
                continue
            numbers = _numbers(column, name)
            if numbers is None:
                word = next(
                    word
                    for word in _words(column)
                    if word and _numbers(pd.Series([word]), name) is None
                )
                raise ValueError(f"the feature {name!r} holds {word!r}, in fit it held numbers")
            found.append(np.where(np.isnan(numbers), part, numbers))
        return np.stack(found, axis=1).astype(float) if found else None


def _as_frame(features: Any) -> pd.DataFrame:
    return pd.DataFrame(
        features if isinstance(features, pd.DataFrame | pd.Series) else np.asarray(features)
    )


def _numbers(column: pd.Series, name: Any) -> np.ndarray | None:
    """(n,) the numbers of a column, NaN in gaps; None for words and categories."""
    if column.dtype.kind in "mMc":
        raise TypeError(
            f"the feature {name!r} holds {column.dtype}: give numbers or words, such as a year"
        )
    if isinstance(column.dtype, pd.CategoricalDtype):
        return None
    try:
        return pd.to_numeric(column).to_numpy(float, na_value=np.nan)
    except (TypeError, ValueError):
        return None


def _words(column: pd.Series) -> list[str]:
    """The words of a column, '' in gaps."""
    return ["" if gap else str(value).strip() for value, gap in zip(column, column.isna())]
