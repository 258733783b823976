"""The page of a step: sentence, picture, question with its answer, and one thing to try."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import streamlit as st

from metamf.checkpoints.bundled import checkpoint_title, describe, open_checkpoint
from metamf.evaluate.domain_shift import domain_shift
from metamf.webapp import address, look
from metamf.webapp.lesson import answers, notes, progress, steps
from metamf.webapp.lesson.answers import LessonAnswer, verdict
from metamf.webapp.lesson.progress import LessonProgress
from metamf.webapp.lesson.steps import LAST, PAPER, PLAYER_PREFIX, POPULAR, STEP_PARAMETER, STEPS, Question, Step
from metamf.webapp.look import Picture
from metamf.webapp.matrix import exports
from metamf.webapp.matrix.words import strip
from metamf.webapp.player.component import draw_apart
from metamf.wording import counted, listed, percent, percent_of_any_size, rounded

_BUTTONS = 11  # a question with more possible numbers gets a slider
_PREDICTED, _REVEALED = "predicted", "revealed"  # in the URL
HEIGHT = 430  # pixels of a figure


def draw() -> None:
    """Draws the step that the visitor has reached."""
    here = _progress()
    _controls(here)
    with look.place("lesson", here.step):
        _draw_step(here, STEPS[here.step - 1])
    notes.to_take_away()
    address.write(_PREDICTED, here.predicted_text)
    address.write(_REVEALED, here.revealed_text)


def _progress() -> LessonProgress:
    """Returns the visitor's progress. The URL mirrors it and wins on load; what it cannot mean is ignored."""
    session, asked = st.session_state, st.query_params
    named = asked.get(STEP_PARAMETER)
    if "lesson_progress" not in session:
        session.lesson_progress, session.lesson_named = LessonProgress(), None
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
        f'<header class="mf-lesson"><h1><small>Step {here.step} of {LAST}</small>{escape(step.title)}</h1>'
        f"<p>{look.marked(step.sentence)}</p></header>"
    )
    if notes.asked():
        notes.draw(step, here.step)
    picture, question = st.columns([1.55, 1], gap="large")
    found = answers.ANSWERS[step.key]()
    with picture:
        _PICTURES[step.key](here.is_revealed)
        _more(step.more)
    with question:
        _question(here, step, found)
        _trial(here.step, step)
    if step.key == "trust":
        _doubts()
    words = " · ".join(look.term(key) for key in step.words)
    st.html(f'<p class="mf-more"><b>New words:</b> {words}</p>')


def _more(text: str, head: str = "") -> None:
    st.html(f'<p class="mf-more">{f"<b>{head}</b> " if head else ""}{look.marked(text)}</p>')


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


def _question(here: LessonProgress, step: Step, found: LessonAnswer) -> None:
    key = f"predict-{step.key}"
    st.html(f'<p class="mf-asked">{look.marked(found.asked or step.question.prompt)}</p>')
    with st.container(key="lesson-predict"):
        predicted = _prediction(here, step.question, key)
        if not here.is_revealed:
            reveal: dict[str, Any] = {"icon": ":material/visibility:", "on_click": here.reveal, "args": (predicted,)}
            st.button("Reveal the answer", key="lesson-reveal", type="primary", **reveal)
    if here.is_revealed:
        said = escape(verdict(step.question, here.prediction, found.value))
        st.html(f'<p class="mf-verdict" role="status"><b>{said}</b>{look.marked(found.because)}</p>')
        st.button("Ask again", key="lesson-again", type="tertiary", on_click=_ask_again, args=(here, key))


def _prediction(here: LessonProgress, question: Question, key: str) -> float | None:
    """Draws the widget of a prediction and returns its value."""
    session, shut, options = st.session_state, here.is_revealed, question.answers
    known = None if here.prediction is None else int(here.prediction)
    if len(options) > _BUTTONS:
        session.setdefault(key, options[len(options) // 2] if known is None else known)
        more: dict[str, Any] = {"disabled": shut, "on_change": lambda: here.predict(session[key])}
        return st.slider(f"Your prediction, in {question.unit}", options[0], options[-1], key=key, **more)
    session.setdefault(key, known)
    names: Callable[[int], str] = question.options.__getitem__ if question.options else str
    across = not question.options
    chosen = st.radio("Your prediction", options, None, key=key, format_func=names, disabled=shut, horizontal=across)
    here.predict(chosen)
    return chosen


def _ask_again(here: LessonProgress, key: str) -> None:
    here.ask_again()
    st.session_state.pop(key, None)


def _trial(number: int, step: Step) -> None:
    trial = step.trial
    _more(trial.do, "Try it.")
    icon = ":material/open_in_new:"
    if st.button(trial.label, icon=icon, key="lesson-try", on_click=progress.leave, args=(number, trial)):
        st.switch_page(trial.page, query_params=trial.query)
    if step.key in ("empty", "trust"):
        label, icon = exports.TO_TEN_CELLS, ":material/casino:"
        st.button(label, icon=icon, key="lesson-cells", type="tertiary", on_click=_to_ten_cells)


def _to_ten_cells() -> None:
    """Opens the game on this page; a link to the page that it is on would not change the URL."""
    old: dict[str, list[str]] = {name: [] for name in (_PREDICTED, _REVEALED, "notes", STEP_PARAMETER)}
    st.query_params.update(_of_player() | old, **{exports.CELLS: "1"})


# The picture of each step. It holds back what would answer the question.


def _empty_picture(revealed: bool) -> None:
    cell, domain = answers.cell(), describe(PAPER).learned_from
    assert domain is not None
    text = f"{float(cell.truth[0]):g}" if revealed else "?"
    mark = {"row": int(cell.rows[0]), "col": int(cell.cols[0]), "text": text}
    draw_apart(answers.drawn(answers.film()) | {"mark": mark}, "lesson-empty", "given")
    look.small(
        f"In training, the model {checkpoint_title(PAPER)} was given only {percent_of_any_size(domain.density[1])} of "
        "the cells."
    )


def _fit_picture(revealed: bool) -> None:
    drawn, given, rank = answers.drawn_mf(), answers.film().task.given, answers.MF.rank
    if not revealed:
        drawn = drawn | {"errors": drawn["errors"] | {"hidden": None}, "levels": []}
    draw_apart(drawn, "lesson-alone", "fit", address=_address("alone"))
    look.small(
        f"MF fits {rank} factors per row and column, {rank * sum(given.shape)} numbers in all, to "
        f"{counted(given.nnz, 'given rating')}."
    )


def _prior_picture(revealed: bool) -> None:
    if not revealed:
        draw_apart(answers.drawn(answers.film()), "lesson-prior", "prior")
        look.small(
            "The estimates of the learned prior before any step. Its strength λ, also learned, is "
            f"{answers.film().prior_precision:.2g}: how hard it pulls compared with one given rating."
        )
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
    look.small("The band holds all random starts, and the line is their mean.")


def _network_picture(revealed: bool) -> None:
    draw_apart(answers.drawn(answers.film()), "lesson-network", "prior")
    look.small(
        f"The network proposes U(0) and V(0): {open_checkpoint(PAPER)[0].network.config.layers} exchangeable layers, "
        "Eq. (4), then one small network for rows and one for columns, Eq. (5)."
    )


def _steps_picture(revealed: bool) -> None:
    """Ten steps, and forty once the question about them is answered."""
    run = answers.long() if revealed else answers.film()
    draw_apart(answers.drawn(run), "lesson-player", "watch", address=_address("steps"))


def _episodes_picture(revealed: bool) -> None:
    for place, (name, drawn) in zip(st.columns(3, gap="small"), answers.episodes().items()):
        with place:
            draw_apart(drawn, f"lesson-episode-{name}", "episode")
    look.small("Three episodes with their support and query. No person and no thing appears in two of them.")
    found = answers.transfer()
    if not revealed or found is None:
        return
    from metamf.figures.lines import Bar, interval_bars  # with Plotly

    nan = float("nan")
    errors = {"trained on jokes": found[1], "trained on films": found[0]}
    bars = [Bar(name, error, nan, nan, nan, ours=error == found[0]) for name, error in errors.items()]
    caption = "Squared error on jokes, divided by that of the mean"
    lines = [[name, rounded(error)] for name, error in errors.items()]
    alt, table = f"{caption}: {listed([*map(' '.join, lines)])}.", look.table(f"{caption}.", ["model", "error"], lines)
    chart = interval_bars(bars, 1.0)
    Picture("On jokes", "squared error; the mean has 1", chart, "lesson-transfer", alt, table).draw()


def _popular_picture(revealed: bool) -> None:
    run = answers.popular()
    if not revealed:
        draw_apart(answers.drawn(run), "lesson-popular", "given")
        look.small(f"{POPULAR}: {run.task.matrix.description}")
    elif (intervals := strip(answers.whole_view(run))) is not None:
        intervals.draw()
        look.small(f"The intervals are those of {checkpoint_title(steps.EXTENDED)}. The paper's model gives none.")


_PICTURES: dict[str, Callable[[bool], None]] = {  # by the key of the step; told whether the answer is revealed
    "empty": _empty_picture,
    "alone": _fit_picture,
    "prior": _prior_picture,
    "network": _network_picture,
    "steps": _steps_picture,
    "training": _episodes_picture,
    "trust": _popular_picture,
}


def _address(key: str) -> dict[str, str]:
    """The names of a player's parameters in the URL, which count while the URL names the step of the player."""
    number = 1 + [step.key for step in STEPS].index(key)
    return {"prefix": PLAYER_PREFIX, "at": STEP_PARAMETER, "here": str(number)}


def _doubts() -> None:
    """Draws three examples in which the estimates fail, with their numbers."""
    far, popular, title = answers.run_on(steps.FAR), answers.popular(), checkpoint_title(PAPER)
    outside = domain_shift(answers.run_on(steps.JOKES).task.given, describe(PAPER))
    assert far.rmse and far.task.mean_rmse and popular.covered and popular.imputation.level
    texts = (
        f"{steps.FAR}: half of the people love what the other half cannot stand. The typical error of {title} is "
        f"{rounded(far.rmse)}, that of always guessing the mean {rounded(far.task.mean_rmse)}. All averages are alike "
        "here, and the network works with averages.",
        f"{POPULAR}: people rate what they like. Only {percent(popular.covered / popular.task.hidden.nnz)} of the "
        f"hidden ratings lie inside their {percent(popular.imputation.level)} interval.",
        f"{steps.JOKES}: this table differs from those that {title} was trained on. "
        f"{'. '.join(text[0].upper() + text[1:] for text in outside)}.",
    )
    items = "".join(f"<li>{look.marked(text)}</li>" for text in texts)
    st.html(f'<section class="mf-notes mf-doubts"><h2>Three cases where it fails</h2><ul>{items}</ul></section>')
