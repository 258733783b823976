"""A rating matrix filled in by any method, with an interval per cell where the method gives one, put on its scale.

One interface over the bundled checkpoints, the methods of ``metamf.baselines`` that need no meta-training, and the
means of rows and columns, which every method has to beat. All values in rating units.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from metamf.filling.methods import Method, method
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.tables import Table
from metamf.tables.writing import text as write


@dataclass(frozen=True, eq=False)
class Filling:
    """Estimates for all cells (N, M), after clipping and rounding; at observed cells the estimate, not the rating.

    ratings : all that are observed;  held_out : (nnz,) which of them were hidden from the method
    lower, upper : ends of the intervals of ``level``, None without them
    clipped : cells that are not observed whose estimate was cut at an end of the scale
    rounded : cells that are not observed whose estimate was moved to the nearest step of the scale
    settings : what ``fill`` was told beside ratings, method and scale
    """

    ratings: Ratings
    method: Method
    mean: np.ndarray
    lower: np.ndarray | None
    upper: np.ndarray | None
    level: float | None
    clipped: np.ndarray
    rounded: np.ndarray
    held_out: np.ndarray
    settings: Mapping[str, Any]

    @property
    def given(self) -> Ratings:
        """What the method saw."""
        return self.ratings.select(~self.held_out) if self.held_out.any() else self.ratings

    def of(self, table: Table) -> write.Filled:
        """What ``metamf.tables.writing.text`` takes: the table that was read, filled in."""
        provenance = np.where(self.clipped, write.CLIPPED, write.IMPUTED).astype(np.uint8)
        codes = np.where(self.held_out, write.HELD_OUT, write.OBSERVED)
        provenance[self.ratings.rows, self.ratings.cols] = codes
        return write.Filled(table, self.mean, self.lower, self.upper, self.level, provenance, self.method.label)


def fill(
    ratings: Ratings,
    how: str | Method = "universal",
    level: float | None = 0.9,
    scale: RatingScale | None = None,
    clip: bool = True,
    round_to_scale: bool = False,
    hold_out: float = 0.0,
    seed: int = 0,
) -> Filling:
    """Every cell by the method ``how``, or by the one of that key.

    level : of the intervals, read by methods that give them;  scale : of the ratings, None: not known
    clip : cut estimates and intervals at the ends of the scale
    round_to_scale : move estimates, not intervals, to the nearest step of the scale
    hold_out, seed : the share of the observed cells that is hidden from the method, and the seed that draws them

    Raises
    ------
    ValueError
        if nothing is observed, for a level outside 0.01 to 0.99, where rounding is asked for without steps, or for a
        share that is not below 1 or leaves nothing observed.
    """
    if not ratings.nnz:
        raise ValueError(f"no cell of the {ratings.n_rows} x {ratings.n_cols} matrix is observed: give at least one")
    if round_to_scale and (scale is None or scale.step is None):
        raise ValueError("estimates can only be rounded to a scale with steps: give one, such as 1 to 5 in steps of 1")
    how = method(how) if isinstance(how, str) else how
    ratings = replace(ratings, scale=scale)
    level = level if how.gives_intervals else None
    held_out = hidden_entries(ratings.nnz, hold_out, np.random.default_rng(seed))
    given = ratings.select(~held_out) if hold_out else ratings
    raw, half = how.predict(given, np.arange(ratings.n_rows)[:, None], np.arange(ratings.n_cols), level)
    limit = scale.clip if clip and scale is not None else lambda values: values
    mean = limit(raw)
    rounded = to_steps(mean, scale) if round_to_scale else mean
    moved = {"clipped": mean != raw, "rounded": ~np.isclose(rounded, mean, rtol=0, atol=1e-9)}
    for cells in moved.values():
        cells[ratings.rows, ratings.cols] = False
    ends = (None, None) if half is None else (limit(raw - half), limit(raw + half))
    settings = {"level": level, "clip": clip, "round_to_scale": round_to_scale, "hold_out": hold_out, "seed": seed}
    return Filling(ratings, how, rounded, *ends, level, **moved, held_out=held_out, settings=settings)


def hidden_entries(nnz: int, share: float, rng: np.random.Generator) -> np.ndarray:
    """(nnz,) True for a ``share`` of the entries, one at least; for none where it is zero."""
    hidden = np.zeros(nnz, dtype=bool)
    if share:
        count = max(1, round(share * nnz))
        if not 0 < share < 1 or count >= nnz:
            raise ValueError(f"a share of {share} of {nnz} observed cells leaves none to estimate from: hide fewer")
        hidden[rng.permutation(nnz)[:count]] = True
    return hidden


def to_steps(values: np.ndarray, scale: RatingScale) -> np.ndarray:
    """The nearest value of a scale with steps, the upper one of two; beyond its ends the steps go on."""
    return scale.minimum + scale.step * np.floor((values - scale.minimum) / scale.step + 0.5)
