"""The picture of each step, from the lesson's facts. What would answer a question is held back.

Matrices and factors are drawn by the player; what Plotly draws is in ``charts``, which is imported when it is needed.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from metamf.checkpoints.bundled import checkpoint_title
from metamf.webapp import look
from metamf.webapp.lesson.facts import Facts
from metamf.webapp.lesson.form import FAR, JOKES, PAPER, PLAYER_PREFIX, POPULAR, STEP_PARAMETER
from metamf.webapp.lesson.steps import STEPS
from metamf.webapp.player.component import draw_apart
from metamf.wording import counted, listed, percent, percent_of_any_size, rounded


def draw(key: str, facts: Facts, revealed: bool) -> None:
    """The picture of the step ``key``; ``revealed``: whether its question is answered."""
    _PICTURES[key](facts, revealed)


def draw_below(key: str, facts: Facts, revealed: bool) -> None:
    """The picture of a step that needs the whole width, if it has one."""
    if key in _WIDE:
        _WIDE[key](facts, revealed)


def _empty_picture(facts: Facts, revealed: bool) -> None:
    truth = f"{float(facts.cell.truth[0]):g}"
    mark = {"row": int(facts.cell.rows[0]), "col": int(facts.cell.cols[0]), "text": truth if revealed else "?"}
    draw_apart(facts.drawn | {"mark": mark}, "lesson-empty", "given")
    look.small(
        f"{percent(facts.view.is_given.mean())} of the cells are given here. The matrices that the model "
        f"{checkpoint_title(PAPER)} learned from had {percent_of_any_size(facts.trained_density)}."
    )


def _fit_picture(facts: Facts, revealed: bool) -> None:
    fit, drawn = facts.mf, facts.drawn_mf
    held_back = {"errors": drawn["errors"] | {"hidden": None}, "levels": []}
    draw_apart(drawn if revealed else drawn | held_back, "lesson-alone", "fit", address=_address("alone"))
    task = facts.film.task
    numbers = fit.settings.rank * sum(task.given.shape)
    look.small(
        f"MF, fitted to this matrix alone: {fit.settings.rank} factors for each row and each column. {numbers} numbers "
        f"are fitted to {counted(task.given.nnz, 'rating')}."
    )


def _prior_picture(facts: Facts, revealed: bool) -> None:
    found = facts.film
    if not revealed:
        draw_apart(facts.drawn, "lesson-prior", "prior")
        look.small(
            "This is what the learned prior says before any step. Its strength is "
            f"λ = {found.prior_precision:.2g}, learned in training: the size of the pull back to the prior beside that "
            "of one given rating."
        )
        return
    from metamf.webapp.lesson import charts

    charts.starts(facts)


def _network_picture(facts: Facts, revealed: bool) -> None:
    draw_apart(facts.drawn, "lesson-network", "prior")
    look.small(
        f"U(0) and V(0) are what the network proposes: {facts.layers} exchangeable layers, then a network for the rows "
        "and one for the columns, Eqs. (4), (5)."
    )


def _equations_picture(facts: Facts, revealed: bool) -> None:
    look.small(
        "Eqs. (6) and (7) stand below, with the numbers of the step: u are the factors of a person, v those of a film, "
        "x a given rating, b is 1 where one is given; all in standardised units. What the ratings pull has one colour "
        "and what the prior pulls another, in the equations and in the bars of a cell that is chosen."
    )


def _episodes_picture(facts: Facts, revealed: bool) -> None:
    for place, (name, drawn) in zip(st.columns(3, gap="small"), facts.episodes.items()):
        with place:
            draw_apart(drawn, f"lesson-episode-{name}", "episode")
    look.small(
        "Three exercises: in each of them a part of the ratings is given, the support, and the others are held back, "
        "the query. No person and no thing appears in two of them."
    )
    if revealed:
        from metamf.webapp.lesson import charts

        charts.transfer(facts)


def _popular_picture(facts: Facts, revealed: bool) -> None:
    run = facts.popular
    if not revealed:
        draw_apart(facts.drawn_popular, "lesson-popular", "given")
        look.small(f"{POPULAR}: {run.task.matrix.description}")
        return
    from metamf.webapp.lesson import charts

    charts.intervals(facts)


def examples(facts: Facts) -> None:
    """Three examples in which one should not believe the estimates, each with its numbers."""
    far, popular = facts.far.summaries[-1], facts.popular.summaries[-1]
    texts = (
        f"{FAR}: half of the people love what the others cannot stand. The model {checkpoint_title(PAPER)} has an "
        f"error of {rounded(far.hidden_rmse)}, always guessing the mean {rounded(far.mean_rmse)}. All averages are "
        "alike here, and what the network proposes is made of averages.",
        f"{POPULAR}: people rate what they like. {percent(popular.covered / popular.n_hidden)} of the hidden ratings "
        f"lie in their {percent(popular.level)} interval.",
        f"{JOKES}: for {checkpoint_title(PAPER)} this table is of another kind: {listed(facts.outside)}. The pages say "
        "such things at their top.",
    )
    items = "".join(f"<li>{look.marked(text)}</li>" for text in texts)
    st.html(f'<section class="mf-notes mf-doubts"><h2>Three times not to believe it</h2><ul>{items}</ul></section>')


def _address(key: str) -> dict[str, str]:
    """The names in the address of the player of a step of the lesson: they count while the address names that step."""
    number = 1 + [step.key for step in STEPS].index(key)
    return {"prefix": PLAYER_PREFIX, "at": STEP_PARAMETER, "here": str(number)}


def _steps_picture(facts: Facts, revealed: bool) -> None:
    """All steps: ten of them, and forty once the question about them is answered."""
    draw_apart(
        facts.drawn_long if revealed else facts.drawn,
        "lesson-player",
        "watch",
        address=_address("steps"),
    )


_PICTURES: dict[str, Callable[[Facts, bool], None]] = {
    "empty": _empty_picture,
    "alone": _fit_picture,
    "prior": _prior_picture,
    "network": _network_picture,
    "steps": _equations_picture,
    "training": _episodes_picture,
    "trust": _popular_picture,
}
_WIDE: dict[str, Callable[[Facts, bool], None]] = {"steps": _steps_picture}
