"""Where names and ratings stand: the header, the names of the rows, the form."""

import peoples_files as files
import pytest
from untouched import check_untouched

from metamf.tables import ReadOptions, TableError, read_table
from metamf.tables.reading.layout import column_name


def test_two_lines_of_header_make_one_name_each():
    table = read_table(files.two_header_lines())
    assert table.ratings.col_labels == ("Taste: A", "Taste: B", "Look: A", "Look: B")
    assert table.ratings.row_labels == files.PEOPLE[:6]
    check_untouched(files.two_header_lines(), table)


@pytest.mark.parametrize(
    ("content", "columns", "rows"),
    [
        (b"a,b,c\n1,2,3\n4,5,1\n", ("a", "b", "c"), None),
        (b"1,2,3\n4,5,1\n2,2,2\n", None, None),
        (b"101,102,103\n4,5,1\n2,,2\n", ("101", "102", "103"), None),  # numbers that identify columns
        (b"a,b\nann,1,2\nbob,3,4\n", ("a", "b"), ("ann", "bob")),  # R names no column of names
        (b",a,b\nann,1,2\nbob,3,4\n", ("a", "b"), ("ann", "bob")),
    ],
)
def test_names_of_columns_and_rows_are_told_from_ratings(content, columns, rows):
    ratings = read_table(content).ratings
    assert (ratings.col_labels, ratings.row_labels) == (columns, rows)


def test_what_was_said_of_the_header_is_kept_to():
    ratings = read_table(
        b"a,b,c\n1,2,3\n4,5,1\n", options=ReadOptions(header=False, missing_markers=tuple("abc"))
    ).ratings
    assert ratings.shape == (3, 3) and ratings.col_labels is None


def test_a_column_without_a_name_has_its_number():
    assert [column_name(names, 1) for names in (None, ("a", " "), ("a", " b "))] == ["column 2", "column 2", "b"]


def test_a_header_alone_is_refused():
    with pytest.raises(TableError, match="header"):
        read_table(b"a,b,c\n")
