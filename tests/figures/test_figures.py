"""Figures of lines, points, bars and gaps, and the part of a large matrix that is drawn: what is drawn and
what stands in the numbers behind it is what was given."""

import numpy as np
import pytest

from metamf.figures.gaps import (
    MOST_COLUMNS,
    MOST_PATTERNS,
    MOST_POINTS,
    drawn_columns,
    gap_patterns,
    given_and_estimated,
    numbers_of_columns,
    where_gaps_are,
)
from metamf.figures.lines import (
    interval_strip,
    objective_bars,
    race_curves,
    step_lengths,
    sum_of_terms,
)
from metamf.figures.window import Window

STEPS = np.arange(4.0)


def points(trace):
    return list(zip(trace.x, trace.y))


def test_intervals_stand_by_rising_estimate_with_the_ratings_inside_and_outside_apart():
    estimate, half = np.array([3.0, 1.0, 2.0]), np.array([1.0, 0.5, 0.25])
    figure = interval_strip(estimate, estimate - half, estimate + half, np.array([3.9, 1.0, 3.0]))
    by_name = {trace.name: trace for trace in figure.data}
    ends = np.asarray(by_name["interval"].y).reshape(3, 3)
    nan = np.nan  # lines of their own
    np.testing.assert_array_equal(ends, [[0.5, 1.5, nan], [1.75, 2.25, nan], [2, 4, nan]])
    inside, outside = by_name["true rating"], by_name["outside"]
    assert (points(inside), points(outside)) == ([(0, 1.0), (2, 3.9)], [(1, 3.0)])
    assert inside.marker.symbol != outside.marker.symbol
    np.testing.assert_array_equal(outside.customdata, [[2, 1.75, 2.25]])


def test_the_parts_of_the_objective_are_stacked_and_told_apart_by_more_than_colour():
    figure = objective_bars(np.array([4.0, 1.0]), np.array([0.0, 0.5]))
    likelihood, prior = figure.data
    assert figure.layout.barmode == "stack"
    assert (list(likelihood.y), list(prior.y)) == ([4, 1], [0, 0.5])
    assert likelihood.marker.pattern.shape != prior.marker.pattern.shape


def test_curves_are_told_apart_by_more_than_colour_and_many_starts_have_a_band():
    many = np.stack([2 - STEPS / 4, 4 - STEPS / 4])
    figure = race_curves({"one": 2 - STEPS[None] / 4, "many": many})
    one, several = (trace for trace in figure.data if trace.name)
    assert (one.name, several.name) == ("one", "many, 2 times")
    assert one.line.dash != several.line.dash
    assert one.marker.symbol != several.marker.symbol
    [band] = [trace for trace in figure.data if trace.fill == "toself"]
    x, y = [0, 1, 2, 3, 3, 2, 1, 0], [2, 1.75, 1.5, 1.25, 3.25, 3.5, 3.75, 4]
    assert points(band) == list(zip(x, y))


def test_the_steps_that_were_taken_are_a_band_below_the_step_size():
    band = np.array([[0.1, 0.2], [0.05, 0.1], [1e-30, 0.1]])
    figure = step_lengths(band, "taken", "η", 0.7, 5)
    shortest, longest, size = (trace for trace in figure.data if trace.name)
    np.testing.assert_array_equal([shortest.y, longest.y], band.T)
    assert list(shortest.x) == [1, 2, 3]
    assert points(size) == [(0, 0.7), (5, 0.7)]
    low, high = figure.layout.yaxis.range
    assert figure.layout.yaxis.type == "log"
    assert -8 < low < np.log10(0.05) < np.log10(0.7) < high


def test_every_term_begins_where_the_one_before_has_ended():
    [bars] = sum_of_terms(["a", "b", "c"], np.array([1.0, -3.0, 0.5]), "sum").data
    assert list(zip(bars.y, bars.base, bars.x)) == [
        ("a", 0, 1),
        ("b", 1, -3),
        ("c", -2, 0.5),
        ("sum", 0, -1.5),
    ]
    assert bars.text == ("+1.000", "−3.000", "+0.500", "−1.500")


def test_a_window_lies_inside_the_matrix():
    assert Window.of((5, 7)) == Window(0, 0, 5, 7)
    assert Window.of((1000, 700), 990, 650) == Window(700, 400, 300, 300)
    assert Window.of((1000, 20), -5, 3) == Window(0, 0, 300, 20)
    window = Window.of((1000, 700), 10, 20)
    part = np.arange(700_000).reshape(1000, 700)[window.rows, window.cols]
    assert part.shape == (300, 300) and part[0, 0] == 10 * 700 + 20
    assert Window.of((60, 60)).dotted and not Window.of((61, 2)).dotted


GIVEN = [np.array([1.0, 2.0, 3.0]), np.array([100.0, 300.0]), np.array([4.0, 5.0])]
ESTIMATED = [np.array([2.5]), np.array([250.0, 150.0]), np.array([])]
NAMES = ["age", "income", "whole"]


def test_a_column_with_estimates_has_its_values_in_spreads_given_above_and_estimated_below():
    figure = given_and_estimated(GIVEN, ESTIMATED, NAMES)
    assert figure.layout.yaxis.autorange == "reversed"  # so the negative side is above the line
    assert [(trace.y0, trace.name, trace.side) for trace in figure.data] == [
        ("age", "given", "negative"),
        ("age", "estimated", "positive"),
        ("income", "given", "negative"),
        ("income", "estimated", "positive"),
    ]
    np.testing.assert_allclose(figure.data[3].x, [0.5, -0.5])
    np.testing.assert_array_equal(figure.data[3].customdata, [250, 150])  # of hover
    found = numbers_of_columns(GIVEN, ESTIMATED, NAMES).set_index("column")
    assert list(found.index) == ["age", "income"]
    income = found.loc["income", ["estimated", "given: mean", "estimated: highest"]]
    assert income.tolist() == [2, 200, 250]


def test_few_values_are_points_and_of_many_quantiles_are_sent():
    many = np.random.default_rng(0).normal(size=5_000)
    given, estimated = given_and_estimated([many], [many[:2]], ["x"]).data
    assert (given.points, estimated.points) == (False, "all")
    assert len(given.x) == MOST_POINTS
    assert np.std(given.x) == pytest.approx(1, abs=0.02)


def test_of_many_columns_those_with_most_estimates_are_drawn():
    drawn = drawn_columns([np.zeros(j % 15) for j in range(30)])
    assert len(drawn) == MOST_COLUMNS
    assert min(j % 15 for j in drawn) == 9


def test_a_column_without_given_values_or_of_one_value_is_drawn():
    given, estimated = [np.array([]), np.full(2, 3.0)], [np.array([1.0]), np.array([3.0])]
    figure = given_and_estimated(given, estimated, ["none", "one"])
    assert len(figure.data) == 3
    assert all(np.isfinite(trace.x).all() for trace in figure.data)


MISSING = np.array([[0, 0, 1], [0, 0, 1], [1, 0, 1], [0, 0, 0]], dtype=bool)


def test_patterns_are_counted_the_most_frequent_first_and_columns_by_their_gaps():
    found = gap_patterns(MISSING, NAMES)
    assert list(found.columns) == ["rows", "gaps", "income", "age", "whole"]
    assert found[["rows", "gaps"]].to_numpy().tolist() == [[2, 1], [1, 0], [1, 2]]
    assert found.loc[2, ["income", "age", "whole"]].tolist() == [False, True, True]


def test_the_map_has_a_line_for_each_pattern_as_high_as_it_has_rows_and_says_what_it_leaves_out():
    figure = where_gaps_are(MISSING, NAMES)
    np.testing.assert_array_equal(figure.data[0].y, [0, 2, 3, 4])
    np.testing.assert_array_equal(figure.data[0].z, [[0, 0, 1], [0, 0, 0], [0, 1, 1]])
    assert figure.data[0].text[2][1] == "age: gap<br>1 of 4 rows like this"
    assert figure.layout.title.text is None
    missing = np.random.default_rng(0).random((300, 12)) < 0.5
    figure = where_gaps_are(missing, [f"q{j}" for j in range(12)])
    assert len(figure.data[0].z) == MOST_PATTERNS
    assert "rows have other patterns" in figure.layout.title.text
