"""The page of a step: sentence, picture, question with its answer, one thing to try. Drawn from ``LessonProgress``."""

from __future__ import annotations

from html import escape
from pathlib import Path

import streamlit as st

from metamf.webapp import address, look
from metamf.webapp.lesson import away, notes, pictures
from metamf.webapp.lesson.answers import LessonAnswer, answer, verdict
from metamf.webapp.lesson.facts import Facts
from metamf.webapp.lesson.form import PLAYER_PREFIX, STEP_PARAMETER, Choice, Number, Step
from metamf.webapp.lesson.progress import LessonProgress
from metamf.webapp.lesson.steps import LAST, STEPS
from metamf.webapp.matrix import ways_on

_BUTTONS = 10  # numbers that are buttons; more are a slider
_PREDICTED, _REVEALED = "predicted", "revealed"
_STYLE = Path(__file__).with_name("style.css")


def style() -> None:
    """Applies the style sheet of the lesson."""
    st.html(_STYLE)


@st.cache_resource(show_spinner=False)
def facts() -> Facts:
    """The lesson's numbers, which are the same for all visitors."""
    return Facts()


def progress() -> LessonProgress:
    """Progress of this visitor; the address says it, too, and one that a visitor opens is followed."""
    session, named = st.session_state, st.query_params.get(STEP_PARAMETER)
    if "lesson_progress" not in session:
        session.lesson_progress, session.lesson_named = _linked(named), None
    if named is not None and named != session.lesson_named:
        session.lesson_progress.follow(named)
    session.lesson_named = str(session.lesson_progress.step)
    if named != session.lesson_named:
        _go_on_in_address(session.lesson_named)
    return session.lesson_progress


def _go_on_in_address(step: str) -> None:
    """Names another step in the address, which forgets what it said of the player of the step before."""
    address.rewrite(lambda name: not name.startswith(PLAYER_PREFIX), **{STEP_PARAMETER: step})


def _linked(named: str | None) -> LessonProgress:
    """The lesson as the address says; what it says and is not to be had, is noted."""
    here, asked = LessonProgress(LAST), st.query_params
    here.follow(named)
    if named is not None and named != str(here.step):
        address.refuse(STEP_PARAMETER, str(here.step))
    if asked.get("notes", "1") != "1":
        address.refuse("notes", "no note")
    if not here.recall(asked.get(_PREDICTED, ""), asked.get(_REVEALED, ""), _possible):
        address.refuse(_PREDICTED, here.predicted_text or "no prediction")
        address.refuse(_REVEALED, here.revealed_text or "no answer")
    return here


def _possible(step: int, value: float) -> bool:
    question = STEPS[step - 1].question
    if isinstance(question, Choice):
        return value in range(len(question.options))
    return value in range(question.low, question.high + 1, question.step)


def write_address() -> None:
    """Puts into the address what was predicted and revealed."""
    here = st.session_state.lesson_progress
    for name, text in ((_PREDICTED, here.predicted_text), (_REVEALED, here.revealed_text)):
        if text and st.query_params.get(name) != text:
            st.query_params[name] = text
        elif not text and name in st.query_params:
            del st.query_params[name]


def draw() -> None:
    """Draws the step that the visitor is at."""
    here = progress()
    _controls(here)
    with look.place("lesson", here.step):
        _draw_step(here, STEPS[here.step - 1])
    notes.to_take_away()
    write_address()


def _draw_step(here: LessonProgress, step: Step) -> None:
    st.html(
        f'<header class="mf-lesson"><h1><small>Step {here.step} of {LAST}</small>{escape(step.title)}</h1>'
        f"<p>{look.marked(step.sentence)}</p></header>"
    )
    if notes.asked():
        notes.draw(step, here.step)
    picture, question = st.columns([1.55, 1], gap="large")
    found = answer(step, facts())
    with picture:
        pictures.draw(step.key, facts(), here.is_revealed)
        st.html(f'<p class="mf-more">{look.marked(step.more)}</p>')
    with question:
        _question(here, step, found)
        _trial(here.step, step)
    pictures.draw_below(step.key, facts(), here.is_revealed)
    if step.key == "trust":
        pictures.examples(facts())
    words = " · ".join(look.term(key) for key in step.words)
    st.html(f'<p class="mf-more"><b>Words of this step:</b> {words}</p>')


def _controls(here: LessonProgress) -> None:
    """Back, the seven steps, and next; a presenter's keys, page up and page down, do the same."""
    session = st.session_state
    session.lesson_step = here.step
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            "Back",
            icon=":material/arrow_back:",
            key="lesson-previous",
            shortcut="PageUp",
            on_click=here.back,
            disabled=here.step == 1,
        )
        st.button(
            "Next",
            icon=":material/arrow_forward:",
            key="lesson-next",
            shortcut="PageDown",
            type="primary",
            on_click=here.next,
            disabled=here.step == here.last,
        )
        st.segmented_control(
            "Step",
            range(1, LAST + 1),
            key="lesson_step",
            required=True,
            on_change=_go,
            args=(here,),
            label_visibility="collapsed",
        )


def _go(here: LessonProgress) -> None:
    """Goes to the step that was chosen. A key that is pressed as soon as a step is on the screen comes with what the
    browser still holds here, the step before: then only the key counts."""
    session = st.session_state
    if not (session.get("lesson-previous") or session.get("lesson-next")):
        here.go(session.lesson_step)


def _question(here: LessonProgress, step: Step, found: LessonAnswer) -> None:
    """The question, what was predicted, and the answer once it is revealed."""
    question, key = step.question, f"predict-{step.key}"
    prompt = found.asked or question.prompt
    st.html(f'<p class="mf-asked">{look.marked(prompt)}</p>')
    with st.container(key="lesson-predict"):
        predicted = _prediction(here, question, key)
        if not here.is_revealed:
            st.button(
                "Reveal the answer",
                icon=":material/visibility:",
                key="lesson-reveal",
                type="primary",
                on_click=_reveal,
                args=(here, predicted),
            )
    if here.is_revealed:
        st.html(
            f'<p class="mf-verdict" role="status"><b>{escape(verdict(step, here.prediction, found))}</b>'
            f"{look.marked(found.because)}</p>"
        )
        st.button("Ask again", key="lesson-again", type="tertiary", on_click=_ask_again, args=(here, key))


def _prediction(here: LessonProgress, question: Choice | Number, key: str) -> float | None:
    """The widget of a prediction, and what it says."""
    session, shut = st.session_state, here.is_revealed
    if isinstance(question, Number) and question.high - question.low > _BUTTONS:
        if key not in session:
            middle = (question.low + question.high) // 2
            session[key] = middle if here.prediction is None else int(here.prediction)
        label = f"Your prediction, in {question.unit}"
        return st.slider(
            label,
            question.low,
            question.high,
            step=question.step,
            key=key,
            disabled=shut,
            on_change=lambda: here.predict(session[key]),
        )
    if isinstance(question, Number):
        options, names = list(range(question.low, question.high + 1, question.step)), str
    else:
        options, names = list(range(len(question.options))), question.options.__getitem__
    if key not in session:
        session[key] = None if here.prediction is None else int(here.prediction)
    row = isinstance(question, Number)
    chosen = st.radio("Your prediction", options, index=None, key=key, format_func=names, disabled=shut, horizontal=row)
    here.predict(chosen)
    return chosen


def _reveal(here: LessonProgress, predicted: float | None) -> None:
    here.predict(predicted)
    here.reveal()


def _ask_again(here: LessonProgress, key: str) -> None:
    here.ask_again()
    st.session_state.pop(key, None)


def _to_ten_cells() -> None:
    address.rewrite(lambda name: False, **{ways_on.CELLS: "1"})


def _trial(number: int, step: Step) -> None:
    trial = step.trial
    st.html(f'<p class="mf-more"><b>Try it.</b> {look.marked(trial.do)}</p>')
    if st.button(
        trial.label, icon=":material/open_in_new:", key="lesson-try", on_click=away.leave, args=(number, trial)
    ):
        st.switch_page(trial.page, query_params=trial.query)
    if step.key in ("empty", "trust"):
        st.button(
            ways_on.TO_TEN_CELLS,
            icon=":material/casino:",
            key="lesson-cells",
            type="tertiary",
            on_click=_to_ten_cells,
        )  # not a link: of one to the page that it is on the address says nothing, and the next click would be back
