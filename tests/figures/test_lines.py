"""The figures of lines and points: what is drawn is what was given, told apart by more than colour."""

import sys

import numpy as np

from metamf.figures.lines import error_curves, interval_strip


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


def test_a_rating_at_the_end_of_an_interval_is_inside():
    one = np.ones(1)
    assert len(trace(interval_strip(one, one, one, one), "outside").x) == 0


def test_error_curves_mark_the_step_and_keep_their_axes():
    given, hidden = np.array([1.2, 0.8, 0.6]), np.array([1.3, 1.1, 1.2])
    figures = [error_curves(given, hidden, t) for t in range(3)]
    for t, figure in enumerate(figures):
        marks = [trace for trace in figure.data if trace.mode == "markers"]
        assert [(trace.x[0], trace.y[0]) for trace in marks] == [(t, given[t]), (t, hidden[t])]
        assert len({trace.marker.symbol for trace in marks}) == 2  # told apart by more than colour
    assert len({tuple(figure.layout.yaxis.range) for figure in figures}) == 1
    lines = [trace for trace in figures[0].data if trace.mode == "lines"]
    assert {trace.line.dash for trace in lines} == {"solid", "dash"}


def test_without_hidden_cells_there_is_one_curve():
    assert [trace.name for trace in error_curves(np.zeros(4), None, 0).data if trace.mode == "lines"] == ["given cells"]


def test_the_layout_is_set_and_not_merged_with_what_is_not_there():
    ones, calls = np.ones(60), []
    interval_strip(ones, ones, ones, ones)  # with all that is imported first
    sys.setprofile(lambda frame, event, _: calls.append(frame.f_code.co_name) if event == "call" else None)
    try:
        figure = interval_strip(ones, ones, ones, ones, height=234)
    finally:
        sys.setprofile(None)
    assert len(calls) < 18_000  # 26,000 where it is merged
    assert (figure.layout.height, figure.layout.yaxis.nticks, figure.layout.xaxis.range) == (234, 6, (-1, 60))
    assert figure.layout.xaxis.title.text == "hidden cells, lowest estimate first" and not figure.layout.xaxis.showgrid
