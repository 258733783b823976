"""The part of a run inside a window."""

import numpy as np
import pytest
from tasks_of_tests import example  # noqa: F401  a fixture

from metamf.evaluate.run import View
from metamf.figures.window import Window


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


def test_a_window_is_that_part_of_the_matrix(example):
    whole = View(example, Window.of(example.task.given.shape))
    part = View(example, Window.of(example.task.given.shape, 4, 2, largest=5))
    for name in ("given", "hidden", "known"):
        np.testing.assert_array_equal(getattr(part, name), getattr(whole, name)[4:9, 2:7])
    np.testing.assert_allclose(part.filled(3), whole.filled(3)[4:9, 2:7])
    assert (part.axes().top, part.axes().left) == (4, 2)
