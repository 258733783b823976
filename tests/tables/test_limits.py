"""The limits: stated, and kept by refusing the whole table."""

import pytest
from awkward_files import PLAIN

from metamf.tables import WINDOW, Limits, ReadOptions, TableError, read_table


@pytest.mark.parametrize(
    "limits, error",
    [
        (Limits(bytes=20), "limit is"),
        (Limits(rows=1), "more than 1 rows"),
        (Limits(columns=2), "more than 2 columns"),
        (Limits(cells=11), "more than 11 cells"),
    ],
)
def test_past_a_limit_the_table_is_refused(limits, error):
    with pytest.raises(TableError, match=error):
        read_table(PLAIN.encode(), options=ReadOptions(limits=limits))


def test_a_long_table_of_too_large_a_matrix_is_refused():
    data = "user,item,rating\n" + "".join(f"u{i},m{i},3\n" for i in range(100))
    with pytest.raises(TableError, match="100 rows x 100 columns = 10,000 cells"):
        read_table(data.encode(), options=ReadOptions(limits=Limits(matrix=9_999)))


def test_the_limits_are_stated():
    said = Limits().sentence()
    for limit in ("32 MB", "1,500,000 lines", "200,000 rows and 5,500,000 cells"):
        assert limit in said
    assert WINDOW.sentence().endswith("a matrix of up to 200,000 rows.")


def test_a_matrix_of_too_many_rows_is_refused():
    data = "user,item,rating\n" + "".join(f"u{i},m,3\n" for i in range(100))
    with pytest.raises(TableError, match="the table has 100 rows; the limit is 99"):
        read_table(data.encode(), options=ReadOptions(limits=Limits(matrix_rows=99)))
