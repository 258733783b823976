"""The seven steps of the lesson, read from steps.toml.

Sections of the paper: step 1 the problem (3.1), 2 matrix factorization alone (1), 3 to 5 the model
and its training (3.2, 3.3), 6 and 7 what a learned prior knows and does not know.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from metamf.datasets.examples import HARD_TO_PLEASE
from metamf.webapp.choices import DEFAULT, AppState
from metamf.wording import rounded

MATRIX = DEFAULT.data  # the example used throughout the lesson: the one that visitors meet first
HARDER = HARD_TO_PLEASE  # the same night, and everybody gives a star less
TRAIN = "pages/train.py"
CLASS = "class"  # in the URL: the course of ten minutes
STEP_PARAMETER = "lesson"  # the step's number in the URL


@dataclass(frozen=True)
class Question:
    """A question with ``options``, one of which is right, or for a number from ``low`` to ``high``
    in a ``unit``, of which every ``by``-th can be predicted."""

    prompt: str
    options: list[str] = field(default_factory=list)
    low: int = 0
    high: int = 0
    by: int = 1
    unit: str = ""

    @property
    def answers(self) -> range:
        """What can be predicted: the number of an option, counted from 0, or the number that is
        asked for."""
        return range(len(self.options)) if self.options else range(self.low, self.high + 1, self.by)

    def in_words(self, answer: float) -> str:
        """An answer as the page says it: an option, or '4 stars'."""
        if self.options:
            return self.options[int(answer)]
        number = f"{answer:.0f}" if answer == round(answer) else rounded(answer)
        return (
            f"{number}\N{NO-BREAK SPACE}{self.unit.removesuffix('s') if answer == 1 else self.unit}"
        )


@dataclass(frozen=True)
class Try:
    """Something to try on another page."""

    label: str  # text of the button
    page: str  # the page that it opens
    do: str  # what to do there and what to look for
    state: dict[str, Any] = field(default_factory=dict)  # choices in the sidebar
    query: dict[str, str] = field(default_factory=dict)  # URL parameters that belong to no widget
    widgets: dict[str, Any] = field(default_factory=dict)  # values of widgets on that page, by key

    @property
    def asked(self) -> AppState:
        """The choices in the sidebar that the page opens with."""
        return replace(AppState(), **self.state)


@dataclass(frozen=True)
class Step:
    key: str  # names the step's picture and answer
    title: str
    minutes: int  # time for the step in class
    sentence: str  # to take home
    more: str  # smaller text below the picture
    question: Question  # students predict the answer before it is revealed
    trial: Try
    words: list[str]  # keys of the glossary terms introduced here
    notes: list[str]  # the lecturer's notes, in order
    then: Question | None = None  # asked once the first question is answered
    other: Try | None = None  # something else to try

    @property
    def questions(self) -> list[Question]:
        return [self.question, *([self.then] if self.then else [])]

    @property
    def trials(self) -> list[Try]:
        """What it offers to try, in order."""
        return [self.trial, *([self.other] if self.other else [])]


_PARTS: dict[str, Callable[..., Any]] = {
    "question": Question,
    "then": Question,
    "trial": Try,
    "other": Try,
}


def _step(entry: dict[str, Any]) -> Step:
    parts = {name: kind(**entry[name]) for name, kind in _PARTS.items() if name in entry}
    return Step(**entry | parts)


STEPS = [*map(_step, tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["step"])]
LAST = len(STEPS)
# What ten minutes in front of a class have room for, before a room: the gaps, what everybody else
# is fooled by, the start.
SHORT = [1 + [step.key for step in STEPS].index(key) for key in ("empty", "liking", "start")]
TOTAL = sum(step.minutes for step in STEPS)
# The questions by their names in the URL: '1', and '1b' for the second one of step 1.
QUESTIONS = {
    f"{number}{letter}": question
    for number, step in enumerate(STEPS, 1)
    for letter, question in zip(("", "b"), step.questions)
}
