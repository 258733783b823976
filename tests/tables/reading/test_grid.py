"""Records become a grid of codes."""

import numpy as np

from metamf.tables import read_table


def test_progress_is_told_while_a_long_text_is_read(monkeypatch):
    monkeypatch.setattr("metamf.tables.reading.grid._TOLD", 10)
    data, told = "user,item,rating\n" + "".join(f"u{i},m{i},3\n" for i in range(100)), []
    ratings = read_table(data.encode(), progress=told.append).ratings
    assert len(told) == 11 and told == sorted(told) and 0 <= told[0] < 0.2 and 0.9 < told[-1] <= 1
    np.testing.assert_array_equal(ratings.values, read_table(data.encode()).ratings.values)
