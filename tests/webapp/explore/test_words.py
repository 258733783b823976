"""The sentences of the pages on one matrix, and the intervals on Explore."""

import re
from types import SimpleNamespace

import numpy as np
from opened import charts, healthy, no_data_sets, opened, shown_run, text  # noqa: F401  a fixture

from metamf.answer.division import divide
from metamf.answer.significance import Lead
from metamf.ratings.scale import RatingScale
from metamf.webapp.explore import choices, words
from metamf.webapp.explore.run import Patterns
from metamf.webapp.explore.words import Off

AHEAD, CHANCE, BEHIND = (
    Lead("row and column effects", share, 0.03, rmse) for share, rmse in ((0.13, 1.01), (0.03, 0.93), (-0.3, 0.68))
)


def run(n_given=56, n_hidden=224, truth=True, rmse=0.88, covered=203):
    """A run on a matrix of 20 x 14 cells, as far as sentences need it."""
    task = SimpleNamespace(
        given=SimpleNamespace(nnz=n_given, n_rows=20, n_cols=14, scale=RatingScale(1, 5, 1)),
        hidden=SimpleNamespace(nnz=n_hidden),
        matrix=SimpleNamespace(truth=truth or None),
        mean_rmse=1.0,
    )
    answer = SimpleNamespace(level=0.9, method="ml-1m")
    return SimpleNamespace(task=task, answer=answer, rmse=rmse, covered=covered, T=4, round="sweep")


def plain(sentence):
    """With ordinary spaces."""
    return sentence.replace("\N{NO-BREAK SPACE}", " ")


def test_how_far_estimates_are_off_is_their_root_mean_square_and_their_mean():
    off = Off.by(np.array([1.0, 1.0, -1.0, 3.0]))
    assert off == (np.sqrt(3), 1.0) and off.said("stars") == "1.73 stars (1.00 too high)"
    assert Off(0.7, -0.2).said() == "0.70 (0.20 too low)" and Off(0.7, 0.01).said() == "0.70 (no bias)"
    assert Off(0.7, np.nan).said() == "0.70"


def test_the_finding_names_both_methods_on_this_draw_and_over_many():
    own, other = Off(0.88, -0.01), Off(1.01, 0.9)
    many = words.Measured("200 other draws", Off(0.68, 0.0), Off(1.31, 0.95))
    for over, unclear in ((AHEAD, False), (CHANCE, True)):
        said = words.finding(run(), over, own, other, many)
        for part in ("0.88 stars (no bias)", "row and column effects", "1.01 (0.90 too high)", "0.68", "1.31"):
            assert part in said
        assert ("no clear difference" in said) == unclear
    assert "200" not in words.finding(run(), AHEAD, own, other, None)
    why = "other tables taught it that people rate what they like"
    assert why in words.finding(run(), AHEAD, own, other, many, liked=True)
    assert why not in words.finding(run(), AHEAD, Off(0.88, 0.6), other, many, liked=True)
    assert words.finding(run(), BEHIND, own, other, many) == words.loses(BEHIND, 0.88)
    assert "None is hidden" in words.finding(run(n_hidden=0, rmse=None), None, None, None, None)
    assert "nothing to fill in" in words.finding(run(n_given=280, n_hidden=0, rmse=None), None, None, None, None)


def test_the_unit_of_a_rating_is_a_star_only_where_there_are_stars():
    assert words.unit(RatingScale(1, 5, 1)) == "stars"
    assert words.unit(RatingScale(-10, 10)) == words.unit(None) == "points"


def test_the_model_sees_a_part_of_what_can_be_given():
    """Not a share of another number: once '100 % of the ratings' were 36 of 240 cells."""
    matrix = choices.example("Old and new")
    task = divide(matrix, 0.5, "at random", 1)
    rated = matrix.ratings.nnz
    assert words.seen(task) == f"The model sees {task.given.nnz} of {rated} ratings."
    assert task.given.nnz == -(-rated // 2)


def test_only_intervals_that_are_too_short_are_a_reason_to_warn():
    assert words.doubt(run()) == words.doubt(run(n_hidden=10, covered=8)) == ""  # 8 of 10 may be chance
    assert "only 72 %" in plain(words.doubt(run(covered=161)))


def test_few_patterns_are_named_where_there_are_few():
    assert "2 patterns carry 99.8 %" in plain(words.low_rank(32, 20, 14, 10, Patterns(2, 0.99834)))
    assert "1 pattern carries 99.9 %" in plain(words.low_rank(32, 300, 200, 10, Patterns(1, 0.99999)))
    for count, columns in ((5, 14), (2, 5), (0, 14)):
        assert words.low_rank(32, 20, columns, 10, Patterns(count, 1.0)) == ""


def test_parts_are_not_to_be_read_where_they_are_alike():
    alike, apart = (words.parts(2.0, known, np.array([[3, 6], [1, x]])) for known, x in ((False, 1), (True, 8)))
    assert "0.98" in alike and "do not read them" in alike and "do not read them" not in apart


def test_rows_of_which_nothing_is_given_are_said_to_be_alike():
    given = SimpleNamespace(n_rows=5, rows=np.array([0, 0, 3]))
    assert words.rows_without_ratings(given, "people").startswith("3 people")
    assert words.rows_without_ratings(SimpleNamespace(n_rows=2, rows=np.array([1])), "rows") == ""


def test_explore_draws_intervals_where_the_checkpoint_gives_them():
    at = healthy(opened(model="Universal"))
    [strip] = charts(at)
    assert strip.proto.id.endswith("intervals") and strip.proto.alt
    n_hidden = 20 * 12 - 72
    inside = re.search(rf"(\d+) of {n_hidden} hidden cells inside, 90\s% expected", text(at))
    assert 0.7 * n_hidden < int(inside[1]) <= n_hidden
    found = shown_run(at)
    assert found["lower"] and found["upper"] and found["level"] == 0.9
    healthy(at.radio(key="model").set_value("ml-1m").run())
    assert words.NO_INTERVALS in text(at) and "inside" not in text(at)
    assert not charts(at) and shown_run(at)["lower"] is None
