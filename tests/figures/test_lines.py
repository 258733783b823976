"""Figures of lines, points and bars, and the part of a large matrix that is drawn: what is drawn is what was given."""

import numpy as np

from metamf.figures.lines import (
    interval_strip,
    race_curves,
    step_lengths,
    sum_of_terms,
)
from metamf.figures.window import Window

STEPS = np.arange(4.0)


def trace(figure, name):
    return next(trace for trace in figure.data if trace.name == name)


def test_intervals_stand_by_rising_estimate_with_the_ratings_inside_and_outside_apart():
    estimate, half = np.array([3.0, 1.0, 2.0]), np.array([1.0, 0.5, 0.25])
    figure = interval_strip(estimate, estimate - half, estimate + half, np.array([3.9, 1.0, 3.0]))
    ends = np.asarray(trace(figure, "interval").y).reshape(3, 3)
    np.testing.assert_array_equal(ends[:, :2], [[0.5, 1.5], [1.75, 2.25], [2, 4]])
    assert np.isnan(ends[:, 2]).all()  # lines of their own
    inside, outside = trace(figure, "true rating"), trace(figure, "outside")
    assert list(zip(inside.x, inside.y)) == [(0, 1.0), (2, 3.9)] and list(zip(outside.x, outside.y)) == [(1, 3.0)]
    assert inside.marker.symbol != outside.marker.symbol
    np.testing.assert_array_equal(outside.customdata, [[2, 1.75, 2.25]])


def test_curves_are_told_apart_by_more_than_colour_and_many_starts_have_a_band():
    figure = race_curves({"one": 2 - STEPS[None] / 4, "many": np.stack([2 - STEPS / 4, 4 - STEPS / 4])})
    lines = [trace for trace in figure.data if trace.name]
    assert [line.name for line in lines] == ["one", "many, 2 times"]
    for look in ("dash", "color"):
        assert len({line.line[look] for line in lines}) == 2
    assert lines[0].marker.symbol != lines[1].marker.symbol
    [band] = [trace for trace in figure.data if trace.fill == "toself"]
    np.testing.assert_array_equal(band.x, [0, 1, 2, 3, 3, 2, 1, 0])
    np.testing.assert_array_equal(band.y, [2, 1.75, 1.5, 1.25, 3.25, 3.5, 3.75, 4])


def test_the_step_crosses_the_longest_one_where_it_overshoots():
    figure = step_lengths(np.array([0.1, 0.05, 1e-30]), 0.07, 5)
    longest, taken = (trace for trace in figure.data if trace.name)
    np.testing.assert_array_equal(longest.y, [0.1, 0.05, 1e-30])
    assert list(taken.x) == [0, 5] and set(taken.y) == {0.07}
    low, high = figure.layout.yaxis.range
    assert figure.layout.yaxis.type == "log" and -8 < low < np.log10(0.05) < np.log10(0.1) < high


def test_every_term_begins_where_the_one_before_has_ended():
    values = np.array([1.0, -3.0, 0.5])
    [bars] = sum_of_terms(["a", "b", "c"], values, "sum").data
    ends = np.asarray(bars.base) + np.asarray(bars.x)
    assert list(bars.y) == ["a", "b", "c", "sum"] and bars.base[0] == 0
    np.testing.assert_array_equal(bars.base[1:3], ends[:2])
    assert (bars.base[3], ends[3]) == (0, values.sum()) and ends[2] == values.sum()
    assert bars.text == ("+1.000", "−3.000", "+0.500", "−1.500")


def test_a_window_lies_inside_the_matrix():
    assert Window.of((5, 7)) == Window(0, 0, 5, 7)
    assert Window.of((1000, 700), 990, 650) == Window(700, 400, 300, 300)
    assert Window.of((1000, 20), -5, 3) == Window(0, 0, 300, 20)
    X = np.arange(700_000).reshape(1000, 700)
    window = Window.of(X.shape, 10, 20)
    assert X[window.rows, window.cols].shape == (300, 300) and X[window.rows, window.cols][0, 0] == 10 * 700 + 20
    assert Window.of((60, 60)).dotted and not Window.of((61, 2)).dotted
