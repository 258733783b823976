"""The verdict's table on its way to the worker."""

import json

import numpy as np
from your_table import small_world  # noqa: F401  a fixture

from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.webapp.your_table.task import as_ratings, as_values, verdict


def test_the_table_goes_to_the_worker_without_its_names_and_comes_as_it_was(tmp_path):
    ratings = Ratings.from_dense([[1, np.nan], [2.5, 3]], row_labels=("Ada", "Ben"), scale=RatingScale(0.5, 5, 0.5))
    values = json.loads(json.dumps(as_values(ratings)))
    again = as_ratings(values)
    assert "Ada" not in str(values) and again.scale == ratings.scale and again.shape == (2, 2)
    np.testing.assert_array_equal(again.to_dense(), ratings.to_dense())
    steps = verdict({"ratings": values | {"values": ["x"] * 3}, "level": 0.9, "repeats": 2}, tmp_path)
    try:
        next(steps)
    except (RuntimeError, ValueError) as error:
        assert "2.5" not in str(error)
