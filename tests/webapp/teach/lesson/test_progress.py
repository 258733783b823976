"""Progress through the lesson and through the game of ten cells, without a page."""

import pytest

from metamf.webapp.teach.lesson.cells import Guessing
from metamf.webapp.teach.lesson.progress import LessonProgress


@pytest.mark.parametrize("linked", ["0", "8", "-1", "two", "2.0", "٣", "", "1" * 400])
def test_a_url_that_names_no_step_changes_nothing(linked):
    progress = LessonProgress(step=4)
    progress.follow(linked)
    assert progress.step == 4
    progress.follow("6")
    assert progress.step == 6


def recalled(predicted="", revealed=""):
    """The progress that a URL says; the first question takes 1 to 5, the second 0, 1 and 2."""
    progress = LessonProgress()
    progress.recall(predicted, revealed)
    return progress


def test_predictions_and_answers_come_back_from_the_url():
    progress = recalled("1:2,3:15", "1,4")
    assert progress.predicted == {"1": 2, "3": 15} and progress.revealed == {"1", "4"}
    assert (progress.predicted_text, progress.revealed_text) == ("1:2,3:15", "1,4")
    first = recalled("1:2,1b:3", "1")
    assert first.asked == ["1", "1b"] and first.predicted["1b"] == 3 and recalled("1b:3").asked == ["1"]
    assert recalled() == LessonProgress() and recalled().predicted_text == recalled().revealed_text == ""


@pytest.mark.parametrize(
    "text", ["0", "8", "x", "1:6", "2:3", "9:1", "1:nan", "1:1e9", "1:²", "<b>", "1" * 999, ",".join("9" * 900)]
)
def test_nonsense_in_the_url_is_ignored(text):
    assert recalled(text, "3") == LessonProgress(revealed={"3"})
    assert recalled("3:1", text) == LessonProgress(predicted={"3": 1})


def test_a_game_asks_every_cell_once():
    game = Guessing(3)
    game.guess(4.0)
    game.guess(1.0)  # too late: the answer is shown
    game.next()
    assert not game.is_revealed
    game.next()  # skipped
    game.guess(2.0)
    game.next()
    assert game.is_over and game.guesses == [4.0, None, 2.0]
    game.next()
    game.guess(5.0)
    assert game.at == 3 and game.guesses == [4.0, None, 2.0]


@pytest.mark.parametrize("acts", ["", "g", "gn", "gnl", "gnlg", "gngngn", "lll"])
def test_a_game_comes_back_from_the_url(acts):
    game = Guessing(3)
    for act in acts:
        game.guess(4.5) if act == "g" else game.next()
    assert Guessing.from_text(game.text, 3, 1, 5) == game


@pytest.mark.parametrize("text", ["!", "x!", "6", "0.5", "4_4_4_4", "nan", "inf", "1e1", "4_", "<b>", "²", "4" * 5000])
def test_a_url_without_a_possible_game_is_refused(text):
    assert Guessing.from_text(text, 3, 1, 5) is None
