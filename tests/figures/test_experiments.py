"""Bars and curves of our numbers beside the paper's."""

import pytest

from metamf.figures.experiments import Bar, Curve, interval_bars, interval_curves

NAN = float("nan")


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
