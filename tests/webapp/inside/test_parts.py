"""The building blocks of the page Inside."""

import numpy as np

from metamf.webapp.inside.parts import LONGEST_TABLE, grid, table


def test_texts_in_a_table_stay_text_and_long_tables_say_that_they_are_cut():
    html = table("A & B", ["<i>", "x"], [["<script>", "1"]])
    assert "<script>" not in html and "&lt;script&gt;" in html and "A &amp; B" in html and "First" not in html
    cut = table("All.", ["n"], [[str(n)] for n in range(LONGEST_TABLE + 5)])
    assert (
        cut.count('scope="row"') == LONGEST_TABLE and f"The first {LONGEST_TABLE} of {LONGEST_TABLE + 5} lines" in cut
    )


def test_a_grid_has_a_line_for_each_row_and_a_dash_where_nothing_is(monkeypatch):
    html = grid("All.", np.array([[1.0, np.nan], [-2.5, 0.0]]), ["a", "<b>"], ["c", "d"])
    assert '<th scope="row">a</th><td>1.00</td><td>–</td>' in html and "&lt;b&gt;</th><td>−2.50</td>" in html
    monkeypatch.setattr("metamf.webapp.inside.parts.LARGEST_GRID", 1)
    cut = grid("All.", np.ones((2, 2)), ["a", "b"], ["c", "d"])
    assert "The first 1 rows and 1 columns." in cut and cut.count("<td>") == 1
