"""Lines of different lengths become a rectangle, and what was done about them is said."""

import numpy as np
import pytest

from metamf.tables import TableError, read_table


def notes_of(table):
    return {note.kind: note for note in table.report.notes}


def test_a_title_above_the_table_is_set_aside():
    table = read_table(b"Our ratings\n\nname,a,b\nann,1,2\nbob,3,4\n")
    assert table.ratings.col_labels == ("a", "b") and table.ratings.row_labels == ("ann", "bob")
    assert "Our ratings" in notes_of(table)["title lines"].where


def test_short_lines_are_filled_up_and_empty_cells_beyond_the_table_are_cut():
    table = read_table(b"a,b,c\n1,2,3\n4\n5,1,2,,\n")
    np.testing.assert_array_equal(table.ratings.to_dense(), [[1, 2, 3], [4, np.nan, np.nan], [5, 1, 2]])
    notes = notes_of(table)
    assert (
        notes["ragged lines"].where == "line 3"
        and "1 line with more empty cells" in notes["empty cells at the end"].message
    )


def test_blank_lines_are_skipped_but_are_empty_cells_of_a_single_column():
    assert read_table(b"a,b,c\n1,2,3\n\n4,5,1\n").ratings.shape == (2, 3)
    assert read_table(b"1\n\n4\n\n").ratings.to_dense().ravel().tolist() == pytest.approx([1, np.nan, 4], nan_ok=True)


def test_a_line_with_too_many_cells_is_refused_with_its_number():
    with pytest.raises(TableError, match="line 3 has 4 cells where the table has 3"):
        read_table(b"a,b,c\n1,2,3\n4,5,1,2\n1,1,1\n")
