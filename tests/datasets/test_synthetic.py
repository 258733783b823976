"""Synthetic matrices and random domains: reproducible, consistent with their truth, missing as described."""

import numpy as np
import pytest

from metamf.datasets import from_signal, random_domain, synthetic
from metamf.ratings.scale import RatingScale

STARS = RatingScale(1, 5, 1)
JOKES = RatingScale(-10, 10)


def make(seed=0, n_rows=40, n_cols=30, **settings):
    return synthetic(np.random.default_rng(seed), n_rows, n_cols, **settings)


def test_the_same_seed_gives_the_same_matrix():
    one, same, other = make(3), make(3), make(4)
    np.testing.assert_array_equal(one.truth, same.truth)
    np.testing.assert_array_equal(one.ratings.cols, same.ratings.cols)
    assert not np.array_equal(one.truth, other.truth)


@pytest.mark.parametrize("missing", ["random", "popular"])
@pytest.mark.parametrize("density", [1e-9, 0.1, 0.5, 1.0])
def test_the_number_of_observed_entries_is_exact(missing, density):
    assert make(density=density, missing=missing).ratings.nnz == max(1, round(density * 1200))


@pytest.mark.parametrize("scale", [STARS, JOKES, RatingScale(0.5, 5, 0.5), RatingScale(0, 10, 3)])
def test_ratings_are_the_truth_where_observed_and_lie_on_the_scale(scale):
    matrix = make(scale=scale, noise=0.3)
    ratings = matrix.ratings
    np.testing.assert_array_equal(ratings.values, matrix.truth[ratings.rows, ratings.cols])
    assert ratings.scale == scale
    assert scale.minimum <= matrix.truth.min() and matrix.truth.max() <= scale.maximum
    if scale.step:
        steps = (matrix.truth - scale.minimum) / scale.step
        np.testing.assert_allclose(steps, np.round(steps), atol=1e-9)
        assert len(np.unique(matrix.truth)) == 1 + int((scale.maximum - scale.minimum) / scale.step)


@pytest.mark.parametrize("rank", [0, 1, 3])
def test_the_signal_is_of_the_rank_asked_for_beside_its_effects(rank):
    signal = make(rank=rank).signal
    centred = signal - signal.mean(axis=0) - signal.mean(axis=1, keepdims=True) + signal.mean()
    assert np.linalg.matrix_rank(centred, tol=1e-9) == rank
    assert np.linalg.matrix_rank(signal, tol=1e-9) == rank + 2
    assert np.linalg.matrix_rank(make(rank=rank, row_effect=0, column_effect=0, taste=1).signal - 3, tol=1e-9) == rank


def test_popular_missingness_flatters_and_concentrates_and_random_does_neither():
    flattery, share = {}, {}
    for missing in ("random", "popular"):
        drawn = [make(seed, n_rows=100, n_cols=50, density=0.1, missing=missing) for seed in range(10)]
        flattery[missing] = np.mean([m.ratings.values.mean() - m.truth.mean() for m in drawn])
        share[missing] = np.mean([np.sort(m.ratings.col_counts)[-5:].sum() / m.ratings.nnz for m in drawn])
    assert abs(flattery["random"]) < 0.05 and flattery["popular"] > 0.4  # stars; sd 1, 500 ratings, 10 draws
    assert share["random"] < 0.2 and share["popular"] > 0.35  # a tenth of the columns


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_rows": 0}, "n_rows.*0"),
        ({"n_cols": 2.5}, "n_cols.*2.5"),
        ({"rank": -1}, "rank.*-1"),
        ({"rank": 31}, "rank.*30.*31"),
        ({"rank": True}, "rank.*True"),
        ({"density": 0}, "density.*0"),
        ({"density": 1.01}, "density.*1.01"),
        ({"density": np.nan}, "density.*nan"),
        ({"row_effect": -0.1}, "row_effect.*-0.1"),
        ({"column_effect": np.inf}, "column_effect.*inf"),
        ({"taste": np.nan}, "taste.*nan"),
        ({"noise": -1}, "noise.*-1"),
        ({"missing": "often"}, "missing.*'often'"),
        ({"scale": (1, 5)}, "RatingScale.*1, 5"),
    ],
)
def test_parameters_outside_their_range_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        make(**settings)


def test_a_seed_is_not_a_generator_and_a_signal_is_a_finite_matrix():
    with pytest.raises(ValueError, match="Generator.*7"):
        synthetic(7, 3, 3)
    for signal in (np.zeros(3), np.zeros((0, 3)), np.array([[np.nan]])):
        with pytest.raises(ValueError, match="signal"):
            from_signal(np.random.default_rng(0), signal, density=0.5, scale=STARS)


def test_random_domains_differ_in_everything_that_a_model_has_to_find_out():
    rng = np.random.default_rng(0)
    domains = [random_domain(rng, 25, 20) for _ in range(300)]
    assert all(d.shape == (25, 20) and d.nnz >= 1 and np.isfinite(d.values).all() for d in domains)
    densities = np.array([d.density for d in domains])
    assert densities.min() < 0.03 and densities.max() > 0.9 and np.median(densities) == pytest.approx(0.14, abs=0.04)
    unbounded = [d for d in domains if d.scale is None]
    assert 0.08 < len(unbounded) / 300 < 0.25 and all((d.values > 0).all() for d in unbounded)
    values = {d.scale.maximum + 1 for d in domains if d.scale is not None}
    assert values == {2, 3, 5, 7, 10, 1000} and all(d.scale.step == 1 for d in domains if d.scale is not None)
    full = [d.to_dense() for d in (random_domain(rng, 25, 20) for _ in range(2000)) if d.density > 0.9]
    residual = [X - np.nanmean(X, 1, keepdims=True) - np.nanmean(X, 0) + np.nanmean(X) for X in full if np.nanstd(X)]
    shares = [np.nanvar(r) / np.nanvar(X) for r, X in zip(residual, (X for X in full if np.nanstd(X)))]
    assert min(shares) < 0.35 and max(shares) > 0.85  # of what rows and columns do not explain
