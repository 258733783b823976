"""Roles of columns and rows in files as people have them."""

import csv
import io

import numpy as np
import peoples_files as files
import pytest

from metamf.tables import ReadOptions, TableError, read_table
from metamf.tables.reading.roles import ALONE, NAME, RATING, RolesInDoubtError
from metamf.tables.writing.filled import Filled
from metamf.tables.writing.text import to_csv_wide
from metamf.tables.writing.workbook import to_excel


def roles_of(table):
    facts = table.report.layout
    return {name: role.role for name, role in zip(facts.file_columns, facts.roles.columns)}


def cells_of(content):
    return list(csv.reader(io.StringIO(content.decode())))


def check_untouched(content, table, value=3.4):
    """Everything but the missing cells of the matrix comes back as it was read; returns what was filled in."""
    X = np.full(table.ratings.shape, value)
    before, after = cells_of(content), cells_of(to_csv_wide(Filled(table, X)))
    assert [len(line) for line in before] == [len(line) for line in after]
    changed = [(was, now) for old, new in zip(before, after) for was, now in zip(old, new) if was != now]
    assert len(changed) == X.size - table.ratings.nnz
    return changed


def test_a_form_asks_about_the_age_and_leaves_the_rest_alone():
    with pytest.raises(RolesInDoubtError, match='"Age" holds 19 to 6., where .* hold 1 to 7') as caught:
        read_table(files.form())
    assert [doubt.names for doubt in caught.value.doubts] == [("Age",)] and "leave_alone=['Age']" in str(caught.value)
    table = read_table(files.form(), options=ReadOptions(leave_alone="Age"))
    roles = roles_of(table)
    assert [name for name, role in roles.items() if role == NAME] == ["Your name"]
    assert [name for name, role in roles.items() if role == ALONE] == [
        "Timestamp",
        "Email address",
        "Age",
        "Any comments?",
    ]
    assert table.ratings.shape == (12, 12) and table.ratings.scale.maximum == 7
    assert table.ratings.row_labels[0] == "Zoë Ángel"
    assert '"Timestamp" (dates or times)' in " ".join(table.report.sentences())
    assert {was for was, _ in check_untouched(files.form(), table)} == {""}
    assert read_table(files.form(), options=ReadOptions(ratings="Age")).ratings.shape == (12, 13)


def test_a_marks_sheet_leaves_number_group_total_and_remark_alone():
    with pytest.raises(TableError, match='"abs" is not a number') as caught:
        read_table(files.marks())
    assert caught.value.markers == ("abs",)
    table = read_table(files.marks(), options=ReadOptions(missing_markers="abs"))
    roles = roles_of(table)
    assert [name for name, role in roles.items() if role == RATING] == [f"Task {j}" for j in range(1, 8)]
    assert roles["Student"] == NAME and table.ratings.row_labels[1] == "Ana 1"
    assert '"Total" (the sum of 7 other columns)' in " ".join(table.report.sentences())
    assert {was for was, _ in check_untouched(files.marks(), table)} == {"", "abs"}
    assert (
        "Total"
        in read_table(files.marks(), options=ReadOptions(missing_markers="abs", ratings="Total")).ratings.col_labels
    )


def test_words_stand_on_a_scale_whose_order_can_be_changed():
    table = read_table(files.agreement())
    assert table.ratings.row_labels is None and table.ratings.shape == (12, 6)
    assert set(table.ratings.values) <= {1, 2, 3, 4, 5}
    assert "Strongly disagree = 1" in " ".join(table.report.sentences())
    assert {now for _, now in check_untouched(files.agreement(), table)} == {"Neutral"}
    turned = read_table(files.agreement(), options=ReadOptions(words=[files.AGREEMENT[::-1]]))
    np.testing.assert_array_equal(turned.ratings.values, 6 - table.ratings.values)


def test_words_of_no_known_scale_are_asked_about():
    data = files.agreement()
    for word, other in zip(files.AGREEMENT[::-1], ("fab", "nice", "meh", "bah", "ugh")):
        data = data.replace(word.encode(), other.encode())
    with pytest.raises(RolesInDoubtError, match="hold words .*in which order they stand") as caught:
        read_table(data)
    assert set(caught.value.doubts[0].words) == {"fab", "nice", "meh", "bah", "ugh"}
    table = read_table(data, options=ReadOptions(words=("ugh", "bah", "meh", "nice", "fab")))
    np.testing.assert_array_equal(table.ratings.values, read_table(files.agreement()).ratings.values)


def test_yes_and_no_are_one_and_zero():
    table = read_table(b"who,tea,coffee\nA,yes,no\nB,no,\nC,yes,no\n")
    assert table.ratings.values.tolist() == [1, 0, 0, 1, 0] and table.ratings.col_labels == ("tea", "coffee")


def test_two_lines_of_header_make_one_name_each():
    table = read_table(files.two_header_lines())
    assert table.ratings.col_labels == ("Taste: A", "Taste: B", "Look: A", "Look: B")
    assert table.ratings.row_labels == files.PEOPLE[:6]
    check_untouched(files.two_header_lines(), table)


def test_rows_and_columns_of_averages_are_found_by_their_values():
    data = files.with_averages()
    table = read_table(data)
    assert table.ratings.shape == (8, 5) and table.report.layout.row_lines == (10,)
    said = " ".join(table.report.sentences())
    assert '"Ø" (the average of 5 other columns)' in said and "line 10 (the average of the other rows)" in said
    check_untouched(data, table)
    kept = read_table(data, options=ReadOptions(keep_rows="All", ratings="Ø"))
    assert kept.ratings.shape == (9, 6)
    assert read_table(data, options=ReadOptions(leave_rows=("Ana", 10))).ratings.shape == (7, 5)


def test_a_column_called_total_that_is_no_sum_is_a_rating():
    data = files.with_averages().replace("Ø".encode(), b"Total").replace(b".", b"1")
    assert "Total" in read_table(data, options=ReadOptions(ratings="Total")).ratings.col_labels
    lines = [[f"p{i}", *row] for i, row in enumerate(files.ratings(10, 4, missing=0))]
    table = read_table(files.written([["who", "a", "b", "c", "Total"], *lines]))
    assert table.ratings.col_labels == ("a", "b", "c", "Total")


@pytest.mark.parametrize("sign", ["{}%", "{} %", "{} stars", "{}/5", "{} out of 5", "€ {}"])
def test_decorated_numbers_are_numbers_and_estimates_look_alike(sign):
    data = files.decorated(sign)
    table, plain = read_table(data), read_table(files.decorated("{}%" if "%" in sign else "{}"))
    np.testing.assert_array_equal(table.ratings.values, plain.ratings.values)
    assert {now for _, now in check_untouched(data, table)} == {sign.format("3.4")}


def test_labelled_and_drawn_numbers_are_numbers_too():
    labelled = files.decorated("{}")
    drawn = labelled
    for number, word in zip("12345", ("bad", "poor", "fair", "good", "great")):
        labelled = labelled.replace(f",{number}".encode(), f",{number} - {word}".encode())
        drawn = drawn.replace(f",{number}".encode(), f",{'★' * int(number)}".encode())
    plain = read_table(files.decorated("{}")).ratings.values
    for data, nearest in ((labelled, "3 - fair"), (drawn, "★★★")):
        table = read_table(data)
        np.testing.assert_array_equal(table.ratings.values, plain)
        assert {now for _, now in check_untouched(data, table)} == {nearest}


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


def test_a_workbook_has_what_was_left_alone():
    import openpyxl

    table = read_table(files.form(), options=ReadOptions(leave_alone="Age"))
    book = to_excel(Filled(table, np.full(table.ratings.shape, 3.25)))
    sheet = list(openpyxl.load_workbook(io.BytesIO(book))["Filled"].iter_rows(values_only=True))
    assert sheet[0][:4] == ("Timestamp", "Email address", "Your name", "Age") and len(sheet) == 13
    assert sheet[1][2] == "Zoë Ángel" and sheet[1][3] == 19 and {type(x) for x in sheet[3][4:16]} <= {int, float}
