"""The description of a method: for which matrices it is fast enough, and what it is built from."""

from dataclasses import replace

import numpy as np
import pytest

from metamf.baselines.mean import SPEC as MEAN
from metamf.baselines.ours import SPEC as OURS
from metamf.ratings.matrix import Ratings


def test_a_method_is_feasible_up_to_its_cells_and_entries_for_all_fits_together():
    spec, ratings = replace(MEAN, cells=100, entries=30), Ratings.from_dense(np.ones((5, 6)))
    assert spec.feasible(ratings) and not spec.feasible(ratings, fits=2)
    assert not spec.feasible(Ratings([0], [0], [1.0], (11, 10)))
    assert replace(spec, cells=None, entries=None).feasible(Ratings([0], [0], [1.0], (10**6, 10**6)), fits=10**6)


def test_it_is_built_from_a_configuration_of_its_own_without_dropout():
    assert not OURS.build().training
    with pytest.raises(TypeError, match="mean is configured by a MeanConfig, not by "):
        MEAN.build(OURS.default)
