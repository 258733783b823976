"""The page of a step: sentence, picture, question with its answer, and one thing to try."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from html import escape
from typing import Any

import numpy as np
import streamlit as st

from metamf.answer.methods import plain_name
from metamf.figures.window import Axes
from metamf.webapp import address, look
from metamf.webapp.look import Picture
from metamf.webapp.player import still
from metamf.webapp.player.component import draw_apart
from metamf.webapp.player.still import Still
from metamf.webapp.run import curve
from metamf.webapp.run.measured_run import Run
from metamf.webapp.teach.lesson import answers, notes
from metamf.webapp.teach.lesson.answers import verdict
from metamf.webapp.teach.lesson.progress import LessonProgress
from metamf.webapp.teach.lesson.steps import (
    CLASS,
    HARDER,
    LAST,
    QUESTIONS,
    SHORT,
    STEP_PARAMETER,
    STEPS,
    TRAIN,
    Question,
)
from metamf.webapp.teach.lesson.tiles import tiles
from metamf.webapp.teach.train import episode
from metamf.wording import listed, rounded

_BUTTONS = 11  # a question with more possible numbers gets a slider
HEIGHT = 400  # pixels of a figure
LOSS = 7  # the line of Algorithm 2 that the step "start" shows
_NOTICED = 0.1  # rating units from which a changed estimate has a frame
_EQUATIONS = r"""\begin{aligned}
u_n &\leftarrow u_n - \eta \big( \textstyle\sum_m b_{nm} (u_n \cdot v_m - x_{nm}) v_m + \lambda (u_n - u_n^{(0)}) \big)
\quad (6) \\ v_m &\leftarrow v_m - \eta \big( \textstyle\sum_n b_{nm} (u_n \cdot v_m - x_{nm}) u_n
+ \lambda (v_m - v_m^{(0)}) \big) \quad (7) \end{aligned}"""


def lesson() -> None:
    """Draws the step that the URL names, the way to the others, and what to take away."""
    session = st.session_state
    asked = st.query_params
    named = asked.get(STEP_PARAMETER)
    if "lesson_progress" not in session:
        session.lesson_progress = LessonProgress()
        session.lesson_named = None
    here: LessonProgress = session.lesson_progress
    if named is not None and named != session.lesson_named:
        here.follow(named)
    session.lesson_named = str(here.step)
    if named != session.lesson_named:
        asked[STEP_PARAMETER] = session.lesson_named
    course = SHORT if CLASS in asked else range(1, LAST + 1)
    _controls(here, course)
    with look.place("lesson", here.step):
        _step(here, course)
    notes.to_take_away(here.step)


def _controls(here: LessonProgress, course: Sequence[int]) -> None:
    """Draws Back, Next and the steps; after the last one of ten minutes, the way to a room. A
    presenter's keys, page up and page down, work like Back and Next."""
    st.session_state.lesson_step = here.step
    at = course.index(here.step) if here.step in course else 0
    buttons = (
        ("Back", -1, "previous", "PageUp", "back"),
        ("Next", 1, "next", "PageDown", "forward"),
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.page_link("pages/teach.py", label="Teach", icon=":material/arrow_back:")
        for label, by, name, shortcut, arrow in buttons:
            inside = 0 <= at + by < len(course)
            st.button(
                label,
                icon=f":material/arrow_{arrow}:",
                key=f"lesson-{name}",
                shortcut=shortcut,
                type="primary" if by > 0 else "secondary",
                on_click=here.go,
                args=(course[at + by] if inside else here.step,),
                disabled=not inside,
            )
        st.segmented_control(
            "Step",
            course,
            key="lesson_step",
            format_func=lambda step: str(course.index(step) + 1),
            required=True,
            on_change=_go,
            args=(here,),
            label_visibility="collapsed",
        )
        if CLASS in st.query_params:
            st.page_link("pages/room.py", label="Now you: a room", icon=":material/groups:")


def _go(here: LessonProgress) -> None:
    """Goes to the chosen step, unless a key was pressed while the browser still sent the step
    before."""
    session = st.session_state
    if not (session.get("lesson-previous") or session.get("lesson-next")):
        here.go(session.lesson_step)


def _step(here: LessonProgress, course: Sequence[int]) -> None:
    step = STEPS[here.step - 1]
    place = course.index(here.step) + 1 if here.step in course else here.step
    st.html(
        f'<header class="mf-lesson"><h1>{escape(step.title)} <small>Step {place} of '
        f"{len(course)}</small></h1><p>{look.marked(step.sentence)}</p></header>"
    )
    if notes.asked():
        notes.speaker_notes(step, here.step)
        return
    picture, question = st.columns([1.55, 1], gap="medium")
    with picture:
        _PICTURES[step.key](sum(name in here.revealed for name in here.asked))
    with question:
        for name in here.asked:
            _question(here, name)
        if here.asked[-1] in here.revealed:
            again = (here,)
            label = "Ask again"
            st.button(label, key="lesson-again", type="tertiary", on_click=_ask_again, args=again)
        for number, trial in enumerate(step.trials):  # the browser's Back leads to this step
            label = f"Try it: {trial.label[0].lower()}{trial.label[1:]}"
            icon = ":material/open_in_new:"
            if trial.page == TRAIN:  # a model trained there stays chosen
                st.page_link(trial.page, label=label, icon=icon)
            else:
                link = address.Link(trial.page, asdict(trial.asked) | trial.widgets, trial.query)
                key = f"lesson-try-{number}"
                st.button(label, key=key, icon=icon, on_click=address.follow, args=(link,))
            look.small(trial.do)
        with st.expander("More on this step"):
            look.small(step.more)
            if step.key == "steps":
                st.latex(_EQUATIONS)
            terms = " · ".join(look.term(key) for key in step.words)
            st.html(f'<p class="mf-small"><b>New words:</b> {terms}</p>')


def _question(here: LessonProgress, name: str) -> None:
    """Draws a question with the controls of a prediction, or with its answer; of an earlier one the
    answer alone."""
    question = QUESTIONS[name]
    found = answers.ANSWERS[name]()
    latest = name == here.asked[-1]
    if latest:
        st.html(f'<p class="mf-asked">{look.marked(found.asked or question.prompt)}</p>')
    predicted = here.predicted.get(name)
    if name in here.revealed:
        if latest and len(question.answers) <= _BUTTONS:
            st.html(marked_options(question, predicted, found.value))
        said = escape(verdict(question, predicted, found.value))
        because = look.marked(found.because)
        st.html(f'<p class="mf-verdict" role="status"><b>{said}</b>{because}</p>')
        return
    with st.container(key=f"lesson-predict-{name}"):
        predicted = _prediction(here, name, question)
        st.button(
            "Reveal the answer",
            key="lesson-reveal",
            icon=":material/visibility:",
            type="primary",
            on_click=here.reveal,
            args=(name, predicted),
        )


def _prediction(here: LessonProgress, name: str, question: Question) -> float | None:
    session = st.session_state
    key = f"predict-{name}"
    options = question.answers
    known = int(here.predicted[name]) if name in here.predicted else None
    if len(options) > _BUTTONS:
        session.setdefault(key, options[len(options) // 2] if known is None else known)
        return st.slider(
            f"Your prediction, in {question.unit}",
            options[0],
            options[-1],
            key=key,
            on_change=lambda: here.predict(name, session[key]),
        )
    session.setdefault(key, known)
    names: Callable[[int], str] = question.options.__getitem__ if question.options else str
    across = not question.options
    label = "Your prediction"
    chosen = st.radio(label, options, None, key=key, format_func=names, horizontal=across)
    here.predict(name, chosen)
    return chosen


def marked_options(question: Question, predicted: float | None, right: float) -> str:
    """Returns the answers that could be predicted as a list in HTML, with the chosen and the right
    one marked."""
    parts = []
    for option in question.answers:
        marks = {"right": option == right, "chosen": option == predicted}
        said = {"your prediction": option == predicted, "the answer": option == right}
        classes = " ".join(name for name, holds in marks.items() if holds)
        words = question.in_words(option) if question.options else f"{option}"
        note = ", and ".join(name for name, holds in said.items() if holds)
        small = note and f" <small>{note}</small>"
        parts.append(f'<li class="{classes}">{escape(words)}{small}</li>')
    return f'<ul class="mf-options">{"".join(parts)}</ul>'


def _ask_again(here: LessonProgress) -> None:
    for name in here.asked:
        st.session_state.pop(f"predict-{name}", None)
    here.ask_again()


# -- the picture of each step, which holds back what would answer the question


def _empty_picture(revealed: int) -> None:
    """The matrix with the cell in question, and its answer; after the second one below the
    curves."""
    if revealed > 1:
        title = "Film nights, given at random"
        curve.picture(answers.curves(), answers.FEW, title, "lesson-curve").draw()
    cell = answers.cell()
    text = f"{cell.truth:g}" if revealed else "?"
    mark = {"row": cell.row, "col": cell.col, "text": text}
    draw_apart(answers.drawn(answers.film()) | {"mark": mark}, "lesson-empty", "given")


def _fit_picture(revealed: int) -> None:
    _fit(answers.drawn_mf(), "alone", revealed)


def _steps_picture(revealed: int) -> None:
    """The steps from the start on, which stands at first; the answer plays them."""
    _fit(answers.drawn(answers.film()) | {"levels": []}, "steps", revealed, start=not revealed)


def _fit(drawn: dict[str, Any], key: str, revealed: int, start: bool = False) -> None:
    """Draws steps with their errors, of which that on the hidden cells is the answer."""
    if not revealed:
        drawn = drawn | {"errors": drawn["errors"] | {"hidden": None}, "levels": []}
    draw_apart(drawn, f"lesson-{key}", "fit", start=start)


def _start_picture(revealed: int) -> None:
    if revealed < 2:
        draw_apart(answers.drawn(answers.film()), "lesson-start", "prior")
        return
    from metamf.webapp.run.starts import curves_figure  # with Plotly

    race = answers.starts()
    chart, table = curves_figure(race, height=HEIGHT)
    line = {"dash": "dot", "width": 2, "color": "gray"}
    chart.add_hline(answers.mean_rmse(), line=line, annotation_text="always the mean")
    ends = listed([f"{lane.name} {rounded(lane.last)}" for lane in race.lanes])
    alt = f"Error on hidden cells per step from {len(race.lanes)} starts; at the end: {ends}."
    title = "The same steps from different prior means"
    Picture(title, "RMSE on hidden cells", chart, "lesson-race", alt, table).draw()
    with st.expander("How the start is learned: one episode"):
        _episode()


def _episode() -> None:
    """Draws how such a start is learned: the loss of one episode and its gradient by the start."""
    trace, found, units = answers.episode()
    maps = episode.pictures(LOSS, trace, found, units)
    draw_apart(episode.scene(found, maps), "lesson-episode", "maps")
    look.small(episode.loss_sentence(trace))
    for place, side in zip(st.columns(2), episode.SIDES):
        with place:
            gradient = episode.gradient_scene(trace, found, side, 0)
            draw_apart(gradient, f"lesson-gradient-{side}", "maps")
    look.small(episode.gradient_sentence(trace, 0))


def _network_picture(revealed: int) -> None:
    """The given ratings, which a button shuffles; then the answers of the model and of MF, which
    snap back."""
    icon = ":material/shuffle:"
    st.button("Shuffle the names", key="lesson-shuffle", icon=icon, on_click=_shuffle)
    seed = st.session_state.get("lesson_shuffle", 0)
    given = answers.film().task.given
    ours, others = answers.shuffled(max(seed, 1))
    changed = ours.changed
    if revealed:
        back = changed.rows.argsort(), changed.cols.argsort()
        for place, name, found in zip(st.columns(2), ("The model", "MF"), (ours, others)):
            moved = np.abs(found.difference) > _NOTICED
            many = f"{moved.sum()} of {moved.size} estimates change"
            title = f"{name}: {many if moved.any() else 'no estimate changes'}"
            with place:
                st.html(tiles(title, title, given, found.undone, came_from=back, framed=moved))
        return
    shown, came_from = (changed.ratings, (changed.rows, changed.cols)) if seed else (given, None)
    alt = f"{given.nnz} given ratings{', rows and columns shuffled' if seed else ''}."
    st.html(tiles("What the model reads", alt, shown, came_from=came_from))


def _shuffle() -> None:
    st.session_state.lesson_shuffle = st.session_state.get("lesson_shuffle", 0) + 1


def _liking_picture(revealed: int) -> None:
    simple = plain_name(answers.SIMPLE).capitalize()
    others = {simple: answers.simple_estimates()} if revealed else {}
    _beside_truth(answers.film(), revealed, "lesson-liking", others)


def _wrong_picture(revealed: int) -> None:
    _beside_truth(answers.run_on(HARDER), revealed, "lesson-wrong", {})


def _beside_truth(run: Run, revealed: int, key: str, others: dict[str, np.ndarray]) -> None:
    """Draws the given ratings; once revealed, the model's estimates (N, M), those of ``others`` by
    name, and the truth."""
    if not revealed:
        draw_apart(answers.drawn(run), key, "given")
        return
    task = run.task
    assert task.matrix.truth is not None
    estimates = {"The model": run.answer.mean} | others
    maps = [Still(name, "", X, *run.range) for name, X in estimates.items()]
    maps.append(Still("The truth", "", task.matrix.truth, *run.range, noun="rating"))
    axes = Axes(task.given.row_labels, task.given.col_labels)
    given = task.given.to_dense()
    data = still.scene_of(task.matrix.name, maps, axes, given=given, ends=run.range)
    draw_apart(data, f"{key}-maps", "maps")


# by the key of the step; told how many of its answers are revealed
_PICTURES: dict[str, Callable[[int], None]] = {
    "empty": _empty_picture,
    "alone": _fit_picture,
    "steps": _steps_picture,
    "start": _start_picture,
    "network": _network_picture,
    "liking": _liking_picture,
    "wrong": _wrong_picture,
}
