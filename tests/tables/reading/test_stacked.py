"""Several tables under each other, and what stands between and below them."""

import peoples_files as files
import pytest
from untouched import check_untouched

from metamf.tables import ReadOptions, TableError, read_table


def table(columns, n=8, seed=0, title=None):
    """Lines of a table with names of rows, of equal length."""
    rows = files.ratings(n, len(columns), seed=seed, missing=0.2)
    lines = [] if title is None else [[title, *[""] * len(columns)]]
    return [*lines, ["Name", *columns], *([files.PEOPLE[i], *row] for i, row in enumerate(rows))]


def blank(m):
    return [[""] * (m + 1)]


def test_of_tables_with_different_names_one_is_read_and_it_is_said_which():
    small, large = table(["a", "b", "c"], 6), table(["x", "y", "z"], 9, seed=1, title="Second year")
    content = files.written([*small, *blank(3), *large])
    found = read_table(content)
    assert found.report.file.tables == ((1, 7), (9, 19)) and found.report.file.table == 1
    assert found.ratings.col_labels == ("x", "y", "z") and found.ratings.n_rows == 9
    said = " ".join(found.report.sentences())
    assert "2 tables under each other, on lines 1 to 7 and 9 to 19; the one on lines 9 to 19 was read" in said
    first = read_table(content, options=ReadOptions(table=0))
    assert first.ratings.col_labels == ("a", "b", "c") and first.report.file.table == 0
    with pytest.raises(TableError, match="there is no table 3"):
        read_table(content, options=ReadOptions(table=2))
    with pytest.raises(TableError, match="holds one table"):
        read_table(files.written(small), options=ReadOptions(table=1))


def test_tables_with_the_same_names_are_one_and_come_back_with_what_stands_between_them():
    names = ["a", "b", "c"]
    content = files.written([*table(names, 6), *blank(3), *table(names, 7, seed=1, title="Second year")])
    found = read_table(content)
    assert found.ratings.n_rows == 13 and not found.report.file.tables
    said = " ".join(found.report.sentences())
    for line in ("line 8 (a blank line)", "line 9 (a title)", "line 10 (the names of the columns once more)"):
        assert line in said
    check_untouched(content, found)


def test_a_note_below_the_table_and_blank_lines_are_not_people_without_ratings():
    content = files.written([*table(["a", "b", "c"], 8), *blank(3), ["Source: our own meetings", "", "", ""]])
    found = read_table(content)
    assert found.ratings.n_rows == 8 and "line 11 (a note below the table)" in " ".join(found.report.sentences())
    check_untouched(content, found)
    silent = [*table(["a", "b", "c"], 8), ["Zoe", "", "", ""]]  # no blank line before her
    assert read_table(files.written(silent)).ratings.row_labels[-1] == "Zoe"
    broken = files.written(silent).replace(b"Zoe", b'"Zoe\nand Ann"').replace(b"Gus", b'"Gus\nand Eva"')
    assert read_table(broken).ratings.row_labels[-1] == "Zoe\nand Ann"  # lines of a name are not blank lines


def test_a_row_of_averages_is_found_below_a_blank_line():
    rows = files.ratings(9, 4, seed=3, missing=0.2)
    means = [f"{sum(map(int, filter(None, column))) / len(list(filter(None, column))):.2f}" for column in zip(*rows)]
    lines = [
        ["Name", *"abcd"],
        *([files.PEOPLE[i], *row] for i, row in enumerate(rows)),
        *blank(4),
        ["Average", *means],
    ]
    found = read_table(files.written(lines))
    assert found.ratings.n_rows == 9 and "line 12 (the average of the other rows)" in " ".join(found.report.sentences())


def test_blank_lines_inside_one_table_do_not_make_two():
    lines = table(["a", "b", "c"], 9)
    content = files.written([*lines[:5], *blank(3), *lines[5:]])
    found = read_table(content)
    assert found.ratings.n_rows == 9 and not found.report.file.tables
    check_untouched(content, found)
