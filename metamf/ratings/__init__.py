"""Rating matrices, their scales and units, and sums over their entries."""

from typing import TYPE_CHECKING

from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale, guess_scale
from metamf.ratings.units import ScaleUnits, Standardization

if TYPE_CHECKING:
    from metamf.ratings.batch import RatingsBatch
else:

    def __getattr__(name):
        """``RatingsBatch`` is imported when it is asked for: it needs torch, the other names do not."""
        if name == "RatingsBatch":
            from metamf.ratings.batch import RatingsBatch

            return RatingsBatch
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["RatingScale", "Ratings", "RatingsBatch", "ScaleUnits", "Standardization", "guess_scale"]
