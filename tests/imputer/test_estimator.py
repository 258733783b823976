"""The estimator: any shape, units, symmetry, folding in, predictions at positions."""

import pickle
import tracemalloc
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import joblib
import numpy as np
import pytest
import torch
from problems import STARS, ratings_matrix
from sklearn.exceptions import ConvergenceWarning

import metamf
import metamf.imputer.estimator
from metamf import MetaMFImputer, Ratings, RatingScale
from metamf.datasets import synthetic
from metamf.ratings.units import Standardization

PaperImputer = partial(MetaMFImputer, "ml-1m")  # the default is universal


@pytest.fixture
def X():
    return ratings_matrix()


# -- any shape --------------------------------------------------------------------------------------------------------

_ = np.nan
ODD = {
    "1 x M": [[5, _, 1, _, 3]],
    "N x 1": [[5], [_], [1], [_]],
    "1 x 1": [[2]],
    "one observed entry": [[_, _, _], [_, 4, _]],
    "an empty row and an empty column": [[5, _, 1], [_, _, _], [2, _, 4]],
    "constant": [[3, _, 3], [_, 3, _]],
    "far from any rating scale": [[1e9, _], [_, -1e9]],
}


@pytest.mark.parametrize("X", ODD.values(), ids=ODD)
@pytest.mark.parametrize("standardize", ["auto", "checkpoint", "matrix"])
def test_every_shape_gets_finite_estimates_and_keeps_what_was_observed(X, standardize):
    X = np.array(X, dtype=float)
    for clip in (True, False):
        out = PaperImputer(standardize=standardize, clip=clip).fit_transform(X)
        assert out.shape == X.shape and np.isfinite(out).all()
        np.testing.assert_array_equal(out[~np.isnan(X)], X[~np.isnan(X)])


@pytest.mark.parametrize("value", [0.0, 0.1, 3.0, -7e5])
@pytest.mark.parametrize("clip", [True, False])
def test_a_matrix_of_one_value_is_filled_with_it(value, clip):
    X = np.where(np.random.default_rng(0).random((5, 6)) < 0.5, value, np.nan)
    imputer = PaperImputer(standardize="matrix", clip=clip).fit(X)
    np.testing.assert_array_equal(imputer.transform(X), np.full((5, 6), value))
    np.testing.assert_array_equal(imputer.predict([0, 4], [0, 5]), [value, value])


def test_one_rating_of_a_known_scale_moves_estimates_without_fixing_them():
    out = PaperImputer().fit_transform(Ratings([0], [0], [5.0], (3, 3), scale=STARS))
    assert out[0, 0] == 5 and len(np.unique(out.round(6))) > 1
    assert (out >= 1).all() and (out <= 5).all()


def test_a_dense_matrix_of_300_by_300_takes_safe_steps():
    X = ratings_matrix(300, 300, density=0.95)
    imputer = PaperImputer().fit(X)
    assert imputer.step_rule_ == "safe"
    truth = synthetic(np.random.default_rng(0), 300, 300, density=0.95, scale=STARS).truth
    hidden = np.isnan(X)
    estimates = imputer.predict(*np.nonzero(hidden))
    assert np.mean((estimates - truth[hidden]) ** 2) < 0.8 * np.var(truth[hidden])
    with pytest.warns(ConvergenceWarning, match="diverges on this matrix"):
        PaperImputer(step_rule="paper").fit(X)


def test_a_small_matrix_takes_the_paper_s_steps(X):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        auto, paper = PaperImputer().fit(X), PaperImputer(step_rule="paper").fit(X)
    assert auto.step_rule_ == "paper"
    np.testing.assert_array_equal(auto.U_, paper.U_)


def test_steps_can_be_chosen(X):
    few, many = (PaperImputer(steps=steps).impute(X).trajectory for steps in (2, 5))
    assert (few.T, many.T) == (2, 5)
    np.testing.assert_allclose(many.U[:3], few.U, atol=1e-6)
    assert PaperImputer(steps=0).fit_transform(X).shape == X.shape


# -- units ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("a", "b"), [(1e-6, 0), (1e6, 0), (1e-6, 1), (3, -1e6), (1e6, 1e9), (1e-200, 0), (1e200, 0)])
@pytest.mark.parametrize("clip", [True, False])
def test_a_change_of_units_changes_the_answer_likewise(X, a, b, clip):
    imputer = MetaMFImputer(standardize="matrix", clip=clip)
    expected, found = imputer.fit_transform(X), imputer.fit_transform(a * X + b)
    np.testing.assert_allclose((found - b) / a, expected, atol=2e-3)


def test_the_matrix_s_units_are_its_own_mean_and_spread(X):
    imputer = MetaMFImputer(standardize="matrix").fit(X)
    own = Standardization.of(X[~np.isnan(X)])
    assert (imputer.standardization_.mean, imputer.standardization_.std) == pytest.approx((own.mean, own.std))


def test_auto_takes_the_checkpoint_s_units_where_the_scale_fits(X):
    def units(X, checkpoint="ml-1m"):
        imputer = MetaMFImputer(checkpoint).fit(X)
        return imputer.standardization_ == imputer.info_.standardization

    low = np.where(np.isnan(X), np.nan, np.minimum(X, 2))
    assert units(X)
    assert not units(low)  # the range of its entries, 1 to 2, says nothing of a 5
    assert units(Ratings.from_dense(low, scale=STARS))  # the scale does
    assert not units(Ratings.from_dense(X, scale=RatingScale(0.5, 5, 0.5)))
    assert not units(10 * X) and not units(X - 3)
    assert not units(X, "jester") and units(4 * X - 10, "jester")


def test_estimates_stay_within_the_scale_unless_told_otherwise():
    rng = np.random.default_rng(3)
    X = np.where(rng.random((20, 20)) < 0.4, np.where(np.arange(20)[:, None] < 10, 5.0, 1.0), np.nan)
    X[0, 0] = 1
    for standardize, scale in (("checkpoint", STARS), ("matrix", RatingScale(1, 5))):
        clipped, free = (PaperImputer(standardize=standardize, clip=clip).fit(X) for clip in (True, False))
        assert clipped.scale_ == scale
        outside = free.transform(X)
        assert outside.min() < 1 or outside.max() > 5
        np.testing.assert_array_equal(clipped.transform(X), np.clip(outside, 1, 5))


# -- symmetry and folding in ------------------------------------------------------------------------------------------


def test_the_order_of_rows_and_columns_does_not_matter(X):
    rng = np.random.default_rng(1)
    rows, cols = rng.permutation(12), rng.permutation(9)
    expected = MetaMFImputer().fit_transform(X)
    assert np.ptp(expected[np.isnan(X)]) > 0.1
    np.testing.assert_allclose(MetaMFImputer().fit_transform(X[rows][:, cols]), expected[rows][:, cols], atol=1e-5)


def test_rows_of_the_fit_get_the_fit_s_estimates_alone_or_together(X):
    imputer = MetaMFImputer()
    expected = imputer.fit_transform(X)
    np.testing.assert_allclose(imputer.transform(X), expected, atol=1e-5)
    np.testing.assert_allclose(imputer.impute(X).filled, expected, atol=1e-12)
    alone = np.concatenate([imputer.transform(X[n : n + 1]) for n in range(12)])
    np.testing.assert_allclose(alone, expected, atol=1e-5)


def test_a_new_row_follows_its_own_ratings_and_its_neighbours():
    rng = np.random.default_rng(0)
    sides = np.repeat([1, -1], 12)[:, None] * np.repeat([1, -1], 10)  # two groups that disagree on everything
    X = np.where(rng.random(sides.shape) < 0.5, 3.0 + 2 * sides, np.nan)
    new = np.full((3, 20), np.nan)
    new[0, :4], new[1, :4] = 5, 1  # the third row has no rating at all
    out = MetaMFImputer().fit(X).transform(new)
    assert out[0, 4:10].mean() > 3.3 > 2.7 > out[1, 4:10].mean()
    assert out[0, 4:10].mean() > out[0, 10:].mean() and out[1, 4:10].mean() < out[1, 10:].mean()
    assert np.isfinite(out[2]).all()


def test_a_long_new_row_takes_safe_steps_where_the_paper_s_diverge():
    sparse = ratings_matrix(40, 1500, density=0.005)
    long = ratings_matrix(2, 1500, density=0.9, seed=5)[:1]
    new = np.concatenate([sparse[:3], long])
    imputer = PaperImputer().fit(sparse)
    assert imputer.step_rule_ == "paper"
    ratings = Ratings.from_dense(new)
    with torch.inference_mode():
        paper = imputer._model.fold_in(imputer._batch(ratings), imputer._adapted).numpy()
    U = imputer._fold_in(ratings)
    np.testing.assert_allclose(U[:3], paper[:3], atol=1e-6)
    standardised = imputer.standardization_.apply(long[~np.isnan(long)])
    fitted = [(factors[3] @ imputer.V_.T)[~np.isnan(long[0])] for factors in (U, paper)]
    error = [np.mean((estimate - standardised) ** 2) for estimate in fitted]
    assert error[0] < 1.5 and not error[1] < 10 * error[0]


@pytest.mark.parametrize("checkpoint", ["ml-1m", "universal"])
@pytest.mark.parametrize("value", [1e20, -1e100, 1e300])
def test_a_new_row_far_from_everything_fitted_gets_an_answer(X, checkpoint, value):
    new = np.full((2, 9), np.nan)
    new[0, 0] = value
    imputer = MetaMFImputer(checkpoint).fit(X)
    out = imputer.transform(new)
    assert np.isfinite(out).all() and out[0, 0] == value
    np.testing.assert_allclose(out[1], imputer.transform(new[1:])[0], rtol=1e-5)


# -- predict, impute --------------------------------------------------------------------------------------------------


def test_predictions_equal_the_matrix_of_estimates(X):
    imputer = MetaMFImputer().fit(X)
    mean = imputer.impute(X).mean
    rows, cols = np.nonzero(np.isfinite(mean))
    np.testing.assert_allclose(imputer.predict(rows, cols), mean.ravel(), atol=1e-6)
    np.testing.assert_allclose(imputer.predict([3], np.arange(9)), mean[3], atol=1e-6)
    assert imputer.predict([], []).shape == (0,)


def test_predict_builds_no_n_by_m_matrix():
    rng = np.random.default_rng(0)
    N, M = 20_000, 10_000
    cells = rng.choice(N * M, 3000, replace=False)
    imputer = MetaMFImputer().fit(Ratings(cells // M, cells % M, rng.integers(1, 6, 3000), (N, M)))
    tracemalloc.start()
    out = imputer.predict(rng.integers(0, N, 1000), rng.integers(0, M, 1000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert out.shape == (1000,) and np.isfinite(out).all()
    assert peak < 10e6 < N * M / 8  # far below even one bit per cell


@pytest.mark.parametrize(
    ("rows", "cols", "error", "message"),
    [
        ([0, 12], [0, 0], IndexError, r"row 12 lies outside 0 \.\.\. 11"),
        ([0, -1], [0, 0], IndexError, r"row -1 lies outside 0 \.\.\. 11"),
        ([0], [9], IndexError, r"column 9 lies outside 0 \.\.\. 8"),
        ([0.0], [1], TypeError, "row positions are integers, got float64"),
        ([0], [True], TypeError, "column positions are integers, got bool"),
    ],
)
def test_positions_outside_the_matrix_are_named(X, rows, cols, error, message):
    with pytest.raises(error, match=message):
        MetaMFImputer().fit(X).predict(rows, cols)


def test_a_fitted_imputer_survives_pickle_and_joblib(X, tmp_path):
    imputer = MetaMFImputer().fit(X)
    joblib.dump(imputer, tmp_path / "imputer.joblib")
    for copy in (pickle.loads(pickle.dumps(imputer)), joblib.load(tmp_path / "imputer.joblib")):
        np.testing.assert_array_equal(copy.predict([0, 5], [8, 2]), imputer.predict([0, 5], [8, 2]))
        np.testing.assert_array_equal(copy.transform(X), imputer.transform(X))


def test_impute_leaves_the_imputer_as_it_was_so_threads_can_share_it():
    shared = metamf.load_pretrained("ml-1m")
    matrices = [ratings_matrix(6 + n, 5 + n % 7, seed=n) for n in range(12)]
    expected = [metamf.load_pretrained("ml-1m").impute(X).mean for X in matrices]
    with ThreadPoolExecutor(4) as threads:
        for found, alone in zip(threads.map(lambda X: shared.impute(X).mean, matrices * 3), expected * 3):
            np.testing.assert_array_equal(found, alone)
    assert vars(shared) == vars(metamf.load_pretrained("ml-1m"))


def test_fitting_neither_prints_nor_disturbs_torch_s_random_numbers(X, capsys):
    before = torch.get_rng_state()
    MetaMFImputer().fit_transform(X)
    assert torch.equal(torch.get_rng_state(), before)
    assert capsys.readouterr() == ("", "")
