"""benchmarks/rows and benchmarks/report: what stands in a CSV file of results, and in a cell of a table. That
pages hold the tables: tests/docs/test_pages.py."""

import pandas as pd

from benchmarks.report import markdown
from benchmarks.report.markdown import number, with_error
from benchmarks.rows import append, read, rewrite


def test_rows_that_lack_a_column_of_their_file_leave_it_empty(tmp_path):
    path = tmp_path / "rows.csv"
    append(path, {"what": "a", "value": 1 / 3, "n": 2})
    append(path, {"n": 3, "what": "b"})
    assert path.read_text().splitlines() == ["what,value,n", "a,0.333333,2", "b,,3"]
    rewrite(path, *read(path)[1:])
    assert read(path) == [{"what": "b", "value": "", "n": "3"}]


def test_numbers_that_are_not_there_leave_their_cell_empty():
    nan = float("nan")
    assert (number(0.12345), number(nan), number(1.5, "+.1f")) == ("0.123", "", "+1.5")
    assert with_error(0.5, 0.01) == "0.500 ± 0.010"
    assert (with_error(0.5, nan), with_error(nan, nan)) == ("0.500", "")
    shown = markdown.markdown(pd.DataFrame({"a": [1, 2], "b": ["x", ""]}))
    assert shown.splitlines()[2:] == ["| 1 | x |", "| 2 |  |"]
