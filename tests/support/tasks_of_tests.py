"""A small task, and runs of the bundled checkpoints on it."""

import numpy as np
import pytest

from metamf.answer.division import Matrix, divide
from metamf.datasets import synthetic
from metamf.webapp.run.measured_run import run


def made_up_matrix(n=12, m=9, density=0.5, seed=0, truth=True):
    matrix = synthetic(np.random.default_rng(seed), n, m, density=density)
    return Matrix("made up", "", matrix.ratings, matrix.truth if truth else None)


def cells(ratings):
    """The ratings by row and column."""
    at = zip(ratings.rows.tolist(), ratings.cols.tolist())
    return dict(zip(at, ratings.values.tolist()))


@pytest.fixture(scope="module")
def example():
    """The universal checkpoint's answer to a task."""
    return run(divide(made_up_matrix(), 0.5, "at random", 1), "universal", 6)
