"""The role of each column: by what its cells look like, or by what was said."""

import numpy as np
import peoples_files as files
import pytest

from metamf.tables import ReadOptions, TableError, read_table


def test_columns_of_different_units_are_not_asked_about():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9, 6)) * [0.1, 3, 40, 700, 9000, 1] + [1, 20, 300, 2000, 50_000, 7]
    data = files.written([["name", *"abcdef"], *([f"p{i}", *(f"{x:.4g}" for x in row)] for i, row in enumerate(X))])
    report = read_table(data).report
    assert "each in a range of its own" in report.layout.reason and read_table(data).ratings.shape == (9, 6)


def test_an_unknown_column_or_row_and_one_of_two_roles_are_refused_by_name():
    for options, said in (
        ({"leave_alone": "Ages"}, 'not have a column "Ages"'),
        ({"leave_rows": "Nobody"}, 'not have a row called "Nobody"'),
        ({"leave_rows": 99}, "not have a row on line 99"),
        ({"names": "Age", "ratings": "Age"}, "cannot be two things"),
    ):
        with pytest.raises(TableError, match=said):
            read_table(files.form(), options=ReadOptions(**{"leave_alone": "Timestamp"} | options))
    with pytest.raises(TableError, match="two different words"):
        ReadOptions(words=("good", "good"))


def test_a_word_beside_a_scale_is_asked_about_and_no_column_is_dropped_for_it():
    rows = [["Agree", "Neutral"], ["Disagree", "Not applicable"], ["Neutral", "Agree"], ["Agree", "Disagree"]] * 3
    content = files.written([["name", "S0", "S1"], *([f"p{i}", *row] for i, row in enumerate(rows))])
    with pytest.raises(TableError, match='the column "S1" holds the words of a scale and "Not applicable"') as refused:
        read_table(content)
    assert refused.value.markers == ("Not applicable",)
    table = read_table(content, options=ReadOptions(missing_markers="Not applicable"))
    assert table.ratings.shape == (12, 2) and table.ratings.nnz == 21


def test_columns_in_units_of_their_own_do_not_have_a_rating_scale_in_common():
    """Stars and percentages, whole numbers all of them: no scale from 0 to 100 for the stars."""
    stars = files.ratings(12, 4, seed=5)
    rows = [[f"p{i}", *row, str(20 * (1 + i % 5))] for i, row in enumerate(stars)]
    content = files.written([["name", *"abcd", "score"], *rows])
    with pytest.raises(TableError, match='"score" holds 20 to 100'):
        read_table(content)
    table = read_table(content, options=ReadOptions(ratings="score"))
    assert table.ratings.scale is None and not table.report.layout.roles.alike
    assert read_table(content, options=ReadOptions(leave_alone="score")).ratings.scale is not None
