"""A room's ratings as a matrix, the model's estimates, the findings, the table, and the CSV
file."""

import csv
import io
import re

import numpy as np
import pytest

from metamf.figures.style import RATING_COLOURS
from metamf.tables.table import read
from metamf.webapp.teach.rooms import results
from metamf.webapp.teach.rooms.agreement import Agreement
from metamf.webapp.teach.rooms.lecturer import as_csv
from metamf.webapp.teach.rooms.results import PAPER, findings, how_good, matrix_table, of_a_parrot
from metamf.webapp.teach.rooms.room import Room, RoomError, Student
from metamf.webapp.teach.rooms.student import own_surprise

NaN = np.nan
EXPECTED = np.array([[2.0, 1.5, 3], [1, 2, 3], [4, 2, 2]])  # of the small room
NAMES = ["Ada", "<b>Bo</b>", "Cy"]


@pytest.fixture
def found(room):
    return Agreement(results.ratings(room).to_dense(), EXPECTED)


def test_a_room_becomes_a_matrix_with_names_and_scale(room):
    ratings = results.ratings(room)
    assert ratings.row_labels == tuple(NAMES) and ratings.scale.maximum == 5
    np.testing.assert_array_equal(ratings.to_dense(), [[5, 1, 3], [1, 5, 3], [4, NaN, NaN]])
    with pytest.raises(RoomError, match="7 ratings so far"):
        results.filled(room, PAPER)


def test_who_came_after_the_reveal_was_computed_has_no_estimates(room):
    late = room.join("late", "Late").reveal({"id0": {0: 2.0, 1: 3.0, 2: 4.0}})
    found = results.agreement(late)
    assert found.surprise[0].tolist() == [3, -2, -1] and np.isnan(found.expected[1:]).all()
    assert matrix_table(late, [*NAMES, "Late"], found.expected, found)


def a_class(rate):
    """24 students and 12 films, of which each student rates seven in ten as ``rate(student, film)``
    says."""
    rng = np.random.default_rng(0)
    room = Room.new("Films", [f"film {m}" for m in range(12)], range(1, 6), "d").start()
    for n in range(24):
        room = room.join(f"id{n}")
        for m in np.nonzero(rng.random(12) < 0.7)[0]:
            value = int(np.clip(round(rate(n, m) + 0.6 * rng.normal()), 1, 5))
            room = room.rate(f"id{n}", int(m), value)
    return room


def test_ratings_of_films_that_differ_in_fame_are_estimated_better_than_by_their_mean():
    room = a_class(lambda n, m: 1.5 + 3 * m / 11 + (n % 3 - 1) / 2)
    found = results.agreement(room.reveal(results.expected(room, PAPER)))
    assert np.isfinite(found.expected).all()
    assert found.typical_error < 0.9 * np.nanstd(found.X)
    assert "Do not trust" not in how_good(found)


def test_findings_name_who_disagrees(room, found):
    cards = findings(room, found, NAMES)
    assert cards["The largest surprise"] == "Ada gave Alien 5; the estimate was 2.00."
    apart = "Ada and <b>Bo</b> differ by 2.67 on average over 3 things that both rated."
    assert cards["Most different"] == apart
    assert cards["What divides the class"] == "Alien, with 3 ratings from 1 to 5."
    items, expected = {0: "Alien", 1: "Psycho"}, {0: 3.0, 1: 3.2}
    given = ({0: 5, 1: 3}, {0: 3, 1: 3}, {})
    said = [own_surprise(items, Student("Ada", one, expected)) for one in given]
    assert said == ["Your largest surprise: you gave Alien 5; the model guessed 3.0.", "", ""]


def test_the_mean_is_called_better_only_where_it_is():
    X = np.tile([1.0, 5.0], (8, 4))
    of_the_mean = np.abs(X - (X.sum() - X) / (X.size - 1))[0, 0]  # the same for each cell
    for error, trusted in ((of_the_mean - 1, True), (of_the_mean, False), (of_the_mean + 1, False)):
        assert ("Do not trust" in how_good(Agreement(X, X + error))) != trusted


@pytest.mark.parametrize(("people", "things"), [(4, 12), (6, 6), (1, 1)])
def test_no_verdict_below_five_people_and_forty_ratings(people, things):
    X = np.resize([1.0, 5.0, 3.0], (people, things))
    found = Agreement(X, 6 - X)
    assert f"there are {people} and {people * things}." in how_good(found)
    assert of_a_parrot(found) == ""


def test_where_the_model_finds_nothing_a_parrot_competes():
    X = np.full((8, 5), 5.0)
    X[:, 0] = 1
    said = "A parrot that always says “5” would be right 32 times; the model is right 0 times."
    assert of_a_parrot(Agreement(X, 6 - X)) == said
    assert of_a_parrot(Agreement(X, X)) == "", "the model is better than the mean"


def cells(html):
    rows = re.findall(r"<tr>(.*?)</tr>", html.partition("<tbody>")[2])
    return [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows]


def test_ratings_are_where_they_belong_beside_estimates_and_texts_are_escaped(room):
    html = matrix_table(room, results.row_names(room, True))
    assert cells(html) == [["5", "1", "3"], ["1", "5", "3"], ["4", "", ""]]
    assert "<script" not in html and "<b>Bo" not in html
    assert "&lt;b&gt;Bo&lt;/b&gt;" in html and html.count("&quot;&gt;&lt;script&gt;") == 2
    assert "estimate" not in html
    assert "Student 1" in matrix_table(room, results.row_names(room, False))
    html = matrix_table(room, NAMES, np.array([[5, 1, 3], [1, 5, 3], [4, 2.24, NaN]]))
    coloured = '<em style="background:#2c728e;color:#ffffff">2.2</em>'
    assert cells(html)[2] == ["4", coloured, ""]
    assert "estimate" in html  # in words, not by its colour alone


def test_large_surprises_are_marked_with_a_sign_and_in_words(room, found):
    html = matrix_table(room, NAMES, EXPECTED, found)
    marked = html.partition("room-legend")[0]
    assert marked.count("▲") == 2 and "▼" not in marked
    assert "higher than estimated by 3.00" in marked
    assert cells(html)[0][-1] == "1.76"
    assert cells(html)[2][-1] == "", "one rating makes nobody hard to predict"


def test_text_on_every_colour_has_a_contrast_of_four_and_a_half():
    def luminance(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return np.dot(linear, [0.2126, 0.7152, 0.0722])

    styles = "".join(results.colours(k, range(8)) for k in range(8))
    pairs = re.findall(r"background:(#\w+);color:(#\w+)", styles)
    assert [background for background, _ in pairs] == list(RATING_COLOURS)
    for pair in pairs:
        dark, bright = sorted(map(luminance, pair))
        assert (bright + 0.05) / (dark + 0.05) >= 4.5, pair


def test_the_file_is_a_table_that_no_spreadsheet_runs_and_that_is_read_back_as_it_was():
    items = ["Alien, the first", '=HYPERLINK("x")', "Psycho"]
    room = Room.new("Films", items, range(11), "d").start()
    for n, name in enumerate(["@Ada", 'Bo "B"', "Cy"]):
        room = room.join(f"id{n}", name).rate(f"id{n}", n, 10 - n)
    content, ratings = as_csv(room), results.ratings(room)
    lines = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
    assert lines[0][1:] == ["Alien, the first", '\'=HYPERLINK("x")', "Psycho"]
    assert lines[1] == ["'@Ada", "10", "", ""]
    back = read(content).ratings
    assert back.row_labels == ratings.row_labels and back.col_labels == ratings.col_labels
    np.testing.assert_array_equal(back.values, ratings.values)
