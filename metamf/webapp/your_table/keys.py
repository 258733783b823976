"""What the parts of Your table depend on: the visitor's settings, and keys that their results are kept under."""

from __future__ import annotations

from dataclasses import dataclass, field

from metamf.filling.outside import Outside
from metamf.ratings.scale import RatingScale
from metamf.webapp.your_table.state import TableKey

AUTO, TUNED = "auto", "tuned"  # beside the keys of methods: what does best here, and the network tuned to the table


@dataclass(frozen=True)
class TableSettings:
    """The settings that the visitor chose.

    Attributes
    ----------
    method : key of the method that fills in the table
    auto : whether that is whatever does best here, and not the visitor's choice
    level : level of the intervals, between 0 and 1
    scale : scale of the ratings, in their units; None where no limits are known
    clip : whether estimates and intervals are cut at the ends of the scale
    round_to_scale : whether estimates are moved to the nearest step of the scale
    hide_some : whether a tenth of the ratings is hidden from the method
    outside : what becomes of ratings outside the scale
    """

    method: str
    auto: bool = field(compare=False)
    level: float
    scale: RatingScale | None
    clip: bool
    round_to_scale: bool
    hide_some: bool
    outside: Outside


@dataclass(frozen=True)
class ErrorsKey:
    """The inputs that the errors on hidden ratings depend on."""

    table: TableKey
    scale: RatingScale | None
    level: float
    outside: Outside


@dataclass(frozen=True)
class FillingKey:
    """The inputs that a filling depends on."""

    table: TableKey
    settings: TableSettings

    @property
    def errors(self) -> ErrorsKey:
        return ErrorsKey(self.table, self.settings.scale, self.settings.level, self.settings.outside)
