"""The kinds of network as checkpoints give them, small."""

from dataclasses import replace

import numpy as np
from checkpoint_files import INFO
from problems import ratings_matrix, small_model, small_universal

from metamf.checkpoints.files import Checkpoint
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings

EXTENDED_INFO = replace(INFO, kind="universal", standardization=None, scale=None)


def paper_model(**settings) -> Checkpoint:
    return Checkpoint(small_model(**settings).requires_grad_(False), INFO)


def positive_model() -> Checkpoint:
    lowest = INFO.standardization.apply(INFO.scale.minimum)
    return Checkpoint(small_model(steps_rule="nmf", lowest=lowest).requires_grad_(False), INFO)


def extended_model() -> Checkpoint:
    return Checkpoint(small_universal().requires_grad_(False), EXTENDED_INFO)


def standardised(X: np.ndarray) -> RatingsBatch:
    return RatingsBatch.of([Ratings.from_dense((X - 3) / 1.2)])


def with_a_full_row(columns=400, density=0.02) -> np.ndarray:
    """60 x M stars, few observed, but for the first row, which is full."""
    X = ratings_matrix(60, columns, density=density)
    X[0] = np.resize([1.0, 5, 4, 2], columns)
    return X
