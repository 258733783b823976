"""The page of a step: sentence, picture, question with its answer, and one thing to try."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np
import streamlit as st

from metamf.answer.methods import plain_name
from metamf.figures.window import Axes
from metamf.webapp import address, look
from metamf.webapp.explore import curve, exports
from metamf.webapp.explore.run import Run
from metamf.webapp.look import Picture
from metamf.webapp.player import still
from metamf.webapp.player.bundle import mount
from metamf.webapp.player.component import draw_apart
from metamf.webapp.player.still import Still
from metamf.webapp.teach.lesson import answers, notes, progress, steps
from metamf.webapp.teach.lesson.answers import LessonAnswer, verdict
from metamf.webapp.teach.lesson.progress import LessonProgress
from metamf.webapp.teach.lesson.steps import LAST, PLAYER_PREFIX, QUESTIONS, STEP_PARAMETER, STEPS, Question, Step
from metamf.webapp.teach.lesson.tiles import tiles
from metamf.wording import listed, rounded

_BUTTONS = 11  # a question with more possible numbers gets a slider
# in the URL
_PREDICTED = "predicted"
_REVEALED = "revealed"
HEIGHT = 430  # pixels of a figure
_NOTICED = 0.1  # rating units from which a changed estimate has a frame
_EQUATIONS = r"""\begin{aligned}
u_n &\leftarrow u_n - \eta \big( \textstyle\sum_m b_{nm} (u_n \cdot v_m - x_{nm}) v_m + \lambda (u_n - u_n^{(0)}) \big)
\quad (6) \\ v_m &\leftarrow v_m - \eta \big( \textstyle\sum_n b_{nm} (u_n \cdot v_m - x_{nm}) u_n
+ \lambda (v_m - v_m^{(0)}) \big) \quad (7) \end{aligned}"""


def draw() -> None:
    here = _progress()
    _controls(here)
    with look.place("lesson", here.step):
        _draw_step(here, STEPS[here.step - 1])
    notes.to_take_away(here.step)
    address.write(_PREDICTED, here.predicted_text)
    address.write(_REVEALED, here.revealed_text)


def _progress() -> LessonProgress:
    """Returns the visitor's progress. The URL mirrors it and wins on load; what it cannot mean is ignored."""
    session, asked = st.session_state, st.query_params
    named = asked.get(STEP_PARAMETER)
    if "lesson_progress" not in session:
        session.lesson_progress = LessonProgress()
        session.lesson_named = None
        session.lesson_progress.recall(asked.get(_PREDICTED, ""), asked.get(_REVEALED, ""))
    here: LessonProgress = session.lesson_progress
    if named is not None and named != session.lesson_named:
        here.follow(named)
    session.lesson_named = str(here.step)
    if named != session.lesson_named:  # without the player's parameters of the step before; one entry of the history
        asked.update(_of_player(), **{STEP_PARAMETER: session.lesson_named})
    return here


def _of_player() -> dict[str, list[str]]:
    """The update of the URL that removes the parameters of the player."""
    return {name: [] for name in st.query_params if name.startswith(PLAYER_PREFIX)}


def _draw_step(here: LessonProgress, step: Step) -> None:
    st.html(
        f'<header class="mf-lesson"><h1>{escape(step.title)} <small>Step {here.step} of {LAST}</small></h1>'
        f"<p>{look.marked(step.sentence)}</p></header>"
    )
    if notes.asked():
        notes.draw(step, here.step)
        return
    picture, question = st.columns([1.55, 1], gap="large")
    with picture:
        _PICTURES[step.key](sum(name in here.revealed for name in here.asked))
    with question:
        for name in here.asked:
            _question(here, name, answers.ANSWERS[name]())
        if here.asked[-1] in here.revealed:
            st.button("Ask again", key="lesson-again", type="tertiary", on_click=_ask_again, args=(here,))
        _trial(here.step, step)
        with st.expander("More on this step"):
            look.small(step.more)
            if step.key == "steps":
                st.latex(_EQUATIONS)
            terms = " · ".join(look.term(key) for key in step.words)
            st.html(f'<p class="mf-small"><b>New words:</b> {terms}</p>')


def _controls(here: LessonProgress) -> None:
    """Draws Back, Next and the seven steps. A presenter's keys, page up and page down, work like Back and Next."""
    st.session_state.lesson_step = here.step
    buttons = (("Back", -1, "previous", "PageUp", "back"), ("Next", 1, "next", "PageDown", "forward"))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for label, by, name, shortcut, arrow in buttons:
            st.button(
                label,
                icon=f":material/arrow_{arrow}:",
                key=f"lesson-{name}",
                shortcut=shortcut,
                type="primary" if by > 0 else "secondary",
                on_click=here.go,
                args=(here.step + by,),
                disabled=not 1 <= here.step + by <= LAST,
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
    """Goes to the chosen step, unless a key was pressed while the browser still sent the step before."""
    session = st.session_state
    if not (session.get("lesson-previous") or session.get("lesson-next")):
        here.go(session.lesson_step)


def _question(here: LessonProgress, name: str, found: LessonAnswer) -> None:
    question = QUESTIONS[name]
    shown = name in here.revealed
    if name == here.asked[-1]:  # of an earlier one there is the answer alone
        st.html(f'<p class="mf-asked">{look.marked(found.asked or question.prompt)}</p>')
        if shown and len(question.answers) <= _BUTTONS:
            st.html(marked_options(question, here.predicted.get(name), found.value))
        elif not shown:
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
    if shown:
        said = escape(verdict(question, here.predicted.get(name), found.value))
        st.html(f'<p class="mf-verdict" role="status"><b>{said}</b>{look.marked(found.because)}</p>')


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
    chosen = st.radio("Your prediction", options, None, key=key, format_func=names, horizontal=across)
    here.predict(name, chosen)
    return chosen


def marked_options(question: Question, predicted: float | None, right: float) -> str:
    """Returns the answers that could be predicted as a list in HTML, with the chosen and the right one marked."""
    parts = []
    for option in question.answers:
        marks = ["right"] * (option == right) + ["chosen"] * (option == predicted)
        said = ["your prediction"] * (option == predicted) + ["the answer"] * (option == right)
        words = question.in_words(option) if question.options else f"{option}"
        note = f" <small>{', and '.join(said)}</small>" if said else ""
        parts.append(f'<li class="{" ".join(marks)}">{escape(words)}{note}</li>')
    return f'<ul class="mf-options">{"".join(parts)}</ul>'


def _ask_again(here: LessonProgress) -> None:
    for name in here.asked:
        st.session_state.pop(f"predict-{name}", None)
    here.ask_again()


def _trial(number: int, step: Step) -> None:
    for key, trial in zip(("lesson-try", "lesson-other"), step.trials):
        label = f"Try it: {trial.label[0].lower()}{trial.label[1:]}"
        if st.button(label, key=key, icon=":material/open_in_new:", on_click=progress.leave, args=(number, trial)):
            st.switch_page(trial.page, query_params=trial.query)
    if step.key in ("empty", "wrong"):
        st.button(
            exports.TO_TEN_CELLS,
            key="lesson-cells",
            icon=":material/casino:",
            type="tertiary",
            on_click=_to_ten_cells,
        )


def _to_ten_cells() -> None:
    """Opens the game on this page; a link to the page that it is on would not change the URL."""
    old: dict[str, list[str]] = {name: [] for name in (_PREDICTED, _REVEALED, "notes", STEP_PARAMETER)}
    st.query_params.update(_of_player() | old, **{exports.CELLS: "1"})


# The picture of each step. It holds back what would answer the question.


def _empty_picture(revealed: int) -> None:
    """The matrix with the cell in question; once it is answered, below the curves, that of the model last."""
    if revealed:
        curves = answers.curves()
        shown = {key: line for key, line in curves.lines.items() if key != "model" or revealed > 1}
        html = curve.picture(curves._replace(lines=shown), answers.FEW, "Film nights, given at random")
        mount("curve", key="lesson-curve", data={"html": html})
    cell = answers.cell()
    text = f"{float(cell.truth[0]):g}" if revealed else "?"
    mark = {"row": int(cell.rows[0]), "col": int(cell.cols[0]), "text": text}
    draw_apart(answers.drawn(answers.film()) | {"mark": mark}, "lesson-empty", "given")


def _fit_picture(revealed: int) -> None:
    _fit(answers.drawn_mf(), "alone", revealed)


def _start_picture(revealed: int) -> None:
    if revealed < 2:
        draw_apart(answers.drawn(answers.film()), "lesson-start", "prior")
        return
    from metamf.webapp.inside.race import curves_figure  # with Plotly

    race = answers.starts()
    chart, table = curves_figure(race, height=HEIGHT)
    line = {"dash": "dot", "width": 2, "color": "gray"}
    chart.add_hline(answers.mean_rmse(), line=line, annotation_text="always the mean")
    ends = listed([f"{lane.name} {rounded(lane.last)}" for lane in race.lanes])
    alt = f"Error on hidden cells per step from {len(race.lanes)} starts; at the end: {ends}."
    title = "The same steps from different prior means"
    Picture(title, "RMSE on hidden cells", chart, "lesson-race", alt, table).draw()


def _network_picture(revealed: int) -> None:
    """The given ratings, which a button shuffles; then the answers of the model and of MF, which snap back."""
    seed = st.session_state.get("lesson_shuffle", 0)
    given = answers.film().task.given
    st.button("Shuffle the names", key="lesson-shuffle", icon=":material/shuffle:", on_click=_shuffle)
    ours, others = answers.shuffled(max(seed, 1))
    changed = ours.changed
    if not revealed:
        shown, came_from = (changed.ratings, (changed.rows, changed.cols)) if seed else (given, None)
        alt = f"{given.nnz} given ratings{', rows and columns shuffled' if seed else ''}."
        st.html(tiles("What the model reads", alt, shown, came_from=came_from))
        return
    back = changed.rows.argsort(), changed.cols.argsort()
    for place, name, found in zip(st.columns(2), ("The model", "MF"), (ours, others)):
        other = np.abs(found.difference) > _NOTICED
        many = f"{other.sum()} of {other.size} estimates change" if other.any() else "no estimate changes"
        title = f"{name}: {many}"
        with place:
            st.html(tiles(title, title, given, found.undone, came_from=back, framed=other))


def _shuffle() -> None:
    st.session_state.lesson_shuffle = st.session_state.get("lesson_shuffle", 0) + 1


def _steps_picture(revealed: int) -> None:
    _fit(answers.drawn(answers.film()) | {"levels": []}, "steps", revealed)


def _fit(drawn: dict[str, Any], key: str, revealed: int) -> None:
    """Draws steps with their errors, of which that on the hidden cells is the answer."""
    if not revealed:
        drawn = drawn | {"errors": drawn["errors"] | {"hidden": None}, "levels": []}
    number = 1 + [step.key for step in STEPS].index(key)
    # The names of the player's parameters in the URL, which count while the URL names the step of the player.
    named = {"prefix": PLAYER_PREFIX, "at": STEP_PARAMETER, "here": str(number)}
    draw_apart(drawn, f"lesson-{key}", "fit", address=named)


def _liking_picture(revealed: int) -> None:
    run = answers.film()
    if not revealed:
        draw_apart(answers.drawn(run), "lesson-liking", "given")
        return
    simple = plain_name(answers.SIMPLE).capitalize()
    _beside_truth(run, {"The model": run.answer.mean, simple: answers.simple_estimates()}, "lesson-liking-maps")


def _wrong_picture(revealed: int) -> None:
    run = answers.run_on(steps.HARDER)
    if not revealed:
        draw_apart(answers.drawn(run), "lesson-wrong", "given")
        return
    _beside_truth(run, {"The model": run.answer.mean}, "lesson-wrong-maps")


def _beside_truth(run: Run, maps: dict[str, np.ndarray], key: str) -> None:
    """Draws estimates (N, M) by name, and the truth."""
    truth = run.task.matrix.truth
    assert truth is not None
    given = run.task.given
    stills = [Still(name, "", X, *run.range) for name, X in maps.items()]
    stills.append(Still("The truth", "", truth, *run.range, noun="rating"))
    axes = Axes(given.row_labels, given.col_labels)
    data = still.scene_of(run.task.matrix.name, stills, axes, given=given.to_dense(), ends=run.range)
    draw_apart(data, key, "maps")


_PICTURES: dict[str, Callable[[int], None]] = {  # by the key of the step; told how many of its answers are revealed
    "empty": _empty_picture,
    "alone": _fit_picture,
    "steps": _steps_picture,
    "start": _start_picture,
    "network": _network_picture,
    "liking": _liking_picture,
    "wrong": _wrong_picture,
}
