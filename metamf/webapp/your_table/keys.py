"""The visitor's settings of Your table: what its parts depend on, and the keys that their results are kept under."""

from __future__ import annotations

from dataclasses import dataclass, field

from metamf.evaluate.filling import Outside
from metamf.ratings.scale import RatingScale
from metamf.webapp.your_table.state import TableKey

AUTO, TUNED = "auto", "tuned"  # beside the keys of methods: what does best here, and the network tuned to the table


@dataclass(frozen=True)
class ErrorsKey:
    """The inputs that the errors of all methods on hidden ratings depend on.

    Attributes
    ----------
    table : the table
    scale : scale of the ratings, in their units; None where no limits are known
    outside : rule for ratings outside the scale
    """

    table: TableKey
    scale: RatingScale | None
    outside: Outside


@dataclass(frozen=True)
class FillingKey:
    """The inputs that a filling depends on: those of the errors, and these.

    Attributes
    ----------
    errors : the inputs that the errors depend on
    level : level of the intervals, between 0 and 1
    method : key of the method that fills in the table
    auto : whether that is whatever does best here, and not the visitor's choice
    clip : whether estimates and intervals are cut at the ends of the scale
    round_to_scale : whether estimates are moved to the nearest step of the scale
    hide_some : whether a tenth of the ratings is hidden from the method
    """

    errors: ErrorsKey
    level: float
    method: str
    auto: bool = field(compare=False)
    clip: bool
    round_to_scale: bool
    hide_some: bool
