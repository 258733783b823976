"""The steps as data, and the answers computed for their questions."""

import re
from html import unescape

import pytest

from metamf import datasets
from metamf.webapp.explore.choices import DEFAULT
from metamf.webapp.explore.curve import over_many
from metamf.webapp.glossary import BY_KEY
from metamf.webapp.inside.race import LEARNED
from metamf.webapp.teach.lesson import answers
from metamf.webapp.teach.lesson.answers import ANSWERS, LANES_ASKED, verdict
from metamf.webapp.teach.lesson.notes import DOCUMENT, document, handout
from metamf.webapp.teach.lesson.steps import HARDER, MATRIX, QUESTIONS, STEPS, TOTAL


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_answer_can_be_predicted(name):
    question, found = QUESTIONS[name], ANSWERS[name]()
    possible = found.value in question.answers or question.low <= found.value <= question.high
    assert possible and question.in_words(found.value) and found.because.endswith(".")


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.key)
def test_a_step_is_complete(step):
    assert step.minutes > 0 and set(step.words) <= BY_KEY.keys()
    assert step.trial.asked.data in datasets.example_matrices()


def test_seven_steps_take_fifty_minutes_and_introduce_each_word_once():
    words = [word for step in STEPS for word in step.words]
    assert len(STEPS) == 7 and TOTAL == 50 and len(set(words)) == len(words)


def test_the_answers_are_those_of_the_library():
    values = {name: answer().value for name, answer in ANSWERS.items()}
    film, cell, fit = answers.film(), answers.cell(), answers.mf()
    truth = film.task.matrix.truth
    assert values["1"] == truth[cell.rows[0], cell.cols[0]]
    assert abs(cell.mean - values["1"]) > 1 > abs(cell.model[0] - values["1"])  # "whoever used the average was far off"
    given, hidden = fit.rmse(film.task.given), fit.rmse(film.task.hidden)
    assert values["2"] == 2 and hidden[-1] > 1.05 * film.task.mean_rmse
    assert given[-1] < 0.5 * given[0]  # "fits the given ratings very closely"
    assert values["3"] >= 30
    lanes = {lane.name: lane for lane in answers.starts().lanes}
    first = {name: lane.hidden[:, 0].mean() for name, lane in lanes.items()}
    assert LANES_ASKED[int(values["4"])] == max(first, key=first.get) == LEARNED  # "furthest off ends closest"
    assert LANES_ASKED[int(values["4b"])] == min(lanes, key=lambda name: lanes[name].last) == LEARNED
    ours, others = answers.shuffled(1)
    assert ours.largest < 1e-4 < 0.1 < others.largest and values["5"] == 0
    films, jokes = answers.transfer()
    assert values["5b"] == 2 and 0 < jokes < films < 1
    assert 0.25 < film.task.given.values.mean() - truth.mean() < 0.75 and values["6"] == 1
    bias = over_many(HARDER, DEFAULT.by, DEFAULT.model, DEFAULT.keep).model.bias
    assert 0.25 < bias < 0.75 and values["7"] == 1


def test_the_last_step_is_the_first_night_with_everybody_a_star_lower():
    usual, harder = (answers.run_on(name).task.matrix.truth for name in (MATRIX, HARDER))
    assert usual.shape == harder.shape and 0.7 < (usual - harder).mean() <= 1


def test_the_simple_method_needs_as_many_ratings_as_the_second_question_says():
    lines, found = answers.curves().lines, ANSWERS["1b"]()
    needed = int(re.match(r"\d+", found.because)[0])
    simple, model = (lines[name].at for name in ("simple", "model"))
    assert simple(needed) <= model(answers.FEW) < simple(needed - 1)


def test_a_verdict_compares_the_prediction_with_the_answer():
    star, choice, share = (STEPS[k].question for k in (0, 1, 2))
    assert verdict(choice, 2, 2).startswith("You are right.")
    assert verdict(choice, 0, 2) == "Not this time. The answer: clearly larger."
    assert verdict(choice, None, 2) == "The answer: clearly larger."
    assert verdict(share, 50, 72) == "You said 50\xa0%. The answer: 72\xa0%."
    assert "1\xa0star." in verdict(star, 1, 4)


def test_notes_and_handout_are_made_from_the_steps():
    notes, html = document(), handout()
    assert DOCUMENT.read_text("utf-8") == notes, "run `python -m metamf.webapp.teach.lesson.notes`"
    words = unescape(re.sub("<[^>]+>", " ", html))
    for step in STEPS:
        assert all(part in notes for part in (step.title, step.question.prompt, step.trial.do, *step.notes))
        assert step.sentence in words and step.question.prompt in words
    assert not re.search("src=|href=|url\\(|<script", html)  # it needs no other file
