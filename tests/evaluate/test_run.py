"""A checkpoint's run on a task: errors per step, coverage, and the two pulls of Eq. (6)."""

import numpy as np
import pytest
from tasks_of_tests import example, made_up_matrix  # noqa: F401  a fixture

from metamf.datasets import synthetic
from metamf.evaluate.run import View, run
from metamf.evaluate.task import Matrix, divide
from metamf.figures.window import Window
from metamf.ratings.matrix import Ratings


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
    monkeypatch.setattr("metamf.evaluate.run._CHUNK", 7)
    again = run(example.task, "universal", 6)
    np.testing.assert_allclose(again.hidden_errors.rmse, example.hidden_errors.rmse)
    assert again.largest_residual == pytest.approx(example.largest_residual)


def test_limits_of_the_colour_scales_hold_at_every_step(example):
    view = View(example, Window.of(example.task.given.shape))
    for t in range(example.T + 1):
        assert np.abs(view.change(t)).max() <= view.largest_change
        assert np.nanmax(np.abs(view.residual(t))) <= example.largest_residual * (1 + 1e-6)
    assert view.largest_change > 0


def test_the_two_pulls_are_the_terms_of_the_first_steps(example):
    assert example.round == "sweep" and example.pulls is None  # Eq. (6) is not the universal model's
    example = run(example.task, "ml-1m", 6)
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
    monkeypatch.setattr("metamf.evaluate.run._CHUNK", 7)
    monkeypatch.setattr("metamf.evaluate.run.SHOWN_INTERVALS", 10)
    again = run(example.task, "universal", 6)
    assert again.covered == example.covered
    assert all(len(values) == 10 for values in again.hidden_intervals)


def test_the_paper_s_checkpoints_have_no_intervals(example):
    result = run(example.task, "ml-1m", 2)
    assert result.covered is None and View(result, Window.of(example.task.given.shape)).ends is None


def test_the_range_of_a_constant_matrix_is_wide_enough_to_draw():
    result = run(divide(Matrix("", "", Ratings.from_dense([[700.0, 700.0]])), 1.0, "at random", 1), "universal", 2)
    low, high = result.range
    assert low < 700 < high


def test_safe_steps_are_taken_where_the_fixed_one_diverges():
    matrix = synthetic(np.random.default_rng(0), 200, 200, density=1.0, taste=0.4, noise=0.02).ratings
    result = run(divide(Matrix("", "", matrix), 1.0, "at random", 1), "ml-1m", 10)
    assert result.imputation.step_rule == "safe" and result.summaries[0].diverged
    assert result.given_errors.rmse[-1] < result.given_errors.rmse[0]
