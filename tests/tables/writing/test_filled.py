"""A filled table: provenance, and names for what has none."""

import io

import numpy as np
import pandas as pd
import pytest
from awkward_files import PLAIN
from exports import fill

from metamf.tables import TableError, read_table
from metamf.tables.writing.filled import IMPUTED, Filled
from metamf.tables.writing.text import to_csv_long
from metamf.tables.writing.workbook import to_parquet


def test_what_is_marked_must_agree_with_the_table():
    table = read_table(PLAIN.encode())
    with pytest.raises(TableError, match=r"cell \(0, 1\) is called observed, but the table lacks it"):
        fill(table, provenance=np.zeros((2, 3), dtype=int))
    with pytest.raises(TableError, match=r"cell \(0, 0\) is called imputed, but the table has it"):
        fill(table, provenance=np.full((2, 3), IMPUTED))
    with pytest.raises(TableError, match=r"mean has shape \(3, 2\)"):
        Filled(table, np.zeros((3, 2)))
    with pytest.raises(TableError, match="together"):
        fill(table, lower=np.zeros((2, 3)))


def test_a_long_table_names_what_a_wide_one_leaves_without_a_name():
    table = read_table(b"user,column 2,,film\nann,1,2,3\nbob,4,,5\n,2,3,1\ncy,5,3,2\n")
    back = read_table(to_csv_long(fill(table)))
    assert back.ratings.row_labels == ("ann", "bob", "row 3", "cy")
    assert back.ratings.col_labels == ("column 2", "column 2*", "film")
    assert np.array_equal(back.ratings.to_dense(), fill(table).values)
    frame = pd.read_parquet(io.BytesIO(to_parquet(fill(table))))
    assert frame.column.unique().tolist() == ["column 2", "column 2*", "film"] and "row 3" in frame.row.values
