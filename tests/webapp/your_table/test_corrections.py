"""The fields that correct the reading of a file: the names of their options."""

import pytest

from metamf.webapp.your_table.corrections import in_words


@pytest.mark.parametrize(
    "at, words",
    [(1, "2: Tea"), (0, "column 1"), (7, "column 8"), ("Tea", "Tea")],
    ids=["named", "unnamed", "beyond the last", "a guess"],
)
def test_a_column_is_offered_by_number_and_name(at, words):
    assert in_words(["", "Tea"], at, "column") == words
