"""Every answer keeps its promises: what is cut, where a cell comes from, and that cells, windows and all agree."""

import pickle
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from measurements import table_of_measurements

from metamf import Answer, MetaMFImputer, Ratings, RatingScale, Trajectory
from metamf.answer.adaptation import NetworkEstimates
from metamf.answer.answer import CellByCell
from metamf.answer.filling import fill
from metamf.answer.methods import REFERENCES, contender, method, tuned_baseline
from metamf.baselines import METHODS
from metamf.ratings.units import Standardization

STARS = RatingScale(1, 5, 1)
METHODS_OF_ALL_KINDS = {
    "universal": lambda: method("universal"),
    "the paper's model": lambda: method("ml-1m"),
    "positive factors": lambda: method("ml-1m-nmf"),
    "ensemble": lambda: contender("universal+normal"),
    "ensemble with trees": lambda: contender("universal+trees"),
    "meta-learned baseline": lambda: method("eml"),
    "tuned baseline": lambda: tuned_baseline("als"),
    "tuned in units of columns": lambda: tuned_baseline("normal", own_units=True),
    **{key: lambda key=key: method(key) for key in REFERENCES},
    **{key: lambda key=key: method(key) for key in METHODS if key in ("mean", "damped_bias", "crossed_effects", "knn")},
}
SLOW = {"ensemble with trees"}
READ_STARS = {"the paper's model", "positive factors", "meta-learned baseline"}  # in the units of their training


def of_all_kinds(*left_out):
    kept = [name for name in METHODS_OF_ALL_KINDS if name not in left_out]
    return [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in kept]


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
        np.testing.assert_allclose(answer.at(rows, cols), answer.mean[rows, cols], rtol=1e-6)
        np.testing.assert_allclose(answer.at(*np.ogrid[:24, :7]), answer.mean, rtol=1e-6)
        np.testing.assert_allclose(answer.block(*window), answer.mean[window], rtol=1e-6)
        if not how.gives_intervals:
            assert answer.interval_at(rows, cols) is answer.interval_block() is answer.lower is answer.upper is None
            return
        for at, block, whole in zip(
            answer.interval_at(rows, cols), answer.interval_block(*window), (answer.lower, answer.upper)
        ):
            np.testing.assert_allclose(at, whole[rows, cols], rtol=1e-5)
            np.testing.assert_allclose(block, whole[window], rtol=1e-5)

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
            np.testing.assert_allclose(getattr(part, name), getattr(whole, name)[window], rtol=1e-5, err_msg=name)

    def test_estimates_stay_within_limits_and_inside_their_intervals(self, how, answer_to, scale):
        ratings = stars(scale)
        answer = answer_to(scale)
        assert ratings.values.min() - 1e-9 <= answer.mean.min() and answer.mean.max() <= ratings.values.max() + 1e-9
        missing = np.isnan(ratings.to_dense())
        np.testing.assert_array_equal(answer.provenance == "observed", ~missing)
        np.testing.assert_array_equal(answer.provenance == "clipped", missing & (answer.mean != answer.unclipped))
        np.testing.assert_array_equal(answer.filled[~missing], ratings.to_dense()[~missing])
        if how.gives_intervals:
            assert (answer.lower <= answer.mean).all() and (answer.mean <= answer.upper).all()
            assert scale is None or (answer.lower.min() >= 1 and answer.upper.max() <= 5)

    def test_it_can_be_sent_to_another_process(self, answer_to, scale):
        answer = answer_to(scale)
        again = pickle.loads(pickle.dumps(answer.compact()))
        np.testing.assert_array_equal(again.mean, answer.mean)
        np.testing.assert_allclose(again.at(3, 2), answer.at(3, 2))
        np.testing.assert_array_equal(again.provenance, answer.provenance)


@pytest.mark.parametrize("name", of_all_kinds(*READ_STARS))
def test_estimates_follow_the_units_of_the_ratings(name):
    how, ratings = METHODS_OF_ALL_KINDS[name](), stars(None)
    larger = ratings.with_values(1000 * ratings.values)
    np.testing.assert_allclose(how.predict(larger, None).mean, 1000 * how.predict(ratings, None).mean, rtol=1e-3)


@pytest.mark.slow
def test_a_file_gets_the_intervals_that_the_imputer_gives():
    X, _ = table_of_measurements()
    ratings = Ratings.from_dense(X)
    ours, of_file = MetaMFImputer().impute(ratings, interval=0.9), fill(ratings, level=0.9)
    for name in ("mean", "lower", "upper"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(of_file, name))
    beyond = ours.lower < ours.limits.lower
    assert beyond.any()  # the ends of intervals are not cut at the limits of a column


# -- by hand ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def answer() -> Answer:
    """2 x 3, K = 1, one step; estimates are 3 + 2 u v."""
    U = np.array([[[0.0], [0.0]], [[1.0], [2.0]]])  # (T + 1, N, K)
    V = np.array([[[0.0], [0.0], [0.0]], [[0.5], [-0.25], [1.0]]])  # (T + 1, M, K)
    ratings = Ratings([0, 1], [1, 2], [2.0, 5.0], (2, 3), ("ann", "bo"), ("x", "y", "z"))
    path = Trajectory(U, V, Standardization(3, 2))
    return Answer(ratings, NetworkEstimates(path, None, None), RatingScale(1, 5), method="by hand", path=path)


def test_estimates_are_cut_and_observed_cells_keep_their_value(answer):
    np.testing.assert_allclose(answer.trajectory.estimate(1), [[4, 2.5, 5], [5, 2, 7]])
    np.testing.assert_allclose(answer.mean, [[4, 2.5, 5], [5, 2, 5]])
    np.testing.assert_allclose(answer.filled, [[4, 2, 5], [5, 2, 5]])
    assert replace(answer, limits=None).mean.max() == 7


def test_provenance_tells_observed_hidden_imputed_and_clipped_apart(answer):
    lower = replace(answer, limits=RatingScale(1, 4), held_out=np.array([True, False]))
    np.testing.assert_array_equal(
        lower.provenance, [["imputed", "held out", "clipped"], ["clipped", "imputed", "observed"]]
    )


def test_intervals_are_symmetric_around_the_estimate_before_it_is_cut(answer):
    halves = np.array([[0.5, 0.5, 1.0], [2.0, 0.1, 3.0]])
    answer = replace(answer, half_widths=CellByCell(lambda rows, cols: halves[rows, cols]), level=0.8)
    np.testing.assert_allclose(answer.lower, [[3.5, 2, 4], [3, 1.9, 4]])  # 7 - 3, not 5 - 3
    np.testing.assert_allclose(answer.upper, [[4.5, 3, 6], [7, 2.1, 10]])  # nobody knows that 5 is the end
    known = replace(answer, ratings=replace(answer.ratings, scale=answer.limits))
    np.testing.assert_allclose(known.upper, [[4.5, 3, 5], [5, 2.1, 5]])
    free = replace(known, limits=None)
    np.testing.assert_allclose(free.upper - free.lower, 2 * halves)
    frame = answer.to_frame()
    assert (
        frame.lower.tolist() == answer.lower.ravel().tolist() and frame.upper.tolist() == answer.upper.ravel().tolist()
    )


def test_an_interval_holds_its_rounded_estimate(answer):
    halves = CellByCell(lambda rows, cols: np.full(np.broadcast_shapes(np.shape(rows), np.shape(cols)), 0.1))
    ratings = replace(answer.ratings, scale=STARS)
    rounded = replace(answer, ratings=ratings, half_widths=halves, level=0.8, round_to_scale=True)
    np.testing.assert_allclose(rounded.mean, [[4, 3, 5], [5, 2, 5]])
    assert (rounded.lower <= rounded.mean).all() and (rounded.mean <= rounded.upper).all()
    assert rounded.rounded.sum() == 0  # the only estimate between steps is that of an observed cell


def test_without_labels_cells_are_named_by_position_and_labels_may_be_tuples(answer):
    frame = replace(answer, ratings=Ratings([0, 1], [1, 2], [2.0, 5.0], (2, 3))).to_frame()
    assert frame.row.tolist() == [0, 0, 0, 1, 1, 1] and frame.column.tolist() == [0, 1, 2, 0, 1, 2]
    pairs = Ratings([0, 1], [1, 2], [2.0, 5.0], (2, 3), (("a", 1), ("b", 2)), ((1, 1), (1, 2), (1, 3)))
    frame = replace(answer, ratings=pairs).to_frame()
    assert frame.row[3] == ("b", 2) and frame.column[2] == (1, 3) and len(frame) == 6


@pytest.mark.parametrize("name", ["mean", "filled", "provenance"])
def test_an_answer_cannot_be_changed(answer, name):
    with pytest.raises(ValueError, match="read-only"):
        getattr(answer, name)[0, 0] = getattr(answer, name)[0, 1]
    for factor in (answer.trajectory.U, answer.trajectory.V):
        with pytest.raises(ValueError, match="read-only"):
            factor[0] = 1
    with pytest.raises(AttributeError):
        answer.limits = None


def test_a_method_without_a_network_has_no_trajectory():
    with pytest.raises(ValueError, match="only a checkpoint's answer has a trajectory"):
        _ = method("mean").predict(stars(), None).trajectory


def test_impute_reports_what_it_ran():
    X = np.array([[5, 1, np.nan], [4, np.nan, 2], [np.nan, 1, 1]])
    frame = pd.DataFrame(X, index=["a", "b", "c"], columns=["x", "y", "z"])
    result = MetaMFImputer("ml-100k", steps=4).impute(frame)
    assert (result.method, result.step_rule, result.trajectory.T) == ("ml-100k", "paper", 4)
    assert result.trajectory.U.shape[:2] == (5, 3) and result.trajectory.V.shape[:2] == (5, 3)
    assert result.limits == STARS
    np.testing.assert_array_equal(result.provenance == "observed", frame.notna())
    assert not np.array_equal(result.trajectory.U[0], result.trajectory.U[4])
    table = result.to_frame()
    assert table.row.tolist() == list("aaabbbccc")
    np.testing.assert_array_equal(table.value[table.provenance == "observed"], X[~np.isnan(X)])
