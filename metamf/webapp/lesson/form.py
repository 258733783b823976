"""The form of a step of the lesson: its question, the one thing to try, and its texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from metamf.webapp.matrix.choices import AppState

MATRIX = "Film club"  # the example that the lesson explains everything by
FAR = "Two tastes"  # one that the learned prior does not fit
POPULAR = "Popular few"  # one whose given ratings flatter: people rate what they like
JOKES = "Jokes"  # one of another kind and on another scale
PAPER, EXTENDED = "ml-1m", "universal"  # checkpoints
FILL_IN, WATCH, COMPARE = "pages/fill_in.py", "pages/watch.py", "pages/compare.py"
INSIDE, TRAIN = "pages/inside.py", "pages/train.py"
STEP_PARAMETER = "lesson"  # the step's name in the address
PLAYER_PREFIX = "lesson_"  # begins the names of what is on the screen in the step's player: lesson_t, lesson_cell


@dataclass(frozen=True)
class Choice:
    """A question whose answer is one of some options.

    Attributes
    ----------
    prompt : the question
    options : the possible answers, of which one is right
    """

    prompt: str
    options: tuple[str, ...]


@dataclass(frozen=True)
class Number:
    """A question whose answer is a number.

    Attributes
    ----------
    prompt : the question
    low, high, step : the numbers that can be chosen
    unit : word that follows the number
    """

    prompt: str
    low: int
    high: int
    step: int = 1
    unit: str = ""


@dataclass(frozen=True)
class Try:
    """One thing to try on another page of the app.

    Attributes
    ----------
    label : text of the button
    page : page that it opens
    do : instruction: the things to do and to look for there
    state : the choices of the sidebar that it sets; all others are those of ``AppState()``
    query : parameters of the page's address that belong to no widget
    widgets : values of widgets of that page, by key
    """

    label: str
    page: str
    do: str
    state: dict[str, Any] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)
    widgets: dict[str, Any] = field(default_factory=dict)

    @property
    def asked(self) -> AppState:
        """The state of the sidebar there."""
        return AppState(**{"data": MATRIX, "model": PAPER} | self.state)


@dataclass(frozen=True)
class Step:
    """One step of the lesson.

    Attributes
    ----------
    key : names its picture and its answer
    title : a few words
    minutes : time that a lecturer takes for it
    sentence : the one sentence that a student takes home
    more : text below it, in smaller type
    question : question whose answer is predicted before it is revealed
    trial : one thing to try
    words : keys of the glossary's terms that are new here
    notes : words and actions of a lecturer, in order
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
