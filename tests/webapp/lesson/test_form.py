"""What a step of the lesson is made of."""

from metamf.webapp.lesson.form import MATRIX, PAPER, WATCH, Try
from metamf.webapp.matrix.choices import AppState


def test_a_trial_asks_for_the_lesson_s_matrix_and_model_unless_it_says_otherwise():
    assert Try("Watch", WATCH, "Step through it").asked == AppState(data=MATRIX, model=PAPER)
    other = Try("Watch", WATCH, "Step through it", {"data": "Jokes", "keep": 60}).asked
    assert other == AppState(data="Jokes", model=PAPER, keep=60)
