"""What a rating matrix is, and sums over its entries."""

from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale, guess_scale
from metamf.ratings.units import ScaleUnits, Standardization

__all__ = ["RatingScale", "Ratings", "RatingsBatch", "ScaleUnits", "Standardization", "guess_scale"]
