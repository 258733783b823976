"""Roles of columns and rows in files as people have them, and what is left alone."""

import io

import numpy as np
import peoples_files as files
import pytest
from untouched import check_untouched

from metamf.tables import ReadOptions, TableError, read_table
from metamf.tables.reading.roles import ALONE, NAME, RATING, RolesInDoubtError
from metamf.tables.writing.filled import Filled
from metamf.tables.writing.workbook import to_excel


def roles_of(table):
    facts = table.report.layout
    return {name: role.role for name, role in zip(facts.file_columns, facts.roles.columns)}


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


def test_a_workbook_has_what_was_left_alone():
    import openpyxl

    table = read_table(files.form(), options=ReadOptions(leave_alone="Age"))
    book = to_excel(Filled(table, np.full(table.ratings.shape, 3.25)))
    sheet = list(openpyxl.load_workbook(io.BytesIO(book))["Filled"].iter_rows(values_only=True))
    assert sheet[0][:4] == ("Timestamp", "Email address", "Your name", "Age") and len(sheet) == 13
    assert sheet[1][2] == "Zoë Ángel" and sheet[1][3] == 19 and {type(x) for x in sheet[3][4:16]} <= {int, float}
