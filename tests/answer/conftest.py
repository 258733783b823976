"""A matrix of stars, and the small checkpoints in the place of the bundled ones."""

import pytest
from problems import ratings_matrix
from small_checkpoints import small_checkpoints  # noqa: F401  a fixture


@pytest.fixture
def X():
    return ratings_matrix()
