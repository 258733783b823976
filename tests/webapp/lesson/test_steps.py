"""The seven steps as data: complete, fifty minutes, and with each new word once."""

import pytest

from metamf import datasets
from metamf.webapp.glossary import BY_KEY
from metamf.webapp.lesson.form import Choice
from metamf.webapp.lesson.steps import STEPS, TOTAL

TITLES = [
    "The empty matrix",
    "Matrix factorization alone",
    "What a prior is",
    "Where this prior comes from",
    "The MAP steps",
    "Training across matrices that share nothing",
    "When to trust it",
]


def test_seven_steps_take_fifty_minutes():
    assert [step.title for step in STEPS] == TITLES and TOTAL == 50
    assert len({step.key for step in STEPS}) == 7


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.key)
def test_a_step_is_complete(step):
    assert step.sentence.count(".") == 1 and step.sentence.endswith(".")  # one sentence
    assert len(step.notes) >= 3 and step.minutes > 0
    assert set(step.words) <= BY_KEY.keys()
    if isinstance(step.question, Choice):
        assert len(set(step.question.options)) == len(step.question.options) >= 2
    assert step.trial.asked.data in datasets.example_matrices()


def test_each_new_word_is_new_once():
    words = [word for step in STEPS for word in step.words]
    assert len(set(words)) == len(words)
