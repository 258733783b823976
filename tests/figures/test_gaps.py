"""Pictures of gaps: what is drawn and what stands in the numbers behind it is what was given."""

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
