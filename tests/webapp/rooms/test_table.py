"""The matrix as a table: what it says, what it marks, and that texts stay texts."""

import re

import numpy as np
import pytest

from metamf.figures.style import RATING_COLOURS
from metamf.tasks.agreement import Agreement
from metamf.webapp.rooms import expectations, table
from metamf.webapp.rooms.findings import findings, own_surprise
from metamf.webapp.rooms.room import Room, RoomError, Scale
from metamf.webapp.rooms.table import legend, marks, matrix_table

NaN = np.nan
HOSTILE = '"><script>alert(1)</script>'


@pytest.fixture
def room():
    room = Room.new("Films", ["Alien", HOSTILE, "Psycho"], Scale(1, 5), "d")
    for n, name in enumerate(["Ada", "<b>Bo</b>", "Cy"]):
        room = room.join(f"id{n}", name)
    room = room.start()
    for student, item, value in [(0, 0, 5), (0, 1, 1), (0, 2, 3), (1, 0, 1), (1, 1, 5), (1, 2, 3), (2, 0, 4)]:
        room = room.rate(f"id{student}", item, value)
    return room


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


def test_findings_name_who_disagrees_and_what_the_expectations_are_worth(room):
    found = Agreement(expectations.matrix(room), np.array([[2.0, 1.5, 3], [1, 2, 3], [4, 2, 2]]))
    said = dict(findings(room, found))
    assert said["The largest surprise"].startswith("Ada gave Alien 5.") and "2.00" in said["The largest surprise"]
    assert said["Furthest apart"] == "Ada and <b>Bo</b>: 2.67 apart on average over the 3 things that both rated."
    assert said["What divides the class"] == "Alien: from 1 to 5."
    assert "Student 1 gave Alien" in dict(findings(room, found, named=False))["The largest surprise"]
    assert "do not believe" not in said["How good are the expectations?"]
    useless = Agreement(found.X, np.full(found.X.shape, 1.0))
    assert "the mean does no worse" in dict(findings(room, useless))["How good are the expectations?"]


def test_a_student_s_own_surprise_is_only_told_where_there_is_one():
    items, expected = {0: "Alien", 1: "Psycho"}, {0: 3.0, 1: 3.2}
    assert own_surprise(items, {0: 5, 1: 3}, expected) == (
        "Your largest surprise: you gave Alien 5, and we expected 3.0."
    )
    assert own_surprise(items, {0: 3, 1: 3}, expected) == "" and own_surprise(items, {}, expected) == ""


def test_a_room_becomes_a_matrix_with_names_and_scale(room):
    ratings = expectations.ratings(room)
    assert ratings.nnz == 7 and ratings.row_labels == ("Ada", "<b>Bo</b>", "Cy") and ratings.scale.maximum == 5
    np.testing.assert_array_equal(expectations.matrix(room)[2], [4, NaN, NaN])
    with pytest.raises(RoomError, match="7 ratings so far"):
        expectations.filled(room)


def test_who_came_after_the_model_had_looked_has_no_expectations(room):
    late = room.join("late", "Late").reveal({"id0": {0: 2.0, 1: 3.0, 2: 4.0}})
    found = expectations.agreement(late)
    assert found.surprise[0].tolist() == [3, -2, -1] and np.isnan(found.expected[1:]).all()
    assert matrix_table(late, found.expected, found)


def a_class(rate):
    """24 students and 12 films, of which each student rates seven in ten as ``rate(student, film)`` says."""
    rng = np.random.default_rng(0)
    room = Room.new("Films", [f"film {m}" for m in range(12)], Scale(1, 5), "d").start()
    for n in range(24):
        room = room.join(f"id{n}")
        for m in np.nonzero(rng.random(12) < 0.7)[0]:
            room = room.rate(f"id{n}", int(m), int(np.clip(round(rate(n, m) + 0.6 * rng.normal()), 1, 5)))
    return room


def test_ratings_of_films_that_differ_in_fame_are_expected_better_than_by_their_mean():
    room = a_class(lambda n, m: 1.5 + 3 * m / 11 + (n % 3 - 1) / 2)
    found = expectations.agreement(room.reveal(expectations.by_id(room, expectations.expected(room))))
    assert np.isfinite(found.expected).all()
    assert np.sqrt(np.nanmean(found.surprise**2)) < 0.9 * np.nanstd(found.X)


def test_the_two_who_are_closest_share_a_taste_and_the_two_furthest_apart_do_not():
    room = a_class(lambda n, m: 4.5 if (n + m) % 2 else 1.5)
    found = Agreement(expectations.matrix(room), np.full((24, 12), 3.0))
    assert sum(found.closest) % 2 == 0 and sum(found.furthest) % 2 == 1
