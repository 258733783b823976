"""The seven steps of the lesson, read from steps.toml.

Sections of the paper: step 1 the problem (3.1), 2 matrix factorization alone (1), 3 to 5 the model (3.2), 6 training
(3.3), 7 the results (4).
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from metamf.webapp.matrix.choices import AppState

MATRIX = "Film club"  # the example used throughout the lesson
FAR = "Two tastes"  # tastes that the learned prior does not fit
POPULAR = "Popular few"  # people rate what they like, so the given ratings are too high
JOKES = "Jokes"  # another kind of table, on another scale
PAPER, EXTENDED = "ml-1m", "universal"  # checkpoints
TRAIN = "pages/train.py"
STEP_PARAMETER = "lesson"  # the step's number in the URL
PLAYER_PREFIX = "lesson_"  # of the player's names in the URL: lesson_t, lesson_cell


@dataclass(frozen=True)
class Choice:
    """A question with several answers, one of which is right."""

    prompt: str
    options: tuple[str, ...]


@dataclass(frozen=True)
class Number:
    """A question whose answer is one of the numbers from ``low`` to ``high``, followed by ``unit``."""

    prompt: str
    low: int
    high: int
    unit: str = ""


@dataclass(frozen=True)
class Try:
    """Something to try on another page.

    Attributes
    ----------
    label : text of the button
    page : the page that it opens
    do : what to do there and what to look for
    state : choices in the sidebar; all others are those of ``AppState()``
    query : URL parameters that belong to no widget
    widgets : values of widgets on that page, by key
    """

    label: str
    page: str
    do: str
    state: dict[str, Any] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)
    widgets: dict[str, Any] = field(default_factory=dict)

    @property
    def asked(self) -> AppState:
        """The choices in the sidebar that the page opens with."""
        return AppState(**{"data": MATRIX, "model": PAPER} | self.state)


@dataclass(frozen=True)
class Step:
    """One step of the lesson.

    Attributes
    ----------
    key : names the step's picture and answer
    title, sentence, more : heading, the sentence to take home, and smaller text below the picture
    minutes : time for the step in class
    question : students predict the answer before it is revealed
    trial : one thing to try
    words : keys of the glossary terms introduced here
    notes : the lecturer's notes, in order
    """

    key: str
    title: str
    minutes: int
    sentence: str
    more: str
    question: Choice | Number
    trial: Try
    words: tuple[str, ...]
    notes: tuple[str, ...]


def _read() -> tuple[Step, ...]:
    steps = []
    for entry in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["step"]:
        asked, trial = entry.pop("question"), Try(**entry.pop("trial"))
        question = Choice(asked["prompt"], tuple(asked["options"])) if "options" in asked else Number(**asked)
        words, notes = tuple(entry.pop("words")), tuple(entry.pop("notes"))
        steps.append(Step(**entry, question=question, trial=trial, words=words, notes=notes))
    return tuple(steps)


STEPS = _read()
LAST = len(STEPS)
TOTAL = sum(step.minutes for step in STEPS)
