"""The estimator: any shape, units, symmetry, folding in, intervals, what a fit leaves behind, and
scikit-learn's contract. How wide intervals are: network/universal/test_intervals."""

import doctest
import pickle
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pandas as pd
import pytest
import torch
from problems import STARS, ratings_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import metamf
from metamf import MetaMFImputer, Ratings, RatingScale
from metamf.ratings.limits import OutsideScaleError

PaperImputer = partial(MetaMFImputer, "ml-1m")  # the default is universal


@pytest.fixture(scope="module")
def fitted():
    """An imputer that nothing else is done with."""
    return MetaMFImputer().fit(ratings_matrix())


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
@pytest.mark.parametrize("standardize", ["checkpoint", "matrix"])
def test_every_shape_gets_finite_estimates_and_keeps_what_was_observed(X, standardize):
    X = np.array(X, dtype=float)
    for clip in (True, False):
        out = PaperImputer(standardize=standardize, clip=clip).fit_transform(X)
        assert out.shape == X.shape and np.isfinite(out).all()
        np.testing.assert_array_equal(out[~np.isnan(X)], X[~np.isnan(X)])
        if np.nanmin(X) == np.nanmax(X) and standardize == "matrix":
            assert (out == np.nanmin(X)).all()


def test_a_dense_matrix_takes_safe_steps_and_a_user_who_insists_on_the_paper_s_is_warned():
    X = ratings_matrix(300, 300, density=0.95)
    assert PaperImputer().fit(X).step_rule_ == "safe"
    with pytest.warns(ConvergenceWarning, match="diverges on this matrix"):
        PaperImputer(step_rule="paper").fit(X)


@pytest.mark.parametrize("standardize", ["matrix", "columns", "rows"])
def test_the_components_are_in_rating_units_unless_each_row_has_its_own(X, standardize):
    imputer = MetaMFImputer("universal", standardize=standardize, clip=False).fit(X)
    at = np.mgrid[: len(X), : X.shape[1]]
    parts, units = imputer.U_ @ imputer.components_, imputer.standardization_
    expected = units.undo_at(parts, *at) if standardize == "rows" else units.mean + parts
    np.testing.assert_allclose(imputer.estimate(*at), expected, rtol=1e-6)


def test_estimates_stay_within_the_scale_unless_told_otherwise():
    rng = np.random.default_rng(3)
    liked = np.where(np.arange(20)[:, None] < 10, 5.0, 1.0)
    X = np.where(rng.random((20, 20)) < 0.4, liked, np.nan)
    X[0, 0] = 1
    for standardize, scale in (("checkpoint", STARS), ("matrix", RatingScale(1, 5))):
        clipped, free = (
            PaperImputer(standardize=standardize, clip=clip).fit(X) for clip in (True, False)
        )
        outside = free.transform(X)
        assert outside.min() < 1 or outside.max() > 5
        assert clipped.scale_ == scale
        np.testing.assert_array_equal(clipped.transform(X), np.clip(outside, 1, 5))


def heavy_rater(seed, M):
    """30 x M made-up stars, 15% observed; one rater has rated all but one: of 150, too many for the
    paper's step."""
    rng = np.random.default_rng(seed)
    effects = 0.7 * rng.normal(size=(30, 1)) + 0.7 * rng.normal(size=M)
    stars = np.clip(np.round(3 + effects + 0.7 * rng.normal(size=(30, M))), 1, 5)
    given = rng.random(stars.shape) < 0.15
    given[0] = np.arange(M) != rng.integers(M)
    return np.where(given, stars, np.nan)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("checkpoint", "rule", "seed", "M"),
    [("ml-1m", "auto", 1, 150), ("ml-1m", "safe", 7, 150), ("universal", "auto", 1, 50)],
)
def test_fit_transform_is_fit_and_then_transform_beside_a_heavy_rater(checkpoint, rule, seed, M):
    X = heavy_rater(seed, M)
    imputer = MetaMFImputer(checkpoint, step_rule=rule)
    together = imputer.fit_transform(X)
    np.testing.assert_allclose(imputer.transform(X), together, atol=1e-4)
    np.testing.assert_allclose(imputer.transform(X[:1]), together[:1], atol=1e-4)
    np.testing.assert_allclose(imputer.impute(X).filled, together, atol=1e-12)
    at = np.nonzero(np.isnan(X))
    np.testing.assert_allclose(imputer.estimate(*at), together[at], atol=1e-6)


@pytest.mark.parametrize("checkpoint", ["ml-1m", "universal"])
@pytest.mark.parametrize("value", [1e20, -1e100, 1e300])
def test_a_new_row_far_from_everything_fitted_gets_an_answer(X, checkpoint, value):
    new = np.full((2, 9), np.nan)
    new[0, 0] = value
    imputer = MetaMFImputer(checkpoint).fit(X)
    out = imputer.transform(new)
    assert np.isfinite(out).all() and out[0, 0] == value
    np.testing.assert_allclose(out[1], imputer.transform(new[1:])[0], rtol=1e-5)


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
def test_positions_outside_the_matrix_are_named(fitted, rows, cols, error, message):
    with pytest.raises(error, match=message):
        fitted.estimate(rows, cols)


def test_what_cannot_be_left_out_is_named(fitted):
    with pytest.raises(IndexError, match="entry -1 lies outside"):
        fitted.estimates_without([-1], 0, 0)
    with pytest.raises(ValueError, match="leaves nothing to estimate from"):
        MetaMFImputer().fit([[1, np.nan]]).estimates_without([0], 0, 0)


def test_a_scale_can_be_given_with_an_array(X):
    expected = MetaMFImputer("universal").impute(Ratings.from_dense(X, scale=STARS), interval=0.9)
    for scale in ((1, 5), STARS):
        found = metamf.load_pretrained("universal", scale=scale).impute(X, interval=0.9)
        for part in ("mean", "lower", "upper"):
            np.testing.assert_array_equal(getattr(found, part), getattr(expected, part))
    assert MetaMFImputer(scale=(0, 10)).fit(X).scale_ == RatingScale(0, 10)


@pytest.mark.gpu
def test_a_gpu_gives_the_estimator_s_answers(X):
    rows, cols, units = np.array([0, 3]), np.array([2, 1]), 10.0 ** np.arange(X.shape[1])

    def answers(device):
        imputer = MetaMFImputer("universal", device=device)
        result = imputer.impute(X, interval=0.9)
        yield from (result.mean, result.lower, result.upper, *result.interval_at(rows, cols))
        yield imputer.fit_transform(X)
        yield from (imputer.transform(X[:3]), imputer.estimate(rows, cols))
        yield pickle.loads(pickle.dumps(imputer)).transform(X[:3])
        yield MetaMFImputer("ml-100k", device=device).fit_transform(X)
        own_units = MetaMFImputer(device=device).impute(X * units, interval=0.9)
        for part in (own_units.mean, own_units.lower, own_units.upper):
            yield part / units

    for on_cpu, on_gpu in zip(answers("cpu"), answers("cuda")):
        np.testing.assert_allclose(on_gpu, on_cpu, rtol=0, atol=1e-6)


@pytest.mark.data
def test_the_bundled_checkpoint_predicts_a_data_set_that_it_never_saw():
    """The official split u1 of ML-100K."""
    given, asked = metamf.datasets.load_official_split()
    result = MetaMFImputer("universal").fit(given).impute(interval=0.9)
    off = np.abs(result.mean[asked.rows, asked.cols] - asked.values)
    assert np.sqrt(np.mean(off**2)) < 0.9
    assert 0.88 < (off <= result.half_width[asked.rows, asked.cols]).mean() < 0.92


def test_a_failed_fit_leaves_the_imputer_as_it_was(X):
    frame = pd.DataFrame(X, columns=list("abcdefghi"))
    imputer = MetaMFImputer().fit(frame)
    before, expected = dict(vars(imputer)), imputer.estimate([0, 5], [8, 2])
    imputer.set_params(steps=0)
    with pytest.raises(ValueError, match="at least 1"):
        imputer.fit(100 * X[:, :4])
    with pytest.raises(ValueError, match="no entry"):
        imputer.set_params(steps=None).fit(np.full((3, 2), np.nan))
    with pytest.raises(FileNotFoundError):
        imputer.set_params(checkpoint="none").fit(X)
    imputer.set_params(checkpoint=None)
    assert vars(imputer) == before
    np.testing.assert_array_equal(imputer.estimate([0, 5], [8, 2]), expected)
    np.testing.assert_allclose(imputer.transform(frame), imputer.fit_transform(frame), atol=1e-9)


def test_a_rating_outside_the_known_scale_is_refused_in_fit_and_in_transform(X, fitted):
    new = np.full((2, 9), np.nan)
    new[1, 3] = 9
    given = Ratings.from_dense(new, scale=STARS)
    imputer = MetaMFImputer(scale=(1, 5)).fit(X)
    for call, ratings in (
        (MetaMFImputer(scale=(1, 5)).fit, new),
        (MetaMFImputer().fit, given),
        (imputer.transform, new),
    ):
        with pytest.raises(OutsideScaleError, match=r"rating 9 in cell \(1, 3\) lies outside"):
            call(ratings)
    assert fitted.transform(new)[1, 3] == 9  # no scale is known


@pytest.mark.slow
def test_impute_leaves_the_imputer_as_it_was_so_threads_can_share_it():
    shared = metamf.load_pretrained("ml-1m")
    matrices = [ratings_matrix(6 + n, 5 + n % 7, seed=n) for n in range(12)]
    expected = [metamf.load_pretrained("ml-1m").impute(X).mean for X in matrices]
    with ThreadPoolExecutor(4) as threads:
        found = threads.map(lambda X: shared.impute(X).mean, matrices * 3)
        for one, alone in zip(found, expected * 3):
            np.testing.assert_array_equal(one, alone)
    assert vars(shared) == vars(metamf.load_pretrained("ml-1m"))


def test_fitting_neither_prints_nor_disturbs_torch_s_random_numbers(X, capsys):
    before = torch.get_rng_state()
    MetaMFImputer().fit_transform(X)
    assert torch.equal(torch.get_rng_state(), before)
    assert capsys.readouterr() == ("", "")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_s_checks_pass():
    checks = check_estimator(MetaMFImputer(), on_fail=None)
    assert [check for check in checks if check["status"] == "failed"] == []


def test_an_unknown_checkpoint_is_named_and_the_others_are_listed(X):
    with pytest.raises(FileNotFoundError, match=r"no checkpoint 'ml-2m': .* jester, .*ml-1m"):
        MetaMFImputer("ml-2m").fit(X)
    for name in ("ml-2m", "../pretrained/ml-1m", "/etc/passwd", "", "ml-1m.safetensors"):
        with pytest.raises(metamf.CheckpointError, match=r"there are .*jester, .*\(checkpoint="):
            metamf.load_pretrained(name)


def test_the_example_in_the_docstring_runs():
    found = doctest.DocTestFinder(recurse=False).find(MetaMFImputer, "MetaMFImputer")
    assert doctest.DocTestRunner().run(found[0]) == (0, 7)


def test_in_a_pipeline_with_names_and_pandas_output(X):
    frame = pd.DataFrame(X, columns=[f"film {m}" for m in range(X.shape[1])])
    pipeline = make_pipeline(
        FunctionTransformer(feature_names_out="one-to-one"), MetaMFImputer(), StandardScaler()
    )
    out = pipeline.set_output(transform="pandas").fit_transform(frame)
    assert list(out.columns) == list(frame.columns)
    assert list(pipeline[:2].get_feature_names_out()) == list(frame.columns)


def test_intervals_lie_around_the_estimates_and_widen_with_the_level(X):
    free = MetaMFImputer("universal", clip=False).fit(X)
    results = [free.impute(interval=level) for level in (0.5, 0.8, 0.95)]
    for result in results:
        np.testing.assert_allclose((result.lower + result.upper) / 2, result.mean)
        np.testing.assert_array_equal(result.mean, free.impute().mean)
    assert [result.level for result in results] == [0.5, 0.8, 0.95]
    widths = [result.half_width for result in results]
    assert (0 < widths[0]).all() and (np.diff(widths, axis=0) > 0).all()
    assert np.ptp(widths[0]) > 0.01  # each cell has its own


def test_without_a_level_there_are_no_intervals_and_other_levels_are_named(X):
    imputer = MetaMFImputer("universal")
    result = imputer.impute(X)
    assert (result.level, result.half_width, result.lower, result.upper) == (None, None, None, None)
    for level in (0.0, 1.0, 90):
        with pytest.raises(ValueError, match=f"lie between 0.01 and 0.99, got {level}"):
            imputer.impute(X, interval=level)
    with pytest.raises(ValueError, match="must be None or a number between .* got '0.9'"):
        imputer.impute(X, interval="0.9")
    with pytest.raises(ValueError, match="'ml-1m' gives no intervals: use checkpoint='universal'"):
        MetaMFImputer("ml-1m").impute(X, interval=0.9)


def test_a_known_scale_gives_equal_ratings_an_interval():
    imputer = MetaMFImputer("universal", clip=False)
    unknown, known = (
        imputer.impute(Ratings([0, 0, 1], [0, 1, 1], [4.0, 4, 4], (3, 4), scale=scale), 0.9)
        for scale in (None, STARS)
    )
    assert (unknown.half_width == 0).all() and (unknown.mean == 4).all()
    assert (0.5 < known.half_width).all() and (known.half_width < 4).all()
    assert (abs(known.mean - 4) < 0.6).all()
