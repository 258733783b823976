"""When it is wrong: the same night to a network that learned another world, and harder people to this network."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from metamf.checkpoints.bundled import in_sentence
from metamf.datasets.examples import FILM_NIGHT, HARD_TO_PLEASE
from metamf.webapp import look
from metamf.webapp.explore import curve
from metamf.webapp.explore.choices import DEFAULT, example
from metamf.webapp.explore.view import PageView, run_of
from metamf.webapp.explore.words import Off

ELSEWHERE = "ml-1m"  # the checkpoint that learned another world
_RULE = "A learned prior is as good as the tables that it was learned on."


def draw(view: PageView) -> None:
    """Draws two ways to be wrong, below the night that the model is right about; or why it is wrong, and a way back."""
    data = view.matrix.name
    model = view.key.model
    with st.container(key="wrong", horizontal=True, vertical_alignment="center"):
        if (data, model) == (FILM_NIGHT, DEFAULT.model):
            st.html('<p class="mf-small">When is it wrong?</p>', width="content")
            _button("Ask one trained on films", {"model": ELSEWHERE})
            _button("Make all hard to please", {"data": HARD_TO_PLEASE})
        elif (reason := why(view)) is not None:
            look.small(reason)
            _button("Back", {"data": FILM_NIGHT, "model": DEFAULT.model})


def why(view: PageView) -> str | None:
    """How much closer the model is in the world that it learned, on this draw and over many; None elsewhere."""
    data = view.matrix.name
    key = view.key
    if view.beside_simple is None:
        return None
    if data == FILM_NIGHT and key.model == ELSEWHERE:
        right = run_of(replace(key, model=DEFAULT.model, steps=DEFAULT.steps), view.matrix)
        start = f"{in_sentence(DEFAULT.model).capitalize()} is off by"
    elif data == HARD_TO_PLEASE and key.model == DEFAULT.model:
        usual = example(FILM_NIGHT, key.seed)
        right = run_of(replace(key, digest=usual.digest, made=()), usual)
        start = "With everybody a star kinder, it is off by"
    else:
        return None
    said = f"{start} {Off.by(right.hidden_deviations).said('stars')}"
    worlds = (FILM_NIGHT, DEFAULT.model), (data, key.model)
    there, here = (curve.over_many(world, key.by, model, key.keep) for world, model in worlds)
    if there is None or here is None:
        return f"{said}. {_RULE}"
    return f"{said}; over {here.draws} by {there.model.said()}, and here by {here.model.said()}. {_RULE}"


def _button(label: str, choices: dict[str, str]) -> None:
    st.button(label, type="tertiary", key=f"wrong_{label}", on_click=st.session_state.update, args=(choices,))
