"""What stands below the maps of Explore: when the model is wrong, the paper's setting, and what its
steps minimise."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from metamf import datasets
from metamf.checkpoints.bundled import in_sentence
from metamf.datasets.examples import FILM_NIGHT, HARD_TO_PLEASE
from metamf.webapp import address, look
from metamf.webapp.choices import DATA_SETS, DEFAULT, example
from metamf.webapp.run import curve
from metamf.webapp.run.matrix_page import View, run_of
from metamf.webapp.run.measured_run import Run
from metamf.webapp.run.sentences import Off

ELSEWHERE = "ml-1m"  # the checkpoint that learned another world
PAPERS_DATA = "ml-100k"  # the data set of the first column of the paper's Table 1
PAPERS_SHARE = 50  # percent that are given: the paper's training ratio R
_LUCK = 0.05  # stars worse than in its own world, below which a night shows nothing


def draw_ways_to_be_wrong(view: View) -> None:
    """Draws two ways to be wrong, below the night that the model is right about; or why it is
    wrong."""
    with st.container(key="wrong", horizontal=True, vertical_alignment="center"):
        if (view.matrix.name, view.key.model) != (FILM_NIGHT, DEFAULT.model):
            if reason := why_wrong(view):
                look.small(reason)
            return
        st.html('<p class="mf-small">When is it wrong?</p>', width="content")
        for label, chosen in (
            ("Use a model trained on films", {"model": ELSEWHERE}),
            ("Make everyone a star harsher", {"data": HARD_TO_PLEASE}),
        ):
            choose = st.session_state.update
            st.button(label, type="tertiary", key=f"wrong_{label}", on_click=choose, args=(chosen,))


def why_wrong(view: View) -> str:
    """Returns how much closer the model is in the world that it learned, on this draw and over
    many; '' elsewhere."""
    data = view.matrix.name
    key = view.key
    if view.beside_simple is None:
        return ""
    if data == FILM_NIGHT and key.model == ELSEWHERE:
        right = run_of(replace(key, model=DEFAULT.model, steps=DEFAULT.steps), view.matrix)
        start = f"{in_sentence(DEFAULT.model).capitalize()} is off by"
    elif data == HARD_TO_PLEASE and key.model == DEFAULT.model:
        usual = example(FILM_NIGHT, key.seed)
        right = run_of(replace(key, digest=usual.digest, made=()), usual)
        start = "With everybody a star kinder, it is off by"
    else:
        return ""
    usually = Off.by(right.hidden_deviations)
    lucky = view.beside_simple.own.rmse < usually.rmse + _LUCK
    luck = "On this night it is not wrong, by luck. " if lucky else ""
    said = f"{luck}{start} {usually.said('stars')}."
    there = curve.over_many(FILM_NIGHT, key.by, DEFAULT.model, key.keep)
    here = curve.over_many(data, key.by, key.model, key.keep)
    if there is not None and here is not None:
        said += (
            f" Over {here.draws} it is off by {here.model.said()} instead of {there.model.said()}."
        )
    return f"{said} It only knows what its training tables taught it."


def draw_papers_setting() -> None:
    """Draws the button that opens Compare with ratings given at random and the methods of the
    paper's Table 1."""
    with st.container(horizontal=True, vertical_alignment="center"):
        icon = ":material/article:"
        st.button("The paper's setting", icon=icon, key="paper_setting", on_click=_open_compare)
        on = "a block of MovieLens 100K" if datasets.available(PAPERS_DATA) else "film nights"
        look.small(
            f"At random, half given, on {on}: Table 1's methods, EML and MAML trained on the same "
            "tables."
        )


def papers_choices() -> dict[str, object]:
    """Returns the paper's setting: a held-out block of MovieLens 100K where it is on this machine,
    otherwise the film night; half of the ratings given, at random; the model trained on such
    tables."""
    found: dict[str, object] = {"by": "at random", "keep": PAPERS_SHARE, "steps": DEFAULT.steps}
    if datasets.available(PAPERS_DATA):
        block = next(title for title, data in DATA_SETS.items() if data == PAPERS_DATA)
        return found | {"data": block, "model": PAPERS_DATA}
    return found | {"data": FILM_NIGHT, "model": DEFAULT.model}


def _open_compare() -> None:
    chosen = papers_choices() | {"table1": True}
    address.follow(address.Link("pages/compare.py", chosen, keeps=True))


def draw_objective(run: Run) -> None:
    """Draws both parts of the objective of Eqs. (1) to (3) at each step; nothing for steps that do
    not descend it."""
    objective = run.objective
    if objective is None:
        return
    from metamf.figures.lines import objective_bars  # with Plotly

    parts = zip(objective.likelihood, objective.prior, objective.total)
    lines = [[str(t), *(f"{value:.4f}" for value in of_step)] for t, of_step in enumerate(parts)]
    head = ["step", "likelihood", "prior", "sum"]
    said = about_objective(run)
    look.Picture(
        "What the steps minimise",
        "Eqs. (1) to (3), the negative log posterior",
        objective_bars(objective.likelihood, objective.prior),
        "objective",
        f"Stacked bars over the steps 0 to {run.T}. {said}",
        look.table("The parts of Eqs. (1) to (3) at each step.", head, lines),
        said,
    ).draw()


def about_objective(run: Run) -> str:
    """Returns what the two parts do from the first step to the last, and what lambda has to do with
    it; '' for steps that do not descend the objective."""
    objective = run.objective
    if objective is None:
        return ""
    first, last = (f"{objective.total[t]:.2f}" for t in (0, -1))
    missed = " to ".join(f"{objective.likelihood[t]:.2f}" for t in (0, -1))
    return (
        "At t = 0 the factors are the prior means: the prior costs 0, and λ pulls at nothing. "
        f"Each step trades: the likelihood's part falls from {missed}, the prior's, λ/2 times the "
        f"squared distance from the start, grows to {objective.prior[-1]:.2f} and pulls back. "
        f"Their sum goes from {first} to {last} (λ = {run.prior_precision:.3g}, standardised "
        "units). Both parts have ½ in front, as the gradients in Eqs. (6) and (7) imply."
    )
