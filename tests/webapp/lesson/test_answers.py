"""The answers of the lesson: live numbers that fit their questions."""

import pytest

from metamf.webapp.experiments.starts import LEARNED
from metamf.webapp.lesson.answers import LANES_ASKED, LessonAnswer, answer, verdict
from metamf.webapp.lesson.facts import Facts
from metamf.webapp.lesson.form import Choice, Number
from metamf.webapp.lesson.steps import STEPS


@pytest.fixture(scope="module")
def facts():
    return Facts()


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.key)
def test_the_answer_is_one_that_can_be_predicted(step, facts):
    found, question = answer(step, facts), step.question
    if isinstance(question, Choice):
        assert question.options[int(found.value)]
    else:
        assert question.low <= found.value <= question.high
    assert found.because.endswith(".")


def test_the_answers_are_those_of_the_library(facts):
    values = [answer(step, facts).value for step in STEPS]
    task = facts.film.task
    assert values[0] == task.matrix.truth[facts.cell.rows[0], facts.cell.cols[0]]
    given, hidden = facts.mf.rmse(task.given), facts.mf.rmse(task.hidden)
    assert values[1] == 2 and hidden[-1] > 1.05 * task.mean_rmse  # step 5 looks back at it
    assert given[-1] < 0.5 * given[0]  # "has matched the given ratings very closely"
    best = min(facts.race.lanes, key=lambda lane: lane.last)
    assert LANES_ASKED[int(values[2])] == best.name == LEARNED
    assert facts.shuffled < 1e-4 and values[3] == 0
    assert facts.long.given_errors.rmse[-1] < facts.film.given_errors.rmse[-1]  # "goes on falling"
    last = facts.popular.summaries[-1]
    assert values[6] == round(100 * last.covered / last.n_hidden) < 85  # the step teaches that it does not hold
    assert facts.far.summaries[-1].hidden_rmse > facts.far.task.mean_rmse and facts.outside


def test_a_verdict_says_what_was_predicted_and_what_is_right():
    choice, number = STEPS[1], STEPS[6]
    assert verdict(choice, 2, LessonAnswer(2, "")).startswith("You are right.")
    assert verdict(choice, 0, LessonAnswer(2, "")) == "Not this time. The answer: clearly larger."
    assert verdict(choice, None, LessonAnswer(2, "")) == "The answer: clearly larger."
    assert verdict(number, 50, LessonAnswer(72, "")) == "You said 50\xa0%. The answer: 72\xa0%."
    assert isinstance(STEPS[0].question, Number) and "1\xa0star." in verdict(STEPS[0], 1, LessonAnswer(4, ""))
