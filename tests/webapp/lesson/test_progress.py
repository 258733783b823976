"""The lesson's state machines, without a page."""

import pytest

from metamf.webapp.lesson.progress import Guessing, LessonProgress


def test_steps_go_forward_and_back_and_stay_within_the_lesson():
    progress = LessonProgress(3)
    progress.back()
    assert progress.step == 1
    for _ in range(5):
        progress.next()
    assert progress.step == 3
    progress.go(2)
    assert progress.step == 2


@pytest.mark.parametrize("linked", ["0", "8", "-1", "two", "2.0", "٣", "", None, "1" * 400])
def test_an_address_that_names_no_step_changes_nothing(linked):
    progress = LessonProgress(7, step=4)
    progress.follow(linked)
    assert progress.step == 4


def test_an_address_opens_its_step():
    progress = LessonProgress(7)
    progress.follow("6")
    assert progress.step == 6


def test_a_prediction_is_kept_until_the_answer_is_shown_and_not_changed_after():
    progress = LessonProgress(7)
    progress.predict(2)
    progress.predict(0)
    assert progress.prediction == 0 and not progress.is_revealed
    progress.reveal()
    progress.predict(1)
    assert progress.prediction == 0 and progress.is_revealed


def test_a_prediction_can_be_taken_back_and_the_answer_seen_without_one():
    progress = LessonProgress(7)
    progress.predict(1)
    progress.predict(None)
    progress.reveal()
    assert progress.prediction is None and progress.is_revealed


def test_each_step_keeps_its_own_state_when_one_leaves_it():
    progress = LessonProgress(7)
    progress.predict(1)
    progress.reveal()
    progress.next()
    assert progress.prediction is None and not progress.is_revealed
    progress.back()
    assert progress.prediction == 1 and progress.is_revealed
    progress.ask_again()
    assert progress.prediction is None and not progress.is_revealed


def test_a_game_asks_every_cell_once():
    game = Guessing(3)
    game.guess(4.0)
    game.guess(1.0)  # too late: the answer is shown
    game.next()
    assert not game.is_revealed
    game.next()  # left out
    game.guess(2.0)
    game.next()
    assert game.is_over and game.guesses == [4.0, None, 2.0]
    game.next()
    game.guess(5.0)
    assert game.at == 3 and game.guesses == [4.0, None, 2.0]


def answered(predicted="", revealed=""):
    """A lesson of seven steps, each with a question that has the answers 0, 1 and 2, as an address says it."""
    progress = LessonProgress(7)
    return progress, progress.recall(predicted, revealed, lambda step, value: value in range(3))


def test_what_was_predicted_and_revealed_comes_back_from_the_address():
    progress, whole = answered("1:2,5:0", "1,4")
    assert whole and progress.predicted == {1: 2, 5: 0} and progress.revealed == {1, 4}
    assert (progress.predicted_text, progress.revealed_text) == ("1:2,5:0", "1,4")
    untouched = LessonProgress(7)
    assert answered() == (untouched, True) and untouched.predicted_text == untouched.revealed_text == ""


@pytest.mark.parametrize(
    "text", ["0", "8", "x", "1:3", "9:1", "1:nan", "1:1e9", "1:²", "<b>", "1" * 999, ",".join("1" * 900)]
)
def test_an_address_that_says_no_prediction_is_not_followed(text):
    assert answered(text, "3") == (LessonProgress(7, revealed={3}), False)
    progress, whole = answered("3:1", text)
    assert progress.predicted == {3: 1} and progress.revealed <= {1} and not whole


@pytest.mark.parametrize("acts", ["", "g", "gn", "gnl", "gnlg", "gngngn", "lll"])
def test_a_game_comes_back_from_the_address(acts):
    game = Guessing(3)
    for act in acts:
        game.guess(4.5) if act == "g" else game.next()
    assert Guessing.from_text(game.text, 3, 1, 5) == game


@pytest.mark.parametrize("text", ["!", "x!", "6", "0.5", "4_4_4_4", "nan", "inf", "1e1", "4_", "<b>", "²", "4" * 5000])
def test_an_address_that_says_no_game_is_not_followed(text):
    assert Guessing.from_text(text, 3, 1, 5) is None
