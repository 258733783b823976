"""The matrix as a table: what it says, what it marks, and that texts stay texts."""

import re

import numpy as np
from classroom import room  # noqa: F401  a fixture

from metamf.figures.style import RATING_COLOURS
from metamf.webapp.experiments.agreement import Agreement
from metamf.webapp.rooms import expectations, table
from metamf.webapp.rooms.table import legend, marks, matrix_table

NaN = np.nan


def cells(html):
    return [
        re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", html.partition("<tbody>")[2])
    ]


def test_ratings_stand_where_they_belong_and_texts_are_escaped(room):
    html = matrix_table(room)
    assert cells(html) == [["5", "1", "3"], ["1", "5", "3"], ["4", "", ""]]
    assert "<script" not in html and "<b>Bo" not in html
    assert "&lt;b&gt;Bo&lt;/b&gt;" in html and html.count("&quot;&gt;&lt;script&gt;") == 2
    assert 'scope="row">Student 2<' in matrix_table(room, names=False) and "Ada" not in matrix_table(room, names=False)


def test_estimates_are_told_from_ratings_by_more_than_colour(room):
    filled = np.array([[5, 1, 3], [1, 5, 3], [4, 2.24, NaN]])
    html = matrix_table(room, filled)
    assert cells(html)[2][0] == "4" and re.fullmatch(r'<em class="c2">2\.2</em>', cells(html)[2][1])
    assert cells(html)[2][2] == "", "what is not known yet stays empty"
    assert "estimated" in legend(room.scale, True, False) and "estimated" not in legend(room.scale, False, False)


def test_large_surprises_are_marked_with_a_sign_and_in_words(room):
    expected = np.array([[2.0, 1.5, 3], [1, 2, 3], [4, 2, 2]])
    found = Agreement(expectations.matrix(room), expected)
    assert marks(found, room.scale) == {(0, 0), (1, 1)}
    html = matrix_table(room, expected, found)
    assert html.count("▲") == 2 and "▼" not in html and "higher by 3.00 than expected" in html
    assert cells(html)[0][-1] == "1.76" and cells(html)[2][-1] == "", "one rating makes nobody hard to predict"


def test_text_on_every_colour_has_a_contrast_of_four_and_a_half():
    def luminance(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return np.dot(linear, [0.2126, 0.7152, 0.0722])

    pairs = re.findall(r"background: (#\w+); color: (#\w+)", table.colour_style())
    assert [background for background, _ in pairs] == list(RATING_COLOURS)
    for pair in pairs:
        dark, bright = sorted(map(luminance, pair))
        assert (bright + 0.05) / (dark + 0.05) >= 4.5, pair
