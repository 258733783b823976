"""Rating matrices, their scales and units, and sums over their entries."""

from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale, guess_scale
from metamf.ratings.units import ScaleUnits, Standardization

__all__ = ["RatingScale", "Ratings", "ScaleUnits", "Standardization", "guess_scale"]
