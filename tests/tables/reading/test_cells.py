"""The rating cells of a table, wide or long."""

import numpy as np
import pytest

from metamf.tables import TableError
from metamf.tables.reading.cells import read_cells
from metamf.tables.reading.layout import TableLayout
from metamf.tables.reading.roles import NAME, RATING, LineRole, Roles

TEXTS = ["", "ann", "bob", "A", "B", "5", "3"]


def layout(body, **more):
    """A table of codes into ``TEXTS``, whose first line is line 2 of the file."""
    facts = {"header": None, "names": None, "form": "wide", "reason": "", "row_labels": False, "columns": None}
    body = np.array(body, dtype=np.int32)
    return TableLayout(body=body, lines=np.arange(len(body)) + 2, **(facts | more))


def test_the_cells_of_a_wide_table_run_row_by_row():
    body = layout([[1, 5, 6], [2, 0, 5]], names=("user", "A", " B "), row_labels=True)
    cells = read_cells(body, TEXTS, Roles((LineRole(NAME), LineRole(RATING), LineRole(RATING))))
    assert (cells.shape, cells.row_labels, cells.col_labels) == ((2, 2), ("ann", "bob"), ("A", "B"))
    assert cells.rows.tolist() == [0, 0, 1, 1] and cells.cols.tolist() == [0, 1, 0, 1]
    assert cells.codes.tolist() == [5, 6, 0, 5] and cells.lines.tolist() == [2, 2, 3, 3]


def test_the_cells_of_a_long_table_are_its_lines():
    cells = read_cells(layout([[1, 3, 5], [0, 0, 0], [2, 3, 6], [1, 4, 5]], form="long", columns=(0, 1, 2)), TEXTS)
    assert (cells.shape, cells.row_labels, cells.col_labels) == ((2, 2), ("ann", "bob"), ("A", "B"))
    assert cells.rows.tolist() == [0, 1, 0] and cells.cols.tolist() == [0, 0, 1] and cells.lines.tolist() == [2, 4, 5]
    assert [note.kind for note in cells.notes] == ["blank rows"]


def test_a_line_without_a_name_is_named():
    with pytest.raises(TableError, match='line 3 does not name a column: the column "column 2" is empty there'):
        read_cells(layout([[1, 3, 5], [2, 0, 6]], form="long", columns=(0, 1, 2)), TEXTS)


def test_a_table_of_names_alone_is_refused():
    with pytest.raises(TableError, match="does not have a column of ratings"):
        read_cells(layout([[1], [2]], row_labels=True), TEXTS, Roles((LineRole(NAME),)))
