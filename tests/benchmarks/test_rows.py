"""benchmarks/rows: what stands in a CSV file of results."""

from benchmarks.rows import append, read, rewrite


def test_rows_that_lack_a_column_of_their_file_leave_it_empty(tmp_path):
    path = tmp_path / "rows.csv"
    append(path, {"what": "a", "value": 1 / 3, "n": 2})
    append(path, {"n": 3, "what": "b"})
    assert path.read_text().splitlines() == ["what,value,n", "a,0.333333,2", "b,,3"]
    rewrite(path, *read(path)[1:])
    assert read(path) == [{"what": "b", "value": "", "n": "3"}]
