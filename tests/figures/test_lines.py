"""Figures of lines, points and bars: what is drawn is what was given, told apart by more than colour."""

import numpy as np
import pytest

from metamf.figures.lines import (
    HEIGHT,
    TYPE,
    RaceCurve,
    interval_strip,
    larger,
    race_curves,
    step_lengths,
    sum_of_terms,
)

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


def test_a_rating_at_the_end_of_an_interval_is_inside():
    one = np.ones(1)
    assert len(trace(interval_strip(one, one, one, one), "outside").x) == 0


def test_curves_are_told_apart_by_more_than_colour_and_many_starts_have_a_band():
    figure = race_curves(
        [RaceCurve("one", 2 - STEPS / 4), RaceCurve("many", 3 - STEPS / 4, 2 - STEPS / 4, 4 - STEPS / 4)]
    )
    lines = [trace for trace in figure.data if trace.name]
    assert [line.name for line in lines] == ["one", "many"]
    for look in ("dash", "color"):
        assert len({line.line[look] for line in lines}) == 2
    assert lines[0].marker.symbol != lines[1].marker.symbol
    [band] = [trace for trace in figure.data if trace.fill == "toself"]
    np.testing.assert_array_equal(band.x, [0, 1, 2, 3, 3, 2, 1, 0])
    np.testing.assert_array_equal(band.y, [2, 1.75, 1.5, 1.25, 3.25, 3.5, 3.75, 4])


def test_a_curve_without_numbers_ends_in_a_cross():
    figure = race_curves([RaceCurve("one", np.array([1, 2, np.nan, np.nan])), RaceCurve("two", np.ones(4))])
    assert list(figure.data[0].x) == [0, 1]
    [cross] = [trace for trace in figure.data if trace.marker.symbol == "x-thin"]
    assert (list(cross.x), list(cross.y)) == ([1], [2])


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


@pytest.mark.parametrize("value", [-2.0, 2.0])
def test_what_a_relu_leaves_is_one_more_bar(value):
    [bars] = sum_of_terms(["a"], np.array([value]), "sum", lowest=0).data
    assert list(bars.y)[-1] == "after ReLU" and bars.x[-1] == max(value, 0)


def test_a_sum_of_nothing_but_zeros_has_a_width():
    low, high = sum_of_terms(["a"], np.zeros(1), "sum").layout.xaxis.range
    assert low < 0 < high


def test_what_says_no_size_gets_one_and_notes_grow():
    usual = step_lengths(np.array([0.4, 0.2]), 0.1, 1)
    before = usual.to_json()
    grown = larger(usual)
    assert usual.to_json() == before and grown.layout.height == HEIGHT * usual.layout.height
    assert grown.layout.font.size == TYPE * (usual.layout.font.size or 12)
    assert grown.layout.legend.font.size == TYPE * (usual.layout.legend.font.size or 12)
    assert [note.text for note in grown.layout.annotations] == [note.text for note in usual.layout.annotations]
    assert all(note.font.size >= 12 * TYPE for note in grown.layout.annotations)
