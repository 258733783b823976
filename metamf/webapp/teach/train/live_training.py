"""The page Train: what a training starts from, the buttons while it runs, its picture, its
sentences and its result, and one episode of it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from metamf.checkpoints.bundled import open_checkpoint
from metamf.network.meta_mf import MetaMF
from metamf.ratings.scale import RatingScale
from metamf.recipes.drawn import FILM_NIGHTS
from metamf.recipes.live import LEARNING_RATE, OTHERS_ON_NIGHTS, LiveData
from metamf.webapp import address, files, jobs, look, this_network
from metamf.webapp.engine import EngineError, Job, RefusedError
from metamf.webapp.player.component import player
from metamf.webapp.run import sentences
from metamf.webapp.run.replay import replay_of_training
from metamf.webapp.teach.train import task, trainings
from metamf.webapp.teach.train.episode import NUMBER, UNTRAINED, line_by_line
from metamf.webapp.teach.train.trainings import OFFERED_TITLES, TRAINING_SECONDS, Training
from metamf.wording import counted, percent, slug

HUNDRED = 100  # updates of one click
RATES = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 1.0)
DATA = "learn_from"  # names in the URL
RATE = "rate"
SEED = "weights"
RATE_NOW = "rate_now"
DATA_HELP = "The network never learns from the people and things on which its error is measured"
SEED_HELP = "Random weights and episodes are drawn from this number"
EASIER = "The training tables are easier than the held-out ones: in many of them tastes are weaker."


def live_training() -> None:
    """Draws the latest training as it is now, or what one starts from, and an episode.

    Whatever its state, the controls and the sentence take the same room, so nothing below moves.
    """
    training = trainings.latest()
    if training is None or training.job.ended:
        _start(training)
        _shown(training)
    else:
        jobs.follow(jobs.TRAINING, partial(_running, training))
    st.fragment(_episode)(training)
    if training is not None and (path := training.checkpoint()) is not None:
        look.small(
            f"“{path.stem}” is now among the models in the sidebar of Explore, Compare and Inside, "
            "until you leave. Nobody else sees it."
        )
        this_network.draw_settings(path)


def _places() -> list[DeltaGenerator]:
    """The places of the ratings, the learning rate, the seed and two rows of buttons."""
    *three, buttons = st.columns([1.2, 1.4, 0.7, 1.6], gap="medium", vertical_alignment="bottom")
    return [*three, *(buttons.container(horizontal=True) for _ in range(2))]


def _start(training: Training | None) -> None:
    data, rate, seed, first, second = _places()
    data.selectbox(
        "Ratings to learn from",
        trainings.data_offered(),
        format_func=OFFERED_TITLES.__getitem__,
        help=DATA_HELP,
        **address.control(DATA),
    )
    _rate_slider(rate, "Learning rate", value=LEARNING_RATE, **address.control(RATE))
    seed.number_input("Seed", 0, 9999, 0, help=SEED_HELP, **address.control(SEED))
    label = "Start from random weights" if training is None else "Train again"
    icon = ":material/play_arrow:"
    path = training and training.checkpoint()
    first.button(
        label,
        type="secondary" if path else "primary",
        icon=icon,
        key="train_start",
        on_click=_begin,
        args=(0,),
    )
    (first if path else second).button(
        "100 updates",
        icon=":material/skip_next:",
        key="train_hundred",
        on_click=_begin,
        args=(HUNDRED,),
    )
    if path:
        _result(second, path)
    if refused := st.session_state.pop("train_refused", None):
        look.note(refused, "warning")


def _begin(updates: int) -> None:
    session = st.session_state
    session.pop(RATE_NOW, None)
    try:
        trainings.begin(session[DATA], session[RATE], session[SEED], updates)
    except EngineError as error:
        session.train_refused = str(error)


def _rate_slider(place: DeltaGenerator, label: str, **more: Any) -> None:
    help = (
        "How far each update moves the parameters. The paper uses 0.0001; a rate that is too "
        "large overshoots"
    )
    place.select_slider(label, RATES, format_func=rate_in_words, help=help, **more)


def rate_in_words(value: float) -> str:
    """'0.0003'"""
    return f"{value:.5f}".rstrip("0").rstrip(".")


def _running(training: Training, job: Job) -> None:
    """Draws the buttons of a training that waits or runs, its learning rate from now on, and its
    picture."""
    if training.pause_when_done():
        st.rerun()  # the episode below is drawn by the network of now
    ready = bool(job.rows) and job.state == "running"
    data, rate, seed, first, second = _places()
    title = OFFERED_TITLES[training.data]
    fixed: dict[str, Any] = {"disabled": True}
    data.selectbox("Ratings to learn from", [title], key="train_data", help=DATA_HELP, **fixed)
    seed.number_input("Seed", value=training.seed, key="train_seed", help=SEED_HELP, **fixed)
    if job.paused:
        go_on = training.go_on
        icon = ":material/play_arrow:"
        first.button("Continue", icon=icon, key="train_go_on", on_click=go_on)
        icon = ":material/skip_next:"
        key = "train_hundred_more"
        first.button("100 more", icon=icon, key=key, on_click=go_on, args=(HUNDRED,))
    else:
        first.button(
            "Pause",
            icon=":material/pause:",
            key="train_pause",
            on_click=job.pause,
            args=(True,),
            disabled=not ready,
        )
        if not ready:
            icon = ":material/stop_circle:"
            first.button("Cancel", icon=icon, key="train_cancel", on_click=job.cancel)
    second.button(
        "Stop and keep the best",
        icon=":material/stop:",
        key="train_stop",
        type="primary",
        on_click=job.stop,
        disabled=not ready,
    )
    st.session_state.setdefault(RATE_NOW, training.rate_now)
    _rate_slider(
        rate,
        "Learning rate from now on",
        key=RATE_NOW,
        disabled=not ready,
        on_change=lambda: training.change_rate(st.session_state[RATE_NOW]),
    )
    _shown(training)


def _shown(training: Training | None) -> None:
    """Draws the sentence and the picture of a training, or of random weights before there is
    one."""
    data = st.session_state[DATA] if training is None else training.data
    seed = st.session_state[SEED] if training is None else training.seed
    job = None if training is None else training.job
    said = st.container(key="train_said")  # as high as its longest sentence: style.css
    if training is not None:
        with said:
            look.finding(finding(training))
    if job is not None and job.rows:
        best = job.result and job.result["best"]
        _picture(data, job.facts, [*job.rows, *([best] if best else [])])
    elif job is None or not isinstance(job.error, RefusedError):
        try:
            found = untrained(data, seed)
        except RefusedError as error:
            look.note(str(error), "warning")
            return
        if training is None:
            with said:
                look.finding(before_training(found["facts"], found["row"]))
        _picture(data, found["facts"], [found["row"]])


@st.cache_resource(max_entries=20, show_spinner="Asking a network that has learned nothing yet …")
def untrained(data: str, seed: int) -> dict[str, Any]:
    """The result of ``task.untrained``, once for all visitors; RefusedError if the data are missing
    or damaged."""
    return task.untrained(data, seed)


def _picture(data: str, facts: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """Draws the reports of a training as the steps of a player."""
    lines = {"the mean of the given": facts["mean"]}
    if data == FILM_NIGHTS:
        lines |= OTHERS_ON_NIGHTS
    if bundled := facts["bundled"]:
        lines[f"bundled {bundled['title']}"] = bundled["error"]
    sent = replay_of_training(facts["matrix"], rows, lines)
    player(sent, scene="train", key="training", options={"address": False})
    if data == FILM_NIGHTS:
        look.small(EASIER)


def _result(place: DeltaGenerator, path: Path) -> None:
    """Draws what you can do with the checkpoint of a training that has ended."""
    # The URL names the model from the start: the fragment that follows a training may still run.
    named = {"model": path.stem}
    link = address.Link("pages/explore.py", {"model": str(path)}, named, keeps=True)
    place.button(
        "Explore with it",
        key="train_use",
        icon=":material/grid_on:",
        type="primary",
        on_click=address.follow,
        args=(link,),
    )
    with place:
        files.offer(
            "Download",
            partial(trainings.archive, path),
            f"{slug(path.stem)}.zip",
            key="train_download",
            icon=":material/download:",
            help="The checkpoint and its card",
        )


@st.cache_resource(max_entries=2, show_spinner="Reading the ratings …")
def live_data(name: str) -> LiveData:
    """What a training learns from, once for all visitors."""
    return LiveData.load(name)


def _episode(training: Training | None) -> None:
    """Draws one episode as the network of the latest training goes through it, or a random one."""
    session = st.session_state
    try:
        data = live_data(training.data if training else session[DATA])
    except (OSError, ValueError):
        return  # the picture above says so
    now = training.job.now if training else {}
    seed = training.seed if training else session[SEED]
    network = first = task.network_of(data, seed)
    named = UNTRAINED
    if now:
        network = task.network_of(data, seed, now["parameters"])
        named = f"the network after {counted(now['update'], 'update')}"
    if training and (path := training.checkpoint()) is not None:
        network = cast(MetaMF, open_checkpoint(path).network)
        named = "the trained network"
    line_by_line(network, data, session.get(NUMBER, 0), named, first)


# -- sentences


def before_training(facts: dict[str, Any], row: dict[str, Any]) -> str:
    """Sentences on what a network of random weights can do, and on what is to be seen next."""
    goal = ""
    if bundled := facts["bundled"]:
        title = bundled["title"]
        goal = f", the bundled network, {title[:1].lower()}{title[1:]}, {bundled['error']:.3f}"
    return (
        f"Untrained, the network answers about {facts['level']:.1f} everywhere: it is off by "
        f"{row['error']:.3f} {_unit(facts)} (RMSE) on {_held_out(facts)}. The mean of the given "
        f"ratings is off by {facts['mean']:.3f}{goal}."
    )


def _held_out(facts: dict[str, Any]) -> str:
    """The tables that the error is measured on."""
    liked = " where people rated what they like" if facts["liked"] else ""
    return f"{facts['blocks']} held-out tables{liked}"


def finding(training: Training) -> str:
    """Progress of a training, in one or two sentences."""
    job = training.job
    if job.state == "cancelled":
        return "Cancelled. Nothing of the training is left."
    if isinstance(job.error, (EngineError, RefusedError)):
        return str(job.error)
    if job.state == "failed":
        kind = type(job.error).__name__
        return (
            f"The training failed with an error ({kind}), and nothing of it is left. Start again."
        )
    if job.state == "stopping":
        return (
            "Stopping: the best parameters are being tested on tables that were not used so far …"
        )
    if job.state == "waiting":
        return f"Your training: {job.waits_for or 'begins'}."
    if job.state == "done":
        found = job.result
        ended = "Stopped" if job.stopped else "Done"
        if job.limited:
            minutes = TRAINING_SECONDS // 60
            ended = f"Stopped by the time limit of {minutes} minutes or a long pause"
        if found["diverged"]:
            ended = (
                "The updates grew until the numbers overflowed (try a smaller learning rate), so "
                "training ended"
            )
        drawn = f" ({found['best']['error']:.3f})" if found["best"] else ""
        return (
            f"{ended} after {counted(found['updates'], 'update')}. Update {found['kept']:,} was "
            f"the best on the held-out tables{drawn} and is kept. On {found['blocks']} new ones it "
            f"is off by {found['error']:.3f}, {_compared(found['error'], found['mean'])}."
        )
    if not job.rows:
        return (
            f"Reading {OFFERED_TITLES[training.data]} in a process of its own, which takes up to a "
            "minute to start on a busy machine …"
        )
    last = job.rows[-1]
    updates = last["update"]
    begun = f"after {counted(updates, 'update')}" if updates else "before the first update"
    paused = "Paused. " if job.paused else ""
    return (
        f"{paused}The network {begun} is off by {last['error']:.3f} {_unit(job.facts)} (RMSE) on "
        f"{_held_out(job.facts)}, {_compared(last['error'], job.facts['mean'])}."
    )


def _unit(facts: dict[str, Any]) -> str:
    """The word for one unit of the ratings that a training learns from."""
    return sentences.unit(RatingScale(facts["matrix"]["low"], facts["matrix"]["high"]))


def _compared(error: float, mean: float) -> str:
    """'12 % less than the mean of the given ratings, 0.994'"""
    size = f"{percent(abs(error / mean - 1))} {'more' if error > mean else 'less'}"
    return f"{size} than the mean of the given ratings, {mean:.3f}"
