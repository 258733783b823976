"""The figures of the race of starts."""

import numpy as np

from metamf.figures.race import RaceCurve, race_curves, step_lengths

STEPS = np.arange(4.0)


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
