"""What a verdict compares, and the choice of settings."""

import numpy as np
import pytest
from holdouts import holdout_report
from small_checkpoints import small_checkpoints  # noqa: F401  a fixture

from metamf.evaluate.holdout import HoldoutReport, holdout_steps
from metamf.evaluate.methods import TUNED_BASELINES, compared, contender, method, tuned_baseline, with_members
from metamf.ratings.matrix import Ratings


def table(scales=1.0, n=25, m=8):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2)) @ rng.normal(size=(2, m)) + 0.3 * rng.normal(size=(n, m))
    X[rng.random(X.shape) < 0.3] = np.nan
    return Ratings.from_dense(X * scales)


@pytest.mark.parametrize("key", TUNED_BASELINES)
def test_a_rival_estimates_cells_that_it_was_not_given(key):
    ratings = table()
    hidden = np.arange(0, ratings.nnz, 7)
    given = ratings.select(np.delete(np.arange(ratings.nnz), hidden))
    mean = tuned_baseline(key).predict(given, ratings.rows[hidden], ratings.cols[hidden], None).mean
    truth = ratings.values[hidden]
    assert np.sqrt(np.mean((mean - truth) ** 2)) < 1.15 * truth.std()


def test_averages_and_the_network_come_first_and_no_gradient_descent(small_checkpoints):  # noqa: F811
    names = [how.name for how in compared(table(), 5)]
    assert names[:4] == ["mean", "row_means", "col_means", "universal"] and "mf" not in names
    assert names[-2:] == ["iterative", "universal+trees"]
    one_column = Ratings.from_dense(np.arange(5.0)[:, None])
    assert with_members(one_column) == []
    assert [how.name for how in with_members(Ratings.from_dense(np.eye(200)))] == ["universal+normal"]  # many columns


def test_a_contender_is_found_again_by_its_name(small_checkpoints):  # noqa: F811
    for how in compared(table(), 5):
        assert contender(how.name).label == how.label
    tuned = contender("universal+tuned+normal", seconds=3.0)
    assert tuned.settings == {"tune": "auto", "tune_seconds": 3.0, "members": "normal"}
    assert tuned.tuned and tuned.name_untuned == "universal+normal" and not contender("universal+normal").tuned
    trees = contender("universal+trees")
    assert trees.settings == {"members": "trees"} and trees.label == f"{contender('universal+normal').label} and trees"


def test_reports_grow_method_by_method_and_travel_as_values():
    methods = [method("mean"), method("col_means"), method("row_means")]
    steps = list(holdout_steps(table(), methods, 0.9, 3, rng=np.random.default_rng(0)))
    reports = [step.report for step in steps if step.report is not None]
    assert [len(report.errors) for report in reports] == [1, 2, 3] and steps[-1].report is reports[-1]
    again = HoldoutReport.from_dict(reports[-1].to_dict(), {how.key: how for how in methods})
    assert again.to_dict() == reports[-1].to_dict()


def test_errors_in_units_of_columns_do_not_depend_on_their_scales():
    scales = np.array([1, 10, 1e-3, 1, 1, 1e4, 1, 1])
    one, other = (
        holdout_report(table(s), [method("col_means")], 0.9, 4, rng=np.random.default_rng(0), relative=True)
        for s in (1.0, scales)
    )
    np.testing.assert_allclose(one.errors[0].rmse, other.errors[0].rmse, rtol=0.1)
    assert one.relative and 0.7 < one.errors[0].rmse.mean() < 1.4
