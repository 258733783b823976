"""Example matrices: what they show, and that their titles are inventions."""

import numpy as np
import pytest

from metamf.datasets import example_matrices
from metamf.datasets.film_nights import film_night
from metamf.ratings.scale import RatingScale

JOKES = RatingScale(-10, 10)


def test_examples_are_named_described_and_reproducible():
    shown = example_matrices()
    shown.clear()
    assert len(example_matrices()) == 6
    for name, example in example_matrices().items():
        ratings = example.matrix.ratings
        assert example.name == name and example.description.endswith((".", "?"))
        assert len(set(ratings.row_labels)) == ratings.n_rows and len(set(ratings.col_labels)) == ratings.n_cols
        np.testing.assert_array_equal(ratings.values, example.matrix.truth[ratings.rows, ratings.cols])
        with pytest.raises(ValueError, match="read-only"):
            example.matrix.truth[0, 0] = 0


def test_each_example_shows_what_its_description_says():
    matrix = {name: example.matrix for name, example in example_matrices().items()}
    night, hard = matrix["Film night"], matrix["Hard to please"]
    drawn = film_night(0)
    loved = drawn.preference[:, None] == drawn.kind
    assert night.ratings.nnz == 240 and night.truth[loved].mean() > night.truth[~loved].mean() + 1
    assert night.ratings.row_labels == hard.ratings.row_labels
    assert hard.truth.mean() == pytest.approx(night.truth.mean() - 1, abs=0.15)  # ratings end at one star
    hot = matrix["Hot or mild"]
    liked = np.outer(np.arange(20) < 14, np.arange(14) < 10) | np.outer(np.arange(20) >= 14, np.arange(14) >= 10)
    assert hot.truth[liked].mean() > 4 and hot.truth[~liked].mean() < 2 and hot.ratings.density == 1
    jokes = matrix["Jokes"].ratings
    assert jokes.scale == JOKES and 0.7 < jokes.density < 0.75 and jokes.values.min() < -5 and jokes.values.max() > 5
    full = matrix["Full house"].ratings
    assert full.shape == (200, 300) and full.density > 0.9
