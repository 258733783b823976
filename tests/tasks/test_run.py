"""The application without a browser or a page: the tasks, runs and comparisons behind it."""

import numpy as np
import pytest
import torch
from opened import no_data_sets  # noqa: F401  a fixture
from problems import STARS, ratings_matrix

import metamf
from metamf.baselines import METHODS
from metamf.checkpoints.baselines import load_trained
from metamf.checkpoints.bundled import checkpoint_title, find_checkpoint
from metamf.checkpoints.checkpoint import load_checkpoint
from metamf.datasets import synthetic
from metamf.figures.window import Window
from metamf.filling.fill_in import fill
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.tasks import comparison
from metamf.tasks.run import View, run, takes_sweeps
from metamf.tasks.task import Matrix, divide
from metamf.universal.network import Universal
from metamf.webapp.matrix import words
from metamf.webapp.matrix.state import AppState

CHECKPOINT, PAPER = AppState().model, "ml-1m"


def made_up(n=12, m=9, density=0.5, seed=0, truth=True):
    matrix = synthetic(np.random.default_rng(seed), n, m, density=density)
    return Matrix("made up", "", matrix.ratings, matrix.truth if truth else None)


def cells(ratings):
    return {(int(n), int(m)): float(x) for n, m, x in zip(ratings.rows, ratings.cols, ratings.values)}


# -- tasks ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("selection", ["at random", "popular columns"])
def test_rated_cells_are_either_given_or_hidden(selection):
    matrix = made_up(truth=False)
    task = divide(matrix, 0.3, selection, 1)
    given, hidden = cells(task.given), cells(task.hidden)
    assert len(given) == np.ceil(0.3 * matrix.ratings.nnz)
    assert given | hidden == cells(matrix.ratings) and not given.keys() & hidden.keys()
    assert cells(divide(matrix, 0.3, selection, 1).given) == given
    assert cells(divide(matrix, 0.3, selection, 2).given) != given


def test_with_a_known_truth_every_cell_that_is_not_given_is_hidden():
    matrix = made_up()
    task = divide(matrix, 0.5, "at random", 1)
    assert task.hidden.nnz == 12 * 9 - task.given.nnz
    assert all(matrix.truth[at] == value for at, value in cells(task.hidden).items())


def test_keeping_everything_hides_nothing_that_was_rated():
    task = divide(made_up(truth=False), 1.0, "popular columns", 1)
    assert task.hidden.nnz == 0 and task.given.nnz == task.matrix.ratings.nnz
    assert divide(Matrix("", "", Ratings.from_dense([[3.0]])), 0.05, "at random", 1).given.nnz == 1


def test_popular_columns_are_kept_more_often():
    observed = np.zeros((40, 10), bool)
    for m in range(10):
        observed[: 40 - 3 * m, m] = True
    ratings = Ratings.from_dense(np.where(observed, 3.0, np.nan))
    kept = np.mean([divide(Matrix("", "", ratings), 0.3, "popular columns", s).given.col_counts for s in range(20)], 0)
    share = kept / ratings.col_counts
    assert share[0] > 0.6 and share[-3:].max() < 0.35
    at_random = np.mean([divide(Matrix("", "", ratings), 0.3, "at random", s).given.col_counts for s in range(20)], 0)
    np.testing.assert_allclose(at_random / ratings.col_counts, 0.3, atol=0.1)


def test_digests_tell_matrices_apart():
    X = np.array([[1.0, 2.0], [np.nan, 4.0]])
    base = Matrix("a", "", Ratings.from_dense(X))
    others = [
        Matrix("a", "", Ratings.from_dense(X + [[0, 0], [0, 1e-9]])),
        Matrix("a", "", Ratings.from_dense(X.T)),
        Matrix("a", "", Ratings.from_dense(X, row_labels=("p", "q"))),
        Matrix("a", "", Ratings.from_dense(X, scale=RatingScale(1, 5))),
        Matrix("a", "", Ratings.from_dense(X), np.ones((2, 2))),
    ]
    assert len({matrix.digest for matrix in [base, *others]}) == len(others) + 1
    assert Matrix("a", "", Ratings.from_dense(X)).digest == base.digest


# -- runs -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def example():
    return run(divide(made_up(), 0.5, "at random", 1), CHECKPOINT, 6)


def test_errors_per_step_are_those_of_the_clipped_estimates(example):
    path, scale = example.imputation.trajectory, example.imputation.scale
    for task_cells, errors in (
        (example.task.given, example.given_errors),
        (example.task.hidden, example.hidden_errors),
    ):
        for t in range(example.T + 1):
            E = scale.clip(path.estimate(t))[task_cells.rows, task_cells.cols] - task_cells.values
            assert errors.rmse[t] == pytest.approx(np.sqrt(np.mean(E**2)), rel=1e-5)
            assert errors.mae[t] == pytest.approx(np.abs(E).mean(), rel=1e-5)


def test_errors_do_not_depend_on_how_many_cells_are_held_at_once(example, monkeypatch):
    monkeypatch.setattr("metamf.tasks.run._CHUNK", 7)
    again = run(example.task, CHECKPOINT, 6)
    np.testing.assert_allclose(again.hidden_errors.rmse, example.hidden_errors.rmse)
    assert again.largest_residual == pytest.approx(example.largest_residual)


def test_the_view_shows_what_is_given_filled_in_and_wrong(example):
    view = View(example, Window.of(example.task.given.shape))
    T = example.T
    np.testing.assert_array_equal(view.given, example.task.given.to_dense())
    np.testing.assert_allclose(view.filled(T), example.imputation.filled)
    np.testing.assert_array_equal(np.isnan(view.error(0)), view.is_given)
    np.testing.assert_array_equal(np.isnan(view.residual(0)), ~view.is_given)
    np.testing.assert_allclose(view.change(2), view.product(2) - view.product(1))
    assert not view.change(0).any()
    assert example.hidden_errors.rmse[T] == pytest.approx(np.sqrt(np.nanmean(view.error(T) ** 2)), rel=1e-5)


def test_limits_of_the_colour_scales_hold_at_every_step(example):
    view = View(example, Window.of(example.task.given.shape))
    for t in range(example.T + 1):
        assert np.abs(view.change(t)).max() <= view.largest_change
        assert np.nanmax(np.abs(view.residual(t))) <= example.largest_residual * (1 + 1e-6)
    assert view.largest_change > 0


def test_a_window_is_that_part_of_the_matrix(example):
    whole = View(example, Window.of(example.task.given.shape))
    part = View(example, Window.of(example.task.given.shape, 4, 2, largest=5))
    for name in ("given", "hidden", "known"):
        np.testing.assert_array_equal(getattr(part, name), getattr(whole, name)[4:9, 2:7])
    np.testing.assert_allclose(part.filled(3), whole.filled(3)[4:9, 2:7])
    assert (part.axes().top, part.axes().left) == (4, 2)


def test_the_two_pulls_are_the_terms_of_the_first_steps(example):
    assert example.round == "sweep" and example.pulls is None  # Eq. (5) is none of the universal model's
    example = run(example.task, PAPER, 6)
    path = example.imputation.trajectory
    assert example.round == "step" and example.T == path.T == 6
    first = np.linalg.norm(path.U[1] - path.U[0])
    assert first == pytest.approx(example.step_size * example.pulls.data[0], rel=1e-4)
    assert example.pulls.prior[0] == 0
    assert example.pulls.prior[2] == pytest.approx(
        example.prior_precision * np.linalg.norm(path.U[2] - path.U[0]), rel=1e-4
    )


def test_the_limit_of_the_factors_ignores_coordinates_that_are_always_one(example):
    path = example.imputation.trajectory
    assert (path.U[..., -1] == 1).all() and (path.V[..., -2] == 1).all()
    free = [path.U[..., :-1], np.delete(path.V, -2, axis=2)]
    assert example.largest_factor == pytest.approx(max(np.quantile(np.abs(factor), 0.998) for factor in free))


def test_the_universal_checkpoint_is_the_default_with_the_sweeps_that_it_learned_with():
    model, _ = load_checkpoint(find_checkpoint(AppState().model))
    assert isinstance(model, Universal) and model.config.steps == AppState().sweeps
    assert words.checkpoints()[0] == "universal" and sorted(words.checkpoints()) == metamf.list_pretrained()
    assert takes_sweeps("universal") and not takes_sweeps(PAPER)
    assert set(metamf.list_pretrained()) <= set(words.CAPTIONS)


def test_the_intervals_of_a_run_are_those_of_the_library(example):
    view, whole = View(example, Window.of(example.task.given.shape)), example.imputation
    part = View(example, Window.of(example.task.given.shape, 4, 2, largest=5))
    for end, expected in zip(view.ends, (whole.lower, whole.upper)):
        np.testing.assert_allclose(end, expected, atol=1e-5)
    for end, expected in zip(part.ends, view.ends):
        np.testing.assert_allclose(end, expected[4:9, 2:7], atol=1e-5)
    np.testing.assert_array_equal(np.isnan(view.spread), view.is_given)
    hidden = example.task.hidden
    at = hidden.rows, hidden.cols
    assert example.covered == np.sum((whole.lower[at] <= hidden.values) & (hidden.values <= whole.upper[at]))
    estimate, lower, upper, truth = example.hidden_intervals
    np.testing.assert_allclose(lower, whole.lower[at], atol=1e-5)
    np.testing.assert_allclose(estimate, whole.mean[at], atol=1e-5)
    np.testing.assert_array_equal(truth, hidden.values)


def test_coverage_does_not_depend_on_how_many_cells_are_held_at_once(example, monkeypatch):
    monkeypatch.setattr("metamf.tasks.run._CHUNK", 7)
    monkeypatch.setattr("metamf.tasks.run.SHOWN", 10)
    again = run(example.task, CHECKPOINT, 6)
    assert again.covered == example.covered
    assert all(len(values) == 10 for values in again.hidden_intervals)


def test_the_paper_s_checkpoints_have_no_intervals(example):
    result = run(example.task, PAPER, 2)
    assert result.covered is None and View(result, Window.of(example.task.given.shape)).ends is None


def test_the_range_of_a_constant_matrix_is_wide_enough_to_draw():
    result = run(divide(Matrix("", "", Ratings.from_dense([[700.0, 700.0]])), 1.0, "at random", 1), CHECKPOINT, 2)
    low, high = result.range
    assert low < 700 < high


def test_sentences_say_what_an_error_means():
    known, unknown = (divide(made_up(truth=truth), 0.5, "at random", 1) for truth in (True, False))
    assert "every cell is known" in words.hidden_cells(known)
    assert f"{unknown.hidden.nnz} rated cells" in words.hidden_cells(unknown)
    assert "no error can be measured" in words.hidden_cells(divide(made_up(truth=False), 1.0, "at random", 1))


def test_diverging_steps_are_noted():
    matrix = synthetic(np.random.default_rng(0), 200, 200, density=1.0, taste=0.4, noise=0.02).ratings
    result = run(divide(Matrix("", "", matrix), 1.0, "at random", 1), PAPER, 10)
    assert result.imputation.step_rule == "safe" and "diverge" in words.step_rule(result)
    assert result.given_errors.rmse[-1] < result.given_errors.rmse[0]


# -- comparison -------------------------------------------------------------------------------------------------------


def test_contenders_are_measured_on_the_same_hidden_cells(example):
    view = View(example, Window.of(example.task.given.shape))
    ours, mean = comparison.of_run(example), comparison.of_baseline("mean", example.task, example.imputation.scale)
    hidden, guess = example.task.hidden.values, example.task.given.values.mean()
    assert mean.rmse == pytest.approx(np.sqrt(np.mean((hidden - guess) ** 2)), rel=1e-5)
    assert mean.rmse == pytest.approx(words.mean_rmse(example.task), rel=1e-5)
    assert (ours.rmse, ours.mae) == (example.hidden_errors.rmse[-1], example.hidden_errors.mae[-1])
    assert ours.meta and not mean.meta
    filled = mean.estimate(view)
    np.testing.assert_array_equal(filled[view.is_given], view.given[view.is_given])
    np.testing.assert_allclose(filled[~view.is_given], guess, rtol=1e-5)


def test_every_baseline_of_the_registry_that_needs_no_training_answers(example):
    assert set(METHODS) - {"ours", "maml"} <= set(comparison.BASELINES) and "ours" not in comparison.BASELINES
    assert set(comparison.AT_FIRST) <= set(comparison.BASELINES)
    for key in comparison.AT_FIRST[1:]:
        contender = comparison.of_baseline(key, example.task, example.imputation.scale)
        assert 0 < contender.rmse < 3 and contender.mae <= contender.rmse


def test_meta_learned_baselines_answer_in_the_units_that_they_were_trained_in(example):
    task, like = example.task, run(example.task, "ml-1m", 6)
    for key in ("eml", "ft"):
        assert comparison.training_data(key, "jester") == "jester"
        assert comparison.training_data(key, "universal") == "ml-1m"
        contender = comparison.of_baseline(key, task, like.imputation.scale, like)
        assert contender.meta and contender.name.endswith(checkpoint_title("ml-1m"))
        assert 0 < contender.rmse < 1.2 * words.mean_rmse(task)
    units, cell = like.imputation.trajectory.standardization, (int(task.hidden.rows[0]), int(task.hidden.cols[0]))
    given = RatingsBatch.of([task.given.with_values(units.apply(task.given.values))])
    estimate = load_trained("eml", "ml-1m").adapt(given).predict(*(torch.tensor([at]) for at in cell))
    view = View(like, Window.of(task.given.shape))
    drawn = comparison.of_baseline("eml", task, None, like).estimate(view)
    assert drawn[cell] == pytest.approx(float(units.undo(estimate.numpy())[0]), rel=1e-5)


def test_fast_methods_appear_at_once_and_slow_ones_as_they_answer(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(comparison.time, "perf_counter", lambda: now[0])

    def answer(key):
        now[0] += {"mf": 5.0, "dmf": 9.0}.get(key, 0.001)
        return key

    shown = list(comparison.in_order(["dmf", "als", "mf", "mean", "damped_bias"], answer))
    assert shown == [
        (["mean", "damped_bias"], "als"),
        (["mean", "damped_bias", "als", "mf"], "dmf"),
        (["mean", "damped_bias", "als", "mf", "dmf"], None),
    ]
    assert list(comparison.in_order(["mf"], answer)) == [([], "mf"), (["mf"], None)]
    assert list(comparison.in_order([], answer)) == [([], None)]


def test_slow_methods_are_not_offered_large_matrices():
    rows, cols = (at.ravel() for at in np.mgrid[:400, :300])
    task = divide(Matrix("", "", Ratings(rows, cols, (rows + cols) % 5 + 1.0, (400, 300))), 1.0, "at random", 1)
    assert comparison.feasible("mean", task) and not comparison.feasible("mf", task)


@pytest.mark.parametrize("key", ["eml", "maml", "ft"])
def test_meta_learned_baselines_answer_as_when_they_fill_in_a_table(key):
    ratings = Ratings.from_dense(ratings_matrix(), scale=STARS)
    task = divide(Matrix("mine", "", ratings, None), 0.6, "at random", 1)
    like = run(task, "ml-1m", 10)
    shown = comparison.of_baseline(key, task, STARS, like).estimate(View(like, Window.of(ratings.shape)))
    filled = fill(task.given, key)
    hidden = np.isnan(task.given.to_dense())
    np.testing.assert_allclose(filled.mean[hidden], shown[hidden], rtol=1e-6)
