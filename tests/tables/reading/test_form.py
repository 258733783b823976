"""Wide or long: the form of a table, by its cells, and why."""

import pytest

from metamf.tables import ReadOptions, TableError, read_table
from metamf.tables.reading.form import position


@pytest.mark.parametrize(
    ("content", "form", "reason"),
    [
        (b"ann,3\nbob,4\n", "wide", "long table needs three columns"),
        (b"user,item,rating\nann,A,3\nbob,A,4\n", "long", 'its header names "user"'),
        (b"ann,A,3\nbob,A,4\nann,B,1\n", "long", "its first two columns are names"),
        (b"1,7,3\n1,9,4\n2,7,1\n2,9,5\n", "long", "they look like identifiers"),
        (b"5,4,3\n5,5,4\n2,3,1\n1,1,2\n", "wide", "ratings of the same kind"),
    ],
)
def test_the_cells_decide_the_form_and_the_reason_is_said(content, form, reason):
    layout = read_table(content).report.layout
    assert layout.form == form and reason in layout.reason


def test_what_was_said_decides_before_the_cells_do():
    content = b"ann,A,3\nbob,A,4\nann,B,1\n"
    turned = read_table(content, options=ReadOptions(row_column=1, column_column=0, value_column=2))
    assert turned.ratings.row_labels == ("A", "B") and turned.report.layout.reason == "you named its columns"
    with pytest.raises(TableError, match="a long table needs three columns .* and this one has 2"):
        read_table(b"ann,3\nbob,4\n", options=ReadOptions(form="long"))
    with pytest.raises(TableError, match="must differ"):
        read_table(content, options=ReadOptions(row_column=1, column_column=1))


def test_a_column_is_named_by_name_or_position():
    assert position(" b ", ("a", "b"), 2) == position(1, None, 2) == position("column 2", None, 2) == 1
    for column, names, said in (
        (2, None, "at position 2"),
        ("c", ("a", "b"), 'the columns "a"'),
        ("c", None, "no header"),
    ):
        with pytest.raises(TableError, match=said):
            position(column, names, 2)
