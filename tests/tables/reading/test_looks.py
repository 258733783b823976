"""What the cells of a column look like, whatever the column is called."""

import pytest

from metamf.tables import ReadOptions
from metamf.tables.limits import WEB
from metamf.tables.reading.grid import build_grid
from metamf.tables.reading.looks import Look, looks_of
from metamf.tables.reading.numerals import understand


def look_of(*cells, orders=()):
    grid = build_grid(((line, [cell]) for line, cell in enumerate(cells, 1)), WEB, 100)
    body = grid.codes[:, None]  # (L, 1)
    numbers = understand(grid.codes, grid.texts, ",", ReadOptions())
    m = numbers.meanings
    return looks_of(body, m.kinds[body], grid.texts, m, numbers.form, orders)[0]


@pytest.mark.parametrize(
    ("cells", "look"),
    [
        (("1", "2.5", ""), Look.NUMBERS),
        (("", "", ""), Look.EMPTY),
        (("85 %", "7 %", "90 %"), Look.NUMBERS),
        (("2024-03-01", "2024-03-02", "1"), Look.DATES),
        (("10:22", "9:01 am"), Look.DATES),
        (("ann@example.org", "https://example.org"), Look.ADDRESSES),
        (("agree", "disagree", "agree"), Look.SCALE),
        (("tea", "rum", "tea", "rum"), Look.WORDS),
        (("Ann", "Bob", "Cy"), Look.NAMES),
        (("I liked it a lot, above all the last act", "it was far too long, and far too loud for me"), Look.TEXT),
    ],
)
def test_the_cells_of_a_column_say_what_it_is(cells, look):
    assert look_of(*cells).look is look


def test_words_in_an_order_that_was_said_are_a_scale():
    cells = ("meh", "fab", "meh", "fab")
    assert look_of(*cells).style is None
    assert look_of(*cells, orders=[("ugh", "meh", "fab")]).style.in_words() == "ugh = 1, meh = 2, fab = 3"


def test_the_share_of_written_cells_and_the_different_texts_are_known():
    found = look_of("tea", "rum", "tea", "rum", "")
    assert (found.texts, found.written) == (("rum", "tea"), 0.8)
