"""The page Train: what a training starts from, the buttons while it runs, its picture, its sentences and its result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from metamf.datasets.examples import FILM_NIGHT
from metamf.recipes.drawn import FILM_NIGHTS
from metamf.recipes.live import LEARNING_RATE
from metamf.webapp import address, files, look
from metamf.webapp.engine import EngineError, RefusedError
from metamf.webapp.explore.choices import DEFAULT
from metamf.webapp.explore.curve import LINES, curves_of
from metamf.webapp.player.component import player
from metamf.webapp.player.replay import replay_of_training
from metamf.webapp.teach.train import task, trainings
from metamf.webapp.teach.train.trainings import OFFERED_TITLES, TRAINING_SECONDS, Training
from metamf.wording import counted, percent, slug

REFRESH = 0.5  # seconds between two looks at a training that runs
RATES = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 1.0)  # learning rates that are offered
OTHERS = ("mf", "simple", "training_mean")  # methods whose errors are drawn next to the network's
DATA, RATE, SEED, RATE_NOW = "learn_from", "rate", "weights", "rate_now"  # keys; but for the last, names in the URL


def start(again: bool) -> None:
    columns = st.columns([1.4, 1.6, 0.8, 1], gap="medium", vertical_alignment="bottom")
    columns[0].selectbox(
        "Ratings to learn from",
        trainings.data_offered(),
        format_func=OFFERED_TITLES.__getitem__,
        help="The network never learns from the people and things on which its error is measured",
        **address.control(DATA),
    )
    _rate_slider(columns[1], "Learning rate", value=LEARNING_RATE, **address.control(RATE))
    help = "Random weights and episodes are drawn from this number"
    columns[2].number_input("Seed", 0, 9999, 0, help=help, **address.control(SEED))
    label = "Train again" if again else "Start from random weights"
    columns[3].button(label, type="primary", icon=":material/play_arrow:", key="train_start", on_click=_start)
    if refused := st.session_state.pop("train_refused", None):
        look.note(refused, "warning")


def _start() -> None:
    session = st.session_state
    session.pop(RATE_NOW, None)
    try:
        trainings.begin(session[DATA], session[RATE], session[SEED])
    except EngineError as error:
        session.train_refused = str(error)


def _running(training: Training) -> None:
    """Draws the buttons of a training that waits or runs, and its learning rate from now on."""
    job = training.job
    buttons, rate = st.columns([1, 1], gap="large", vertical_alignment="bottom")

    def button(label: str, icon: str, key: str, act: Callable, *args: Any, **more: Any) -> None:
        st.button(label, icon=f":material/{icon}:", key=f"train_{key}", on_click=act, args=args, **more)

    ready = bool(job.rows) and job.state == "running"
    with buttons, st.container(horizontal=True):
        if job.state == "waiting":
            button("Leave the queue", "close", "cancel", job.cancel)
            return
        if job.paused:
            button("Continue", "play_arrow", "go_on", job.pause, False)
        else:
            button("Pause", "pause", "pause", job.pause, True, disabled=not ready)
        button("Stop and keep the best", "stop", "stop", job.stop, type="primary", disabled=not ready)
        button("Cancel", "close", "cancel", job.cancel)
    st.session_state.setdefault(RATE_NOW, training.rate_now)
    _rate_slider(
        rate,
        "Learning rate from now on",
        key=RATE_NOW,
        disabled=not ready,
        on_change=lambda: training.change_rate(st.session_state[RATE_NOW]),
    )


def rate_in_words(value: float) -> str:
    """'0.0003'"""
    return f"{value:.5f}".rstrip("0").rstrip(".")


def _rate_slider(place: DeltaGenerator, label: str, **more: Any) -> None:
    place.select_slider(
        label,
        RATES,
        format_func=rate_in_words,
        help="How far each update moves the parameters. The paper uses 0.0001; a rate that is too large overshoots",
        **more,
    )


@st.cache_resource(max_entries=20, show_spinner="Asking a network that has learned nothing yet …")
def untrained(data: str, seed: int) -> dict[str, Any]:
    """The result of ``task.untrained``, once for all visitors; RefusedError if the data are missing or damaged."""
    return task.untrained(data, seed)


def draw(training: Training | None) -> None:
    session = st.session_state
    others = measured_on_film_nights() if (training.data if training else session[DATA]) == FILM_NIGHTS else {}
    if training is None:
        try:
            found = untrained(st.session_state[DATA], st.session_state[SEED])
        except RefusedError as error:
            look.note(str(error), "warning")
            return
        look.finding(before_training(found["facts"], found["row"]))
        _picture(found["facts"], [found["row"]], others)
        return
    job = training.job
    if not job.ended:
        _running(training)
    look.finding(finding(training))
    if (path := training.checkpoint()) is not None:
        _result(path)
    if job.rows:
        best = job.result and job.result["best"]
        _picture(job.facts, [*job.rows, *([best] if best else [])], others)
    elif not isinstance(job.error, RefusedError):
        found = untrained(training.data, training.seed)
        _picture(found["facts"], [found["row"]], others)


def _picture(facts: dict[str, Any], rows: Sequence[dict[str, Any]], others: dict[str, float]) -> None:
    """Draws the reports of a training as the steps of a player; ``others``: errors of other methods, by name."""
    bundled = facts["bundled"]
    lines = {"always the mean": facts["mean"]} | others
    if bundled:
        lines[f"bundled {bundled['title']}"] = bundled["error"]
    data = replay_of_training(facts["matrix"], rows, lines)
    player(data, scene="train", key="training", options={"address": False})


def measured_on_film_nights() -> dict[str, float]:
    """RMSE of other methods, in stars, on many other nights of which as much is given, in the same way."""
    curves = curves_of(FILM_NIGHT, DEFAULT.by, DEFAULT.model)
    return {} if curves is None else {LINES[key]: curves.lines[key].at(DEFAULT.keep) for key in OTHERS}


def _result(path: Path) -> None:
    """Draws what you can do with the checkpoint of a training that has ended."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(
            "Explore with it",
            key="train_use",
            icon=":material/grid_on:",
            type="primary",
            on_click=lambda: st.session_state.update(model=str(path)),
        ):
            st.switch_page("pages/explore.py", query_params={})  # what is bound to widgets may not be cleared
        files.offer(
            "Download with its card",
            partial(trainings.archive, path),
            f"{slug(path.stem)}.zip",
            key="train_download",
            icon=":material/download:",
        )
    look.small(
        f"“{path.stem}” is now among the models in the sidebar of Explore, Compare and Inside, until you leave. "
        "Nobody else sees it."
    )


def before_training(facts: dict[str, Any], row: dict[str, Any]) -> str:
    """Sentences on what a network of random weights can do, and on what is to be seen next."""
    bundled = facts["bundled"]
    goal = ""
    if bundled:
        title = bundled["title"]
        goal = f" The bundled one, {title[:1].lower()}{title[1:]}, reaches {bundled['error']:.3f}."
    return (
        f"With random weights, the typical error on {facts['blocks']} held-out matrices is {row['error']:.3f}, "
        f"{_compared(row['error'], facts['mean'])}.{goal}"
    )


def finding(training: Training) -> str:
    """Progress of a training, in one or two sentences."""
    job = training.job
    if job.state == "waiting":
        return f"Your training waits: {job.waits_for or 'it is next'}."
    if job.state == "cancelled":
        return "Cancelled. Nothing of the training is left."
    if isinstance(job.error, (EngineError, RefusedError)):
        return str(job.error)
    if job.state == "failed":
        kind = type(job.error).__name__
        return f"The training failed with an error ({kind}), and nothing of it is left. Start again."
    if job.state == "done":
        return _outcome(training)
    if job.state == "stopping":
        return "Stopping: the best parameters are being tested on matrices that were not used so far …"
    if not job.rows:
        return f"Reading {OFFERED_TITLES[training.data]} …"
    last = job.rows[-1]
    begun = f"after {counted(last['update'], 'update')}" if last["update"] else "before the first update"
    paused = "Paused. " if job.paused else ""
    return (
        f"{paused}The network's error {begun} is {last['error']:.3f} on {job.facts['blocks']} held-out matrices, "
        f"{_compared(last['error'], job.facts['mean'])}."
    )


def _outcome(training: Training) -> str:
    found = training.job.result
    if found["diverged"]:
        ended = "The updates grew until the numbers overflowed (try a smaller learning rate), so training ended"
    elif training.job.limited:
        ended = f"Stopped by the time limit of {TRAINING_SECONDS // 60} minutes or a long pause"
    else:
        ended = "Stopped" if training.job.stopped else "Done"
    return (
        f"{ended} after {counted(found['updates'], 'update')}. The parameters after update {found['kept']:,} were the "
        f"best: on {found['blocks']} other matrices their error is {found['error']:.3f}, "
        f"{_compared(found['error'], found['mean'])}."
    )


def _compared(error: float, mean: float) -> str:
    """'12 % smaller than the 0.994 of always guessing the mean'"""
    size = f"{percent(abs(error / mean - 1))} {'larger' if error > mean else 'smaller'}"
    return f"{size} than the {mean:.3f} of always guessing the mean"
