"""What if what is missing lies lower or higher than the model expects (delta adjustment, not in the
paper).

Whether a cell is missing may depend on the rating in it, and no table can tell. So the estimates of
the missing cells are moved by delta spreads, and what is concluded is looked at again:

    x_nm(delta) = x_nm + delta s_nm,    s the spread of the column, or of the matrix where it has one unit.

Rubin (1977), "Formalizing subjective notions about the effect of nonrespondents in sample surveys".
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from metamf.answer.answer import Answer, Source
from metamf.ratings.units import Standardization


def shifted(answer: Answer, shift: float) -> Answer:
    """Returns the answer of a checkpoint with all estimates ``shift`` spreads higher, cut as
    before; intervals keep their widths.

    Raises ValueError for another method, of which no spread is known.
    """
    if not shift:
        return answer
    if answer.fitted is None:
        raise ValueError(f"{answer.method} cannot shift estimates: use universal")
    units = answer.fitted.standardization
    return replace(answer, estimates=partial(_higher, answer.estimates, units, shift))


def _higher(
    source: Source, units: Standardization, shift: float, rows: np.ndarray, cols: np.ndarray
) -> np.ndarray:
    return source(rows, cols) + shift * units.spread_at(rows, cols)


def column_means(answer: Answer, shift: float = 0.0) -> np.ndarray:
    """Returns (M,) the means of the columns of the filled-in table, in rating units, where what is
    missing lies ``shift`` spreads higher. Estimates are cut, and not rounded: means would move by
    jumps."""
    return shifted(replace(answer, round_to_scale=False), shift).filled.mean(axis=0)


def turning_shift(shifts: np.ndarray, first: np.ndarray, second: np.ndarray) -> float | None:
    """Returns the shift nearest to 0 at which the order of two columns turns; None where it stays.

    Parameters
    ----------
    shifts : (S,) increasing, with 0 among them
    first, second : (S,) the means of the columns at these shifts; between two of them they are
        taken to be linear
    """
    ahead = (first - second) * np.sign((first - second)[shifts == 0])
    found = []
    for i in range(len(shifts) - 1):
        a = ahead[i]
        b = ahead[i + 1]
        if a > 0 >= b or b > 0 >= a:
            found.append(float(shifts[i] + (shifts[i + 1] - shifts[i]) * a / (a - b)))
    return min(found, key=abs, default=None)
