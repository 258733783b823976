"""The scikit-learn estimator."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metamf.imputer.estimator import MetaMFImputer, load_pretrained
    from metamf.imputer.result import Imputation, Trajectory
else:
    from metamf.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "metamf.imputer.estimator": "MetaMFImputer load_pretrained",
            "metamf.imputer.result": "Imputation Trajectory",
        },
    )

__all__ = ["Imputation", "MetaMFImputer", "Trajectory", "load_pretrained"]
