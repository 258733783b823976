"""A visitor's way through the lesson: steps, predictions and answers, the game of ten cells, and trips to other pages.

                    predict (again)                reveal
    asked ---------------------------> predicted ----------> revealed
      |                                                          ^
      +----------------------------------------------------------+   (an answer can be seen without a prediction)

Every step keeps its own state until ``ask_again``. A prediction does not change once its answer is revealed.
"""

from __future__ import annotations

import math
import re
from dataclasses import asdict, dataclass, field
from html import escape
from typing import Any

import streamlit as st

from metamf.webapp import look
from metamf.webapp.explore.choices import AppState
from metamf.webapp.explore.exports import LESSON_PAGE
from metamf.webapp.explore.what_if import DESK
from metamf.webapp.teach.lesson.steps import LAST, QUESTIONS, STEP_PARAMETER, TRAIN, Try

NUMBER = re.compile(r"-?\d{1,9}(?:\.\d{1,9})?", re.ASCII)
_BY_TEXT = {str(step): step for step in range(1, LAST + 1)}  # steps as a URL names them
AWAY = "lesson_away"  # in the session: the step from which the visitor went to another page, and what to try there
_BEFORE = "lesson_before"  # in the session: the visitor's own choices, to be restored on the way back
_ARRIVED = "lesson_arrived"  # in the session: whether the other page has been drawn
_LEFT = (DESK, "methods", "experiment", "race_eta", "race_lambda", "race_safe", "race_seed")


@dataclass
class LessonProgress:
    """Progress through the lesson: the ``step`` shown, counted from 1, and by the name of a question in ``QUESTIONS``
    its prediction, the number of an option or a number, and whether its answer is ``revealed``."""

    step: int = 1
    predicted: dict[str, float] = field(default_factory=dict)
    revealed: set[str] = field(default_factory=set)

    def go(self, step: int) -> None:
        """Shows ``step``."""
        self.step = step

    def follow(self, linked: str) -> None:
        """Shows the step that a URL names, if there is such a step."""
        self.step = _BY_TEXT.get(linked, self.step)

    @property
    def predicted_text(self) -> str:
        """The predictions in the URL: '1:4,3:0' means 4 in step 1 and 0 in step 3."""
        return ",".join(f"{name}:{value:g}" for name, value in sorted(self.predicted.items()))

    @property
    def revealed_text(self) -> str:
        """The questions with a revealed answer in the URL: '1,1b,3'."""
        return ",".join(sorted(self.revealed))

    def recall(self, predicted: str, revealed: str) -> None:
        """Restores predictions and answers from the texts in a URL, and ignores what makes no sense."""
        self.revealed |= QUESTIONS.keys() & set(revealed.split(",")[: len(QUESTIONS)])
        for part in predicted.split(",")[: len(QUESTIONS)]:
            name, _, text = part.partition(":")
            value = float(text) if NUMBER.fullmatch(text) else math.nan
            if name in QUESTIONS and value in QUESTIONS[name].answers:
                self.predicted[name] = value

    @property
    def asked(self) -> list[str]:
        """The names of the questions on the page: of a step's second one, once the first is answered."""
        name = str(self.step)
        return [name, f"{name}b"] if f"{name}b" in QUESTIONS and name in self.revealed else [name]

    def predict(self, name: str, value: float | None) -> None:
        """Keeps a prediction, or withdraws it with None, unless the answer is already revealed."""
        if name in self.revealed:
            return
        self.predicted.pop(name, None)
        if value is not None:
            self.predicted[name] = value

    def reveal(self, name: str, predicted: float | None) -> None:
        """Shows the answer next to a last prediction."""
        self.predict(name, predicted)
        self.revealed.add(name)

    def ask_again(self) -> None:
        """Hides the answers of the step and forgets its predictions."""
        for name in self.asked:
            self.predicted.pop(name, None)
            self.revealed.discard(name)


def leave(step: int, trial: Try) -> None:
    """Sets the choices for ``trial``, and keeps the visitor's own. The caller then opens the page."""
    session = st.session_state
    session[AWAY] = step, trial
    if trial.page != TRAIN:  # a model trained there stays chosen
        session.setdefault(_BEFORE, _set_aside() | asdict(AppState.read(session)))
        session.update(asdict(trial.asked) | trial.widgets)


def come_back() -> None:
    """Restores the visitor's own choices, however the way back was found. Call it before any widget is drawn."""
    if st.session_state.get(_ARRIVED):
        if (before := st.session_state.get(_BEFORE)) is not None:
            _set_aside()
            st.session_state.update(before)
        stay()


def stay() -> None:
    """Ends the trip; the visitor goes on with the choices of the trial."""
    for name in (AWAY, _BEFORE, _ARRIVED):
        st.session_state.pop(name, None)


def banner() -> None:
    """Draws, on the page of a trial, what to try there and the way back. Only during a trip (``AWAY``)."""
    session = st.session_state
    number, trial = session[AWAY]
    session[_ARRIVED] = True
    with st.container(key="lesson-away", horizontal=True, vertical_alignment="center"):
        st.html(
            f'<p class="mf-note" role="note"><b>Lesson, step {number}: {escape(trial.label)}.</b> '
            f"{look.marked(trial.do)}</p>"
        )
        if st.button("Back to the lesson", icon=":material/school:", key="lesson-back"):
            st.switch_page(LESSON_PAGE, query_params={STEP_PARAMETER: str(number)})
        st.button("Stay here", key="lesson-stay", type="tertiary", on_click=stay)


def _set_aside() -> dict[str, Any]:
    """Removes the visitor's edits and experiments from the session, so that pages open untouched, and returns them."""
    session = st.session_state
    return {name: session.pop(name) for name in _LEFT if name in session}
