"""Any method on a table of one's own: units, and what cannot be filled."""

import numpy as np
import pytest
from problems import STARS, ratings_matrix

from metamf import MetaMFImputer
from metamf.figures.window import Window
from metamf.filling.fill_in import fill
from metamf.filling.methods import REFERENCES
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import units_for
from metamf.tasks import comparison
from metamf.tasks.run import View, run
from metamf.tasks.task import Matrix, divide

RATINGS = Ratings.from_dense(ratings_matrix(), scale=STARS)


@pytest.mark.parametrize("key", ["eml", "maml", "ft"])
def test_meta_learned_methods_work_in_the_units_that_the_page_compare_gives_them(key):
    task = divide(Matrix("mine", "", RATINGS, None), 0.6, "at random", 1)
    like = run(task, "ml-1m", 10)
    shown = comparison.of_baseline(key, task, STARS, like).estimate(View(like, Window.of(RATINGS.shape)))
    filled = fill(task.given, key, scale=STARS)
    hidden = np.isnan(task.given.to_dense())
    np.testing.assert_allclose(filled.mean[hidden], shown[hidden], rtol=1e-6)


def test_units_are_the_checkpoint_s_only_where_the_scale_fits():
    imputer = MetaMFImputer("ml-1m").fit(RATINGS)
    assert (
        units_for(RATINGS, imputer.info_.standardization, imputer.info_.scale)
        == imputer.info_.standardization
        == imputer.standardization_
    )
    wide = Ratings.from_dense(20 * ratings_matrix(), scale=RatingScale(0, 100))
    assert units_for(wide, imputer.info_.standardization, imputer.info_.scale).mean == pytest.approx(wide.values.mean())


@pytest.mark.parametrize("key", ["mean", "crossed_effects", "universal", *REFERENCES])
def test_nothing_observed_cannot_be_filled_in(key):
    with pytest.raises(ValueError, match="3 x 4 matrix is observed"):
        fill(Ratings([], [], np.array([]), (3, 4)), key)
