"""A rating matrix filled in by any method, with an interval per cell where the method gives one, put on its scale.

All values are in rating units.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Final, Literal

import numpy as np

from metamf.answer.answer import Answer
from metamf.answer.methods import Method, method
from metamf.ratings.limits import REMEDY, check_on_scale, outside_scale
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale

OF_THE_RATINGS: Final = "of the ratings"
Outside = Literal["error", "nearest", "hide"]
OUTSIDE: tuple[Outside, ...] = ("error", "nearest", "hide")


@dataclass(frozen=True)
class FillSettings:
    """Settings of a filling, besides the method and the rating scale.

    Parameters
    ----------
    level : level of the intervals, 0.01 to 0.99; None for no intervals. Methods without intervals ignore it
    clip : whether to cut estimates and intervals at the ends of a known scale, and to keep estimates near what was
        observed: in their column where columns have units of their own or many ratings (``metamf.ratings.limits``)
    round_to_scale : whether to round estimates, not intervals, to the steps of the scale
    hold_out : share of the observed ratings that is hidden from the method, at least 0 and below 1
    seed : seed of the random choice of the hidden ratings
    outside : what to do with an observed rating outside the scale: raise an ``OutsideScaleError``, give the method the
        nearest end of the scale, or hide it from the method. The table keeps the rating

    Raises
    ------
    ValueError : a value is not one of these
    """

    level: float | None = 0.9
    clip: bool = True
    round_to_scale: bool = False
    hold_out: float = 0.0
    seed: int = 0
    outside: Outside = "error"

    def __post_init__(self) -> None:
        if self.level is not None and not _between(self.level, 0.01, 0.99):
            raise ValueError(f"level must be None or a number between 0.01 and 0.99, got {self.level!r}")
        for name in ("clip", "round_to_scale"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise ValueError(f"{name} must be True or False, got {getattr(self, name)!r}")
        if not isinstance(self.seed, Integral) or self.seed < 0:
            raise ValueError(f"seed must be a whole number that is not negative, got {self.seed!r}")
        if not _between(self.hold_out, 0, np.nextafter(1, 0)):
            raise ValueError(f"hold_out must be a share of at least 0 and below 1, got {self.hold_out!r}")
        if self.outside not in OUTSIDE:
            raise ValueError(f"outside must be one of {OUTSIDE}, got {self.outside!r}")


def fill(
    ratings: Ratings,
    how: str | Method = "universal",
    *,
    scale: RatingScale | None | Literal["of the ratings"] = OF_THE_RATINGS,
    settings: FillSettings | None = None,
    **changes: Any,
) -> Answer:
    """Estimates every cell of a matrix.

    Parameters
    ----------
    ratings : the observed ratings, N x M
    how : the method, or its key (see ``metamf.answer.method``)
    scale : the rating scale, None if it is not known; by default that of ``ratings``
    settings, **changes : all other settings; single ones override them by the names of the fields of ``FillSettings``

    Raises
    ------
    ValueError : nothing is observed, an observed rating lies outside the scale (``OutsideScaleError``, unless
        ``outside`` says otherwise), estimates are to be rounded to a scale without steps, no rating is left to estimate
        from, or a setting has a value that it cannot have
    TypeError : ``ratings`` are not ``Ratings``, or a setting has another name

    Examples
    --------
    >>> import numpy as np
    >>> from metamf.answer import fill
    >>> from metamf.ratings import Ratings, RatingScale
    >>> X = np.array([[5, 4, np.nan, 1], [4, np.nan, 5, 1], [np.nan, 1, 2, 5]])
    >>> answer = fill(Ratings.from_dense(X, scale=RatingScale(1, 5, 1)), "row_means", round_to_scale=True)
    >>> answer.mean[:, 2]
    array([3., 3., 3.])
    """
    if not isinstance(ratings, Ratings):
        raise TypeError(f"ratings must be Ratings, got {type(ratings).__name__}: make them by Ratings.from_dense")
    settings = replace(settings or FillSettings(), **changes)
    if not ratings.nnz:
        raise ValueError(f"no cell of the {ratings.n_rows} x {ratings.n_cols} matrix is observed: give at least one")
    if scale is None or isinstance(scale, RatingScale):
        known = scale
    elif isinstance(scale, str) and scale == OF_THE_RATINGS:
        known = ratings.scale
    else:
        raise ValueError(f"scale must be a RatingScale, None or {OF_THE_RATINGS!r}, got {scale!r}")
    if settings.round_to_scale and (known is None or known.step is None):
        raise ValueError("estimates can only be rounded to a scale with steps: give one, such as 1 to 5 in steps of 1")
    how = method(how) if isinstance(how, str) else how
    ratings = replace(ratings, scale=known)
    hidden = _draw_hidden(ratings.nnz, settings.hold_out, np.random.default_rng(settings.seed))
    if settings.outside == "hide":
        hidden |= outside_scale(ratings, known)
    if hidden.all():
        raise ValueError(f"all {ratings.nnz} observed ratings are hidden from the method: hide fewer")
    given = within_scale(ratings.select(~hidden) if hidden.any() else ratings, settings.outside)
    answer = how.predict(given, settings.level if how.gives_intervals else None)
    return replace(
        answer,
        ratings=ratings,
        seen=given,
        held_out=hidden,
        limits=answer.limits if settings.clip else None,
        round_to_scale=settings.round_to_scale,
        method=how.label,
    )


def _draw_hidden(nnz: int, share: float, rng: np.random.Generator) -> np.ndarray:
    """(nnz,) bool: a random ``share`` of the entries, at least one, but none if the share is zero."""
    count = max(1, round(share * nnz)) if share else 0
    if count >= nnz:
        raise ValueError(f"a share of {share} of {nnz} observed ratings leaves none to estimate from: hide fewer")
    hidden = np.zeros(nnz, dtype=bool)
    hidden[rng.permutation(nnz)[:count]] = True
    return hidden


def within_scale(ratings: Ratings, outside: Outside = "error") -> Ratings:
    """The same ratings, none of them outside their scale: moved to its nearest end, or left out, as ``outside`` says.

    Raises ``OutsideScaleError`` if ``outside`` is 'error' and there is such a rating.
    """
    if outside == "error":
        check_on_scale(ratings, ratings.scale, f"{REMEDY}, or say outside='nearest' or outside='hide'")
    beyond = outside_scale(ratings, ratings.scale)
    if ratings.scale is None or not beyond.any():
        return ratings
    return ratings.select(~beyond) if outside == "hide" else replace(ratings, values=ratings.scale.clip(ratings.values))


def _between(value: Any, low: float, high: float) -> bool:
    """Whether ``value`` is a number in [low, high]; nan is not."""
    try:
        return not isinstance(value, bool) and bool(low <= value <= high)
    except (TypeError, ValueError):
        return False
