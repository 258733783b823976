"""Meta-learning for matrix factorization without shared rows or columns."""

from typing import TYPE_CHECKING

from metamf.version import __version__ as __version__

if TYPE_CHECKING:
    from metamf.answer.answer import Answer, Trajectory
    from metamf.answer.draws import Draws, Pooled
    from metamf.answer.estimator import MetaMFImputer, load_pretrained
    from metamf.answer.guard import GuardWarning
    from metamf.checkpoints.bundled import list_pretrained
    from metamf.checkpoints.info import CheckpointError
    from metamf.ratings.matrix import Ratings
    from metamf.ratings.scale import RatingScale
else:
    from metamf.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "metamf.checkpoints.bundled": "list_pretrained",
            "metamf.checkpoints.info": "CheckpointError",
            "metamf.answer.answer": "Answer Trajectory",
            "metamf.answer.draws": "Draws Pooled",
            "metamf.answer.estimator": "MetaMFImputer load_pretrained",
            "metamf.answer.guard": "GuardWarning",
            "metamf.ratings.matrix": "Ratings",
            "metamf.ratings.scale": "RatingScale",
        },
    )

__all__ = [
    "Answer",
    "CheckpointError",
    "Draws",
    "GuardWarning",
    "MetaMFImputer",
    "Pooled",
    "RatingScale",
    "Ratings",
    "Trajectory",
    "list_pretrained",
    "load_pretrained",
]
