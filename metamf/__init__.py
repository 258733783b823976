"""Meta-learning for matrix factorization without shared rows or columns."""

from metamf.checkpoints.files import CheckpointError
from metamf.imputer.estimator import MetaMFImputer, list_pretrained, load_pretrained
from metamf.imputer.result import Imputation, Trajectory
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.version import __version__ as __version__

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
