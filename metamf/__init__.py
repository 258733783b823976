"""Meta-learning for matrix factorization without shared rows or columns."""

from metamf.checkpoints import CheckpointError
from metamf.imputation import Imputation, Trajectory
from metamf.imputer import MetaMFImputer, list_pretrained, load_pretrained
from metamf.ratings import Ratings, RatingScale

__version__ = "0.1.0"

__all__ = [
    "CheckpointError",
    "Imputation",
    "MetaMFImputer",
    "RatingScale",
    "Ratings",
    "Trajectory",
    "list_pretrained",
    "load_pretrained",
]
