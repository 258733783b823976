"""Tables of the numbers behind a figure."""

from metamf.webapp.numbers import LONGEST, table


def test_texts_in_a_table_stay_text_and_long_tables_say_that_they_are_cut():
    html = table("A & B", ["<i>", "x"], [["<script>", "1"]])
    assert "<script>" not in html and "&lt;script&gt;" in html and "A &amp; B" in html and "First" not in html
    cut = table("All.", ["n"], [[str(n)] for n in range(LONGEST + 5)])
    assert cut.count('scope="row"') == LONGEST and f"The first {LONGEST} of {LONGEST + 5} lines" in cut


def test_a_corner_without_a_name_is_not_a_heading():
    html = table("All.", ["", "x"], [["a", "1"]])
    assert '<td></td><th scope="col">x</th>' in html  # axe: empty-table-header
