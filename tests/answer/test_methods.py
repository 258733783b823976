"""The methods that fill in a matrix: by name, with settings, and which are offered."""

import numpy as np
import pytest
from small_checkpoints import made_up

from metamf.answer.methods import (
    TUNED_BASELINES,
    compared,
    contender,
    method,
    offered,
    tuned_baseline,
)
from metamf.ratings.matrix import Ratings

pytestmark = pytest.mark.usefixtures("small_checkpoints")


def test_means_of_rows_and_columns_are_those_means():
    X = np.array([[1.0, 2.0, np.nan], [np.nan, 5.0, np.nan], [np.nan, np.nan, np.nan]])
    ratings = Ratings.from_dense(X)
    of_rows, of_cols = (method(key).predict(ratings, None) for key in ("row_means", "col_means"))
    np.testing.assert_allclose(of_rows.mean[:, 0], [1.5, 5, 8 / 3])
    np.testing.assert_allclose(of_cols.mean[0], [1, 3.5, 8 / 3])


def test_settings_of_a_checkpoint_are_followed():
    assert method("ml-1m", steps=0).predict(made_up(), None).path.T == 0
    with pytest.raises(
        ValueError, match="steps: .* of checkpoints, and 'mean' is not a checkpoint"
    ):
        method("mean", steps=3)


def test_unknown_and_untrained_methods_are_refused():
    with pytest.raises(ValueError, match="'ours' has to be meta-trained"):
        method("ours")
    with pytest.raises(FileNotFoundError, match="no checkpoint 'novelty': .* universal; .* eml, "):
        method("novelty")


def test_offered_methods_start_with_intervals_and_end_with_the_means_and_drop_what_is_slow():
    keys = [how.key for how in offered(made_up())]
    assert keys[:2] == ["universal", "ml-1m"]
    assert keys[-3:] == ["mean", "row_means", "col_means"]
    assert "mf" in keys
    assert "mf" not in [how.key for how in offered(made_up(250, 200, 0.5))]


def table(scales=1.0, n=25, m=8):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2)) @ rng.normal(size=(2, m)) + 0.3 * rng.normal(size=(n, m))
    X[rng.random(X.shape) < 0.3] = np.nan
    return Ratings.from_dense(X * scales)


@pytest.mark.slow
@pytest.mark.parametrize("key", TUNED_BASELINES)
def test_a_tuned_baseline_estimates_cells_that_it_was_not_given(key):
    ratings = table()
    hidden = np.arange(0, ratings.nnz, 7)
    given = ratings.select(np.delete(np.arange(ratings.nnz), hidden))
    mean = tuned_baseline(key).predict(given, None).at(ratings.rows[hidden], ratings.cols[hidden])
    truth = ratings.values[hidden]
    assert np.sqrt(np.mean((mean - truth) ** 2)) < 1.15 * truth.std()


def test_a_contender_is_found_again_by_its_name():
    for how in compared(table(), 5):
        assert contender(how.name).label == how.label
