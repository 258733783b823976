"""Every answer keeps its promises: what is cut, where a cell comes from, and that cells, windows
and all agree."""

import pickle
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from measurements import table_of_measurements

from metamf import Answer, MetaMFImputer, Ratings, RatingScale, Trajectory
from metamf.answer.methods import REFERENCES, method, tuned_baseline
from metamf.answer.table_filling import fill_in
from metamf.ratings.units import Standardization

STARS = RatingScale(1, 5, 1)
METHODS_OF_ALL_KINDS = {
    "universal": lambda: method("universal"),
    "the paper's model": lambda: method("ml-1m"),
    "positive factors": lambda: method("ml-1m-nmf"),
    "tuned": lambda: method("universal", tune=2),
    "meta-learned baseline": lambda: method("eml"),
    "tuned baseline": lambda: tuned_baseline("als"),
    "tuned in units of columns": lambda: tuned_baseline("normal", own_units=True),
    **{
        key: lambda key=key: method(key)
        for key in ("mean", "damped_bias", "crossed_effects", "knn", *REFERENCES)
    },
}
IN_UNITS_OF_THEIR_TRAINING = "the paper's model", "positive factors", "meta-learned baseline"


def of_all_kinds(*left_out):
    kept = [name for name in METHODS_OF_ALL_KINDS if name not in left_out]
    return [pytest.param(name, marks=[pytest.mark.slow] * (name == "tuned")) for name in kept]


@pytest.fixture(scope="module", params=of_all_kinds())
def how(request):
    return METHODS_OF_ALL_KINDS[request.param]()


def stars(scale=STARS):
    rng = np.random.default_rng(0)
    X = np.clip(np.round(3 + rng.normal(size=(24, 1)) + rng.normal(size=7)), 1, 5)
    X[rng.random(X.shape) < 0.4] = np.nan
    return Ratings.from_dense(X, scale=scale)


@pytest.fixture(scope="module")
def answer_to(how):
    """The answer of a method to ``stars`` of a scale, which several tests look at."""
    return cache(lambda scale: how.predict(stars(scale), 0.8 if how.gives_intervals else None))


@pytest.mark.parametrize("scale", [STARS, None])
class TestEveryMethod:
    def test_cells_and_windows_are_those_of_the_whole(self, how, answer_to, scale):
        answer = answer_to(scale)
        rows, cols = np.array([0, 3, 23]), np.array([6, 0, 2])
        window = slice(2, 9), slice(1, 4)
        np.testing.assert_allclose(answer.at(*np.ogrid[:24, :7]), answer.mean, rtol=1e-6)
        np.testing.assert_allclose(answer.block(*window), answer.mean[window], rtol=1e-6)
        if not how.gives_intervals:
            intervals = answer.interval_at(rows, cols), answer.interval_block()
            assert (*intervals, answer.lower, answer.upper) == (None,) * 4
            return
        at, block = answer.interval_at(rows, cols), answer.interval_block(*window)
        for one, several, whole in zip(at, block, (answer.lower, answer.upper)):
            np.testing.assert_allclose(one, whole[rows, cols], rtol=1e-5)
            np.testing.assert_allclose(several, whole[window], rtol=1e-5)

    def test_a_part_of_it_is_that_part_of_the_whole(self, how, answer_to, scale):
        whole = replace(answer_to(scale), round_to_scale=scale is not None)
        hidden = np.arange(whole.ratings.nnz) % 5 == 0
        whole = replace(whole, held_out=hidden, seen=whole.ratings.select(~hidden))
        window = slice(2, 9), slice(1, 4)
        part = whole.part(*window)
        np.testing.assert_array_equal(part.ratings.to_dense(), whole.ratings.to_dense()[window])
        np.testing.assert_array_equal(part.provenance, whole.provenance[window])
        np.testing.assert_array_equal(part.rounded, whole.rounded[window])
        for name in ("mean", "filled", *(("lower", "upper") if how.gives_intervals else ())):
            expected = getattr(whole, name)[window]
            np.testing.assert_allclose(getattr(part, name), expected, rtol=1e-5, err_msg=name)

    def test_estimates_stay_within_limits_and_inside_their_intervals(self, how, answer_to, scale):
        answer, X = answer_to(scale), stars().to_dense()
        assert np.nanmin(X) - 1e-9 <= answer.mean.min()
        assert answer.mean.max() <= np.nanmax(X) + 1e-9
        missing = np.isnan(X)
        cut = missing & (answer.mean != answer.unclipped)
        np.testing.assert_array_equal(answer.provenance == "observed", ~missing)
        np.testing.assert_array_equal(answer.provenance == "clipped", cut)
        np.testing.assert_array_equal(answer.filled[~missing], X[~missing])
        if how.gives_intervals:
            assert (answer.lower <= answer.mean).all() and (answer.mean <= answer.upper).all()
            assert scale is None or (answer.lower.min() >= 1 and answer.upper.max() <= 5)

    def test_it_can_be_sent_to_another_process(self, answer_to, scale):
        answer = answer_to(scale)
        again = pickle.loads(pickle.dumps(answer.compact()))
        np.testing.assert_array_equal(again.mean, answer.mean)
        np.testing.assert_allclose(again.at(3, 2), answer.at(3, 2))
        np.testing.assert_array_equal(again.provenance, answer.provenance)


@pytest.mark.parametrize("name", of_all_kinds(*IN_UNITS_OF_THEIR_TRAINING))
def test_estimates_follow_the_units_of_the_ratings(name):
    how, ratings = METHODS_OF_ALL_KINDS[name](), stars(None)
    larger = how.predict(ratings.with_values(1000 * ratings.values), None)
    np.testing.assert_allclose(larger.mean, 1000 * how.predict(ratings, None).mean, rtol=1e-3)


@pytest.mark.slow
def test_a_file_gets_the_intervals_that_the_imputer_gives():
    ratings = Ratings.from_dense(table_of_measurements()[0])
    ours = MetaMFImputer().impute(ratings, interval=0.9)
    of_file = fill_in(ratings, method("universal"), 0.9)
    for name in ("mean", "lower", "upper"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(of_file, name))
    # the ends of intervals are not cut at the limits of a column
    assert (ours.lower < ours.limits.lower).any()


RATINGS = Ratings([0, 1], [1, 2], [2.0, 5.0], (2, 3), ("ann", "bo"), ("x", "y", "z"))


@pytest.fixture
def answer() -> Answer:
    """2 x 3, K = 1, one step; estimates are 3 + 2 u v."""
    U = np.array([[[0.0], [0.0]], [[1.0], [2.0]]])  # (T + 1, N, K)
    V = np.array([[[0.0], [0.0], [0.0]], [[0.5], [-0.25], [1.0]]])  # (T + 1, M, K)
    path = Trajectory(U, V, Standardization(3, 2))
    last = path.estimate(1)
    return Answer(
        RATINGS, lambda rows, cols: last[rows, cols], RatingScale(1, 5), method="by hand", path=path
    )


def test_estimates_are_cut_and_observed_cells_keep_their_value(answer):
    np.testing.assert_allclose(answer.trajectory.estimate(1), [[4, 2.5, 5], [5, 2, 7]])
    np.testing.assert_allclose(answer.mean, [[4, 2.5, 5], [5, 2, 5]])
    np.testing.assert_allclose(answer.filled, [[4, 2, 5], [5, 2, 5]])
    assert replace(answer, limits=None).mean.max() == 7


def test_provenance_tells_observed_hidden_imputed_and_clipped_apart(answer):
    lower = replace(answer, limits=RatingScale(1, 4), held_out=np.array([True, False]))
    expected = [["imputed", "held out", "clipped"], ["clipped", "imputed", "observed"]]
    np.testing.assert_array_equal(lower.provenance, expected)


def test_intervals_are_symmetric_around_the_estimate_before_it_is_cut(answer):
    halves = np.array([[0.5, 0.5, 1.0], [2.0, 0.1, 3.0]])
    answer = replace(answer, half_widths=lambda rows, cols: halves[rows, cols], level=0.8)
    np.testing.assert_allclose(answer.lower, [[3.5, 2, 4], [3, 1.9, 4]])  # 7 - 3, not 5 - 3
    # nobody knows that 5 is the end
    np.testing.assert_allclose(answer.upper, [[4.5, 3, 6], [7, 2.1, 10]])
    known = replace(answer, ratings=replace(answer.ratings, scale=answer.limits))
    np.testing.assert_allclose(known.upper, [[4.5, 3, 5], [5, 2.1, 5]])
    frame = answer.to_frame()
    np.testing.assert_array_equal(
        frame[["lower", "upper"]].T, [answer.lower.flat, answer.upper.flat]
    )


def test_an_interval_holds_its_rounded_estimate(answer):
    rounded = replace(
        answer,
        ratings=replace(answer.ratings, scale=STARS),
        half_widths=lambda rows, cols: np.full(np.broadcast_shapes(rows.shape, cols.shape), 0.1),
        level=0.8,
        round_to_scale=True,
    )
    np.testing.assert_allclose(rounded.mean, [[4, 3, 5], [5, 2, 5]])
    assert (rounded.lower <= rounded.mean).all() and (rounded.mean <= rounded.upper).all()
    assert not rounded.rounded.any()  # the only estimate between steps is of an observed cell


def test_without_labels_cells_are_named_by_position_and_labels_may_be_tuples(answer):
    bare = replace(answer, ratings=replace(RATINGS, row_labels=None, col_labels=None)).to_frame()
    assert bare[["row", "column"]].to_numpy().tolist() == [
        [n, m] for n in (0, 1) for m in (0, 1, 2)
    ]
    labels = {"row_labels": (("a", 1), ("b", 2)), "col_labels": ((1, 1), (1, 2), (1, 3))}
    pairs = replace(answer, ratings=replace(RATINGS, **labels)).to_frame()
    assert (pairs.row[3], pairs.column[2], len(pairs)) == (("b", 2), (1, 3), 6)


def test_an_answer_cannot_be_changed(answer):
    path = answer.trajectory
    for array in (answer.mean, answer.filled, answer.provenance, path.U, path.V):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]
    with pytest.raises(AttributeError):
        answer.limits = None


def test_a_method_without_a_network_has_no_trajectory():
    with pytest.raises(ValueError, match="only a checkpoint that works alone has a tr"):
        _ = method("mean").predict(stars(), None).trajectory


def test_impute_reports_what_it_ran():
    X = [[5, 1, np.nan], [4, np.nan, 2], [np.nan, 1, 1]]
    result = MetaMFImputer("ml-100k", steps=4).impute(pd.DataFrame(X, index=["a", "b", "c"]))
    assert (result.method, result.step_rule, result.limits) == ("ml-100k", "paper", STARS)
    path = result.trajectory
    assert path.T == 4 and path.U.shape[:2] == path.V.shape[:2] == (5, 3)
    assert not np.array_equal(path.U[0], path.U[4])
    assert result.to_frame().row.tolist() == list("aaabbbccc")
