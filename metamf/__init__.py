"""Meta-learning for matrix factorization without shared rows or columns."""

from metamf.checkpoints.checkpoint import CheckpointError
from metamf.imputer.estimator import MetaMFImputer, list_pretrained, load_pretrained
from metamf.imputer.result import Imputation, Trajectory
from metamf.ratings.matrix import Ratings, RatingScale

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
