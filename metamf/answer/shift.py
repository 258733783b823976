"""What if what is missing lies lower or higher than the model expects (delta adjustment, not in the paper).

Whether a cell is missing may depend on the rating in it, and no table can tell. So the estimates of the missing cells
are moved by delta spreads, and what is concluded is looked at again:

    x_nm(delta) = x_nm + delta s_nm,    s the spread of the column, or of the matrix where it has one unit.

Rubin (1977), "Formalizing subjective notions about the effect of nonrespondents in sample surveys".
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from metamf.answer.answer import Answer, Source
from metamf.ratings.units import Standardization


@dataclass(frozen=True, eq=False)
class Shifted:
    """A source of estimates that lie ``shift`` spreads above those of another one."""

    estimates: Source
    standardization: Standardization
    shift: float

    def at(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        return self.estimates.at(rows, cols) + self.shift * self.standardization.spread_at(rows, cols)

    def block(self, rows: slice, cols: slice) -> np.ndarray:
        return self.estimates.block(rows, cols) + self.shift * self.standardization.spread_block(rows, cols)


def shifted(answer: Answer, standardization: Standardization, shift: float) -> Answer:
    """Returns the answer with all estimates ``shift`` spreads higher, cut as before; intervals keep their widths."""
    return replace(answer, estimates=Shifted(answer.estimates, standardization, shift)) if shift else answer


def column_means(answer: Answer, standardization: Standardization, shift: float = 0.0) -> np.ndarray:
    """Returns (M,) the means of the columns of the filled-in table, in rating units, where what is missing lies
    ``shift`` spreads higher. Estimates are cut, and not rounded: means would move by jumps."""
    return shifted(replace(answer, round_to_scale=False), standardization, shift).filled.mean(axis=0)


def turning_shift(shifts: np.ndarray, first: np.ndarray, second: np.ndarray) -> float | None:
    """Returns the shift nearest to 0 at which the order of two columns turns; None where it stays.

    Parameters
    ----------
    shifts : (S,) increasing, with 0 among them
    first, second : (S,) the means of the columns at these shifts; between two of them they are taken to be linear
    """
    ahead = (first - second) * np.sign((first - second)[shifts == 0])
    found = []
    for i in range(len(shifts) - 1):
        a = ahead[i]
        b = ahead[i + 1]
        if a > 0 >= b or b > 0 >= a:
            found.append(float(shifts[i] + (shifts[i + 1] - shifts[i]) * a / (a - b)))
    return min(found, key=abs, default=None)
