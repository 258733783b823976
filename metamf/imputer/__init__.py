"""The scikit-learn estimator."""

from metamf.imputer.estimator import MetaMFImputer, load_pretrained
from metamf.imputer.result import Imputation, Trajectory

__all__ = ["Imputation", "MetaMFImputer", "Trajectory", "load_pretrained"]
