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


def of_columns(**columns):
    """A CSV with names of rows and these columns."""
    n = len(next(iter(columns.values())))
    lines = [["name", *columns], *([f"row {i}", *(str(column[i]) for column in columns.values())] for i in range(n))]
    return "\n".join(",".join(line) for line in lines).encode()


MARKS = {
    name: np.random.default_rng(at).integers(30, 99, 20) for at, name in enumerate(("Quiz", "Lab", "Essay", "Exam"))
}


@pytest.mark.parametrize("odd", [[1, 2, 3, 2] * 5, [18, 19, 24, 21] * 5])
def test_a_column_wholly_below_the_others_is_asked_about_although_their_scale_would_hold_it(odd):
    with pytest.raises(TableError) as caught:
        read_table(of_columns(Group=odd, **MARKS), "marks.csv")
    [doubt] = caught.value.doubts
    assert doubt.names == ("Group",) and f"holds {min(odd)} to {max(odd)}, where most" in doubt.sentence
    low, high = min(map(min, MARKS.values())), max(map(max, MARKS.values()))
    assert f"hold {low} to {high}" in doubt.sentence
    table = read_table(of_columns(Group=odd, **MARKS), "marks.csv", ReadOptions(leave_alone=("Group",)))
    assert table.ratings.shape == (20, 4)


def test_a_column_of_fractions_among_whole_numbers_is_asked_about():
    rng = np.random.default_rng(0)
    questions = {f"Q{at}": rng.integers(1, 6, 20) for at in range(5)}
    weights = rng.uniform(1.1, 4.9, 20).round(3)
    with pytest.raises(TableError, match="'Weight'|\"Weight\"") as caught:
        read_table(of_columns(Weight=weights, **questions), "survey.csv")
    assert "most of the others hold whole numbers" in caught.value.doubts[0].sentence
    halves = questions["Q0"] + 0.5 * (rng.random(20) < 0.3)  # some half stars are nothing odd
    assert read_table(of_columns(Half=halves, **questions), "stars.csv").ratings.shape == (20, 6)


def test_an_order_of_words_that_fits_no_column_is_refused():
    file = of_columns(A=["Agree", "Neutral", "Disagree"] * 4, B=["Neutral", "Agree", "Disagree"] * 4)
    with pytest.raises(TableError, match='"Agree < Disagree" names all words of no column'):
        read_table(file, "answers.csv", ReadOptions(words=("Agree", "Disagree")))
    assert (
        read_table(file, "answers.csv", ReadOptions(words=("Agree", "Neutral", "Disagree"))).ratings.values.max() == 3
    )
