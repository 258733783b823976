"""The controls of the page Train: what is trained on, and what is done to a training that runs."""

from __future__ import annotations

import streamlit as st

from metamf.webapp import address, look
from metamf.webapp.jobs.job import Shown
from metamf.webapp.jobs.line import PoolFullError
from metamf.webapp.jobs.states import State
from metamf.webapp.shared_pool import pool, visitor
from metamf.webapp.train import trainings, words

DATA, RATE, SEED, RATE_NOW = "learn_from", "rate", "weights", "rate_now"  # keys; but for the last, names in the URL
_DATA, _RATE = address.control(DATA, trainings.OFFERED_TITLES.get), address.control(RATE, words.rate)
_SEED = address.control(SEED)


def start(again: bool) -> None:
    """Draws what a training starts from, and the button that starts it."""
    choices = trainings.data_offered()
    columns = st.columns([1.4, 1.6, 0.8, 1], gap="medium", vertical_alignment="bottom")
    columns[0].selectbox(
        "Ratings to learn from",
        choices,
        format_func=trainings.OFFERED_TITLES.get,
        **_DATA,
        help="Its people and its things are divided into three parts that share none: to learn from, to watch, to test",
    )
    _rate_slider(columns[1], "Learning rate", value=trainings.RATE, **_RATE)
    columns[2].number_input(
        "Seed", 0, 9999, 0, help="The number from which random weights and episodes are drawn", **_SEED
    )
    label = "Train again" if again else "Start from random weights"
    columns[3].button(label, type="primary", icon=":material/play_arrow:", key="train_start", on_click=_start)
    if refused := st.session_state.pop("train_refused", None):
        look.note(refused, "warning")


def chosen() -> tuple[str, int]:
    """The data and the seed that ``start`` shows."""
    return st.session_state[DATA], st.session_state[SEED]


def running(job: Shown) -> None:
    """Draws the buttons of a training that waits or runs, and its learning rate from now on."""
    id, waits = job.id, job.state is State.QUEUED
    buttons, rate = st.columns([1, 1], gap="large", vertical_alignment="bottom")
    with buttons, st.container(horizontal=True):
        if waits:
            st.button(
                "Leave the queue", icon=":material/close:", key="train_cancel", on_click=_act, args=("cancel", id)
            )
            return
        ready = bool(job.rows) and job.state is not State.STOPPING
        if job.state is State.PAUSED:
            st.button("Continue", icon=":material/play_arrow:", key="train_go_on", on_click=_act, args=("go_on", id))
        else:
            st.button(
                "Pause",
                icon=":material/pause:",
                key="train_pause",
                on_click=_act,
                args=("pause", id),
                disabled=not ready,
            )
        st.button(
            "Stop and keep the best",
            icon=":material/stop:",
            type="primary",
            key="train_stop",
            on_click=_act,
            args=("stop", id),
            disabled=not ready,
        )
        st.button("Cancel", icon=":material/close:", key="train_cancel", on_click=_act, args=("cancel", id))
    st.session_state.setdefault(RATE_NOW, job.rows[-1]["rate"] if job.rows else job.arguments["learning_rate"])
    _rate_slider(
        rate,
        "Learning rate from now on",
        key=RATE_NOW,
        on_change=_change_rate,
        args=(id,),
        disabled=not ready,
    )


def _rate_slider(place, label: str, **more) -> None:
    place.select_slider(
        label,
        trainings.RATES,
        format_func=words.rate,
        help="How far each update moves the parameters. The paper's is 0.0001; too large a one overshoots",
        **more,
    )


def _start() -> None:
    session = st.session_state
    session.pop(RATE_NOW, None)
    try:
        trainings.begin(session[DATA], session[RATE], session[SEED])
    except PoolFullError as error:
        session.train_refused = str(error)


def _act(name: str, id: str) -> None:
    getattr(pool(), name)(visitor(), id)


def _change_rate(id: str) -> None:
    pool().set(visitor(), id, learning_rate=st.session_state[RATE_NOW])
