"""Example matrices: what they show, and that their titles are inventions."""

import numpy as np
import pytest

from metamf.datasets import example_matrices
from metamf.ratings.scale import RatingScale


def test_examples_are_named_described_and_reproducible():
    example_matrices().clear()
    assert len(example_matrices()) == 6
    for name, example in example_matrices().items():
        ratings = example.matrix.ratings
        assert example.name == name and example.description.endswith((".", "?"))
        for labels, size in zip((ratings.row_labels, ratings.col_labels), ratings.shape):
            assert len(set(labels)) == size
        observed = example.matrix.truth[ratings.rows, ratings.cols]
        np.testing.assert_array_equal(ratings.values, observed)
        with pytest.raises(ValueError, match="read-only"):
            example.matrix.truth[0, 0] = 0


def test_each_example_shows_what_its_description_says():
    matrix = {name: example.matrix for name, example in example_matrices().items()}
    night, hard = matrix["Film night"], matrix["Hard to please"]
    assert night.ratings.nnz == 240
    assert night.ratings.row_labels == hard.ratings.row_labels
    # ratings end at one star
    assert hard.truth.mean() == pytest.approx(night.truth.mean() - 1, abs=0.15)
    hot = matrix["Hot or mild"]
    liked = (np.arange(20) < 14)[:, None] == (np.arange(14) < 10)
    assert hot.truth[liked].mean() > 4 and hot.truth[~liked].mean() < 2 and hot.ratings.density == 1
    jokes, full = matrix["Jokes"].ratings, matrix["Full house"].ratings
    assert jokes.scale == RatingScale(-10, 10) and 0.7 < jokes.density < 0.75
    assert full.shape == (200, 300) and full.density > 0.9
