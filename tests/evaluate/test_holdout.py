"""Errors on observed ratings that are hidden from the methods."""

from dataclasses import replace

import numpy as np
import pytest
from holdouts import holdout_report
from small_checkpoints import made_up, small_checkpoints  # noqa: F401  a fixture

from metamf.evaluate.holdout import NOTHING_BETTER, HoldoutStep, holdout_steps
from metamf.evaluate.methods import Estimates, Method, offered
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale


def spy(seen, key="spy", error=0.0, half=None):
    """A method that knows the truth: row + 10 column, and errs by ``error``."""

    def predict(given, rows, cols, level):
        seen.append((given, set(zip(rows.tolist(), cols.tolist()))))
        mean = rows + 10.0 * cols + error
        return Estimates(mean, None if half is None else np.full(len(rows), half))

    return Method(key, key, "", predict, gives_intervals=half is not None)


def grid(n=8, m=5):
    rows, cols = (at.ravel() for at in np.mgrid[:n, :m])
    return Ratings(rows, cols, rows + 10.0 * cols, (n, m))


def test_held_out_cells_are_hidden_from_the_method_and_each_is_held_out_once():
    seen = []
    steps = list(holdout_steps(grid(), [spy(seen)], 0.9, 10, 0.1, rng=np.random.default_rng(0)))
    report = steps[-1].report
    for given, hidden in seen:
        assert given.nnz == 36 and len(hidden) == report.n_hidden == 4
        assert not hidden & set(zip(given.rows.tolist(), given.cols.tolist()))
    assert len(set.union(*(hidden for _, hidden in seen))) == 40
    assert steps[0] == HoldoutStep(0, 10, "spy") and steps[-1][:3] == (10, 10, "") and len(steps) == 11
    assert report.repeats == 10 and report.observed == 40


def test_errors_and_coverage_are_those_of_the_held_out_cells():
    methods = [spy([], "off by three", 3.0, half=2.9), spy([], "off by two", -2.0, half=2.1), spy([], "bare", 4.0)]
    report = holdout_report(grid(), methods, 0.9, 3, rng=np.random.default_rng(0))
    assert [e.method.key for e in report.errors] == ["off by two", "off by three", "bare"]
    two, three, bare = report.errors
    np.testing.assert_allclose([two.rmse, three.mae, bare.rmse], [[2] * 3, [3] * 3, [4] * 3])
    np.testing.assert_array_equal([two.covered, three.covered], [[1] * 3, [0] * 3])
    assert bare.covered is None


def test_estimates_are_clipped_to_a_known_scale():
    ratings = Ratings(
        *(getattr(grid(), name) for name in ("rows", "cols", "values", "shape")), scale=RatingScale(0, 60)
    )
    (errors,) = holdout_report(ratings, [spy([], error=1000.0)], 0.9, rng=np.random.default_rng(0)).errors
    assert errors.rmse.max() <= 60


def test_too_few_cells_and_odd_settings_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="9 observed cells are too few"):
        holdout_report(grid(3, 3), [spy([])], 0.9, rng=rng)
    for settings in (dict(share=0.0), dict(share=1.0), dict(repeats=0), dict(methods=[])):
        with pytest.raises(ValueError, match="0 < share < 1"):
            holdout_report(**dict(ratings=grid(), methods=[spy([])], level=0.9, rng=rng) | settings)


def test_universal_checkpoint_reports_coverage_on_real_errors():
    report = holdout_report(made_up(30, 20), offered(made_up()), 0.9, 2, rng=np.random.default_rng(0))
    by_key = {e.method.key: e for e in report.errors}
    assert 0 <= by_key["universal"].covered.mean() <= 1 and by_key["mean"].covered is None
    assert all(np.isfinite(e.rmse).all() and (e.mae <= e.rmse + 1e-9).all() for e in report.errors)
    assert report.verdict().startswith(("Use ", NOTHING_BETTER))


def test_a_tuned_method_is_tuned_without_the_hidden_cells_and_measured_as_long_as_time_allows():
    seen = []
    slow = replace(spy(seen, error=1.0), settings={"tune": "auto"})
    known = holdout_report(grid(), [spy([], "plain", 2.0), slow], 0.9, 6, rng=np.random.default_rng(0), seconds=1e-9)
    assert [len(errors.rmse) for errors in known.errors] == [2, 6] and known.repeats == 6 and len(seen) == 2
    for given, hidden in seen:
        assert not hidden & set(zip(given.rows.tolist(), given.cols.tolist()))
    whole = holdout_report(grid(), [spy([], "plain", 2.0), slow], 0.9, 6, rng=np.random.default_rng(0))
    assert [len(errors.rmse) for errors in whole.errors] == [6, 6]
