"""The steps as data, and the answers computed for their questions."""

import re
from html import unescape

import numpy as np
import pytest

from metamf import datasets
from metamf.webapp.glossary import BY_KEY
from metamf.webapp.inside.race import LEARNED
from metamf.webapp.teach.lesson import answers
from metamf.webapp.teach.lesson.answers import ANSWERS, LANES_ASKED, verdict
from metamf.webapp.teach.lesson.notes import DOCUMENT, document, handout
from metamf.webapp.teach.lesson.steps import FAR, FULLER, QUESTIONS, STEPS, TOTAL


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
    values = [ANSWERS[f"{number}"]().value for number in range(1, 8)]
    task, cell, fit = answers.run_on(FULLER).task, answers.cell(), answers.mf()
    assert values[0] == answers.film().task.matrix.truth[cell.rows[0], cell.cols[0]]
    given, hidden = fit.rmse(task.given), fit.rmse(task.hidden)
    assert values[1] == 2 and hidden[-1] > 1.05 * task.mean_rmse  # step 5 refers to it
    assert given[-1] < 0.5 * given[0]  # "fits the given ratings very closely"
    best = min(answers.starts().lanes, key=lambda lane: lane.last)
    assert LANES_ASKED[int(values[2])] == best.name == LEARNED
    ours, others = answers.shuffled(1)
    assert ours.largest < 1e-4 < 0.1 < others.largest and values[3] == 0
    fit, hidden = answers.long().given_errors, answers.long().hidden_errors
    assert (np.diff(fit) < 0).all() and hidden[int(values[4])] < 0.95 * min(hidden[0], hidden[-1])  # "falls, and rises"
    films, jokes = answers.transfer()
    assert values[6] < 50 and 0 < jokes < films < 1


def test_the_last_step_has_the_only_matrices_that_carry_a_warning():
    names = datasets.example_matrices()
    leads = {name: answers.beside_simple(name)[0] for name in names}
    assert {name for name, over in leads.items() if over.behind and over.share < -0.1} == set(FAR)


def test_the_simple_method_needs_as_many_ratings_as_the_second_question_says():
    lines, found = answers.curves().lines, ANSWERS["1b"]()
    needed = int(re.match(r"\d+", found.because)[0])
    simple, model = (lines[name].at for name in ("simple", "model"))
    assert simple(needed) <= model(answers.FEW) < simple(needed - 1) and found.value == 3


def test_a_verdict_compares_the_prediction_with_the_answer():
    star, choice, share = (STEPS[k].question for k in (0, 1, 6))
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
