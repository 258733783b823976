"""The rows of the maps on the page Compare."""

import pytest

from metamf.webapp.compare import maps


@pytest.mark.parametrize("n, rows", [(0, []), (1, [1]), (3, [3]), (4, [2, 2]), (5, [3, 2]), (7, [3, 2, 2])])
def test_no_picture_stands_alone_in_the_last_row(n, rows):
    assert [len(row) for row in maps.in_rows(list(range(n)))] == rows
