"""The steps as data, the answers computed for their questions, and the progress through them."""

import re
from html import unescape

import pytest

from metamf import datasets
from metamf.webapp.choices import DEFAULT
from metamf.webapp.glossary import BY_KEY
from metamf.webapp.run.curve import over_many
from metamf.webapp.run.starts import LEARNED
from metamf.webapp.teach.lesson import answers
from metamf.webapp.teach.lesson.answers import ANSWERS, LANES_ASKED, verdict
from metamf.webapp.teach.lesson.notes import DOCUMENT, document, handout
from metamf.webapp.teach.lesson.progress import LessonProgress
from metamf.webapp.teach.lesson.steps import HARDER, MATRIX, QUESTIONS, STEPS, TOTAL


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_answer_can_be_predicted(name):
    question, found = QUESTIONS[name], ANSWERS[name]()
    possible = found.value in question.answers or question.low <= found.value <= question.high
    assert possible and question.in_words(found.value) and found.because.endswith(".")


def test_the_steps_take_fifty_minutes_and_introduce_each_word_once():
    words = [word for step in STEPS for word in step.words]
    assert TOTAL == 50
    assert len(set(words)) == len(words) and set(words) <= BY_KEY.keys()
    assert all(step.trial.asked.data in datasets.example_matrices() for step in STEPS)


@pytest.mark.parametrize("key", ["alone", "start", "steps", "wrong"])
def test_a_trial_opens_the_table_that_its_step_shows(key):
    [step] = [step for step in STEPS if step.key == key]
    asked = step.trial.asked
    assert (asked.data, asked.by, asked.keep) == (MATRIX, answers.LIKED, DEFAULT.keep)


def test_the_answers_are_those_of_the_library():
    values = {name: answer().value for name, answer in ANSWERS.items()}
    film, cell, fit = answers.film(), answers.cell(), answers.mf()
    truth = film.task.matrix.truth
    assert values["1"] == truth[cell.row, cell.col]
    mean = film.task.given.values.mean()
    assert abs(mean - values["1"]) > 1 > abs(cell.estimate - values["1"])  # far off by the average
    given, hidden = fit.rmse(film.task.given), fit.rmse(film.task.hidden)
    assert values["2"] == 2 and hidden[-1] > 1.05 * film.task.mean_rmse
    assert given[-1] < 0.5 * given[0]  # "fits the given ratings very closely"
    assert values["5"] >= 30
    lanes = {lane.name: lane for lane in answers.starts().lanes}
    first = {name: lane.hidden[:, 0].mean() for name, lane in lanes.items()}
    furthest, closest = (LANES_ASKED[int(values[name])] for name in ("4", "4b"))
    assert furthest == max(first, key=first.get) == LEARNED  # "furthest off ends closest"
    assert closest == min(lanes, key=lambda name: lanes[name].last) == LEARNED
    ours, others = answers.shuffled(1)
    assert ours.largest < 1e-4 < 0.1 < others.largest and values["3"] == 0
    films, jokes = answers.transfer()
    assert values["3b"] == 2 and 0 < jokes < films < 1
    assert 0.25 < film.task.given.values.mean() - truth.mean() < 0.75 and values["6"] == 1
    bias = over_many(HARDER, answers.LIKED, DEFAULT.model, DEFAULT.keep).model.bias
    assert 0.25 < bias < 0.75 and values["7"] == 1


def test_the_simple_method_needs_as_many_ratings_as_the_second_question_says():
    lines, found = answers.curves().lines, ANSWERS["1b"]()
    needed = int(re.search(r"\d+", found.because)[0])
    simple, model = (lines[name].at for name in ("simple", "model"))
    assert simple(needed) <= model(answers.FEW) < simple(needed - 1)


def test_a_verdict_compares_the_prediction_with_the_answer():
    star, choice, share = (STEPS[k].question for k in (0, 1, 4))
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
        parts = (step.title, step.question.prompt, step.trial.do, *step.notes)
        assert all(part in notes for part in parts)
        assert step.sentence in words and step.question.prompt in words
    assert not re.search("src=|href=|url\\(|<script", html)  # it needs no other file


@pytest.mark.parametrize("linked", ["0", "8", "-1", "two", "2.0", "٣", "", "1" * 400])
def test_a_url_that_names_no_step_changes_nothing(linked):
    progress = LessonProgress(step=4)
    progress.follow(linked)
    assert progress.step == 4
    progress.follow("6")
    assert progress.step == 6


def test_a_second_question_follows_an_answer_which_ends_its_prediction_until_it_is_asked_again():
    progress = LessonProgress(step=1)
    assert progress.asked == ["1"]
    progress.reveal("1", 4)
    assert progress.asked == ["1", "1b"]
    progress.predict("1", 1)
    assert progress.predicted == {"1": 4}
    progress.ask_again()
    assert progress == LessonProgress(step=1)
