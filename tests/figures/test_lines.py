"""Figures of lines, points and bars, and the part of a large matrix that is drawn: what is drawn is what was given."""

import numpy as np
import pytest

from metamf.figures.lines import (
    Bar,
    Curve,
    interval_bars,
    interval_curves,
    interval_strip,
    race_curves,
    step_lengths,
    sum_of_terms,
)
from metamf.figures.window import Window

STEPS, NAN = np.arange(4.0), float("nan")


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


def test_bars_run_from_the_reference_to_the_value():
    figure = interval_bars([Bar("Ours", 0.8, 0.02, 0.81, 0.01, True), Bar("MF", NAN, NAN, 1.2, 0.1)], 1.0)
    bars, diamonds = figure.data
    assert bars.base == 1.0 and bars.x[0] == pytest.approx(-0.2) and list(bars.y) == ["Ours", "MF"]
    assert bars.error_x.array[0] == 0.02
    assert list(diamonds.x) == [0.81, 1.2] and diamonds.error_x.array[1] == 0.1
    assert bars.marker.color[0] != bars.marker.color[1]


def test_curves_show_the_papers_points_where_there_are_any():
    with_paper = interval_curves([Curve("Ours", [8, 16], [0.9, 0.8], [0.1, NAN], [0.85, 0.84])], "factors", log=True)
    assert [trace.name for trace in with_paper.data] == ["Ours", "Ours, the paper"]
    assert with_paper.data[0].error_y.array.tolist() == [0.1, 0.0] and with_paper.layout.xaxis.type == "log"
    assert len(interval_curves([Curve("Ours", [8], [0.9], [0.1], [NAN])], "steps").data) == 1
    assert not interval_curves([Curve("Ours", [8], [NAN], [NAN], [NAN])], "steps").data


def test_a_point_whose_x_is_an_error_says_how_many_updates_it_came_after():
    curve = Curve("rate 0.1", [0.9, 0.5], [0.8, 80.0], [0.1, NAN], updates=[0, 10])
    [trace] = interval_curves([curve], "given").data
    assert list(trace.customdata) == [0, 10] and trace.error_y.array.tolist() == [0.1, 0.0]
    assert "after %{customdata}" in trace.hovertemplate


def test_a_window_lies_inside_the_matrix():
    assert Window.of((5, 7)) == Window(0, 0, 5, 7)
    assert Window.of((1000, 700), 990, 650) == Window(700, 400, 300, 300)
    assert Window.of((1000, 20), -5, 3) == Window(0, 0, 300, 20)
    X = np.arange(700_000).reshape(1000, 700)
    window = Window.of(X.shape, 10, 20)
    assert X[window.rows, window.cols].shape == (300, 300) and X[window.rows, window.cols][0, 0] == 10 * 700 + 20
    assert Window.of((60, 60)).dotted and not Window.of((61, 2)).dotted
