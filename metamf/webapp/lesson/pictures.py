"""The picture of each step, from the lesson's facts. What would answer a question is held back.

Matrices and factors are drawn by the player, curves and bars by Plotly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st

from metamf.checkpoints.bundled import checkpoint_title
from metamf.figures.experiments import Bar, interval_bars
from metamf.figures.lines import interval_strip
from metamf.figures.maps import rating_map
from metamf.figures.race import Curve, race_curves
from metamf.figures.window import Axes
from metamf.webapp import glossary, look
from metamf.webapp.lesson.facts import Facts, task_of, whole
from metamf.webapp.lesson.form import EXTENDED, FAR, JOKES, MATRIX, PAPER, POPULAR
from metamf.webapp.look import Picture
from metamf.webapp.player.component import Scene, player
from metamf.wording import counted, listed, percent, percent_of_any_size, rounded

HEIGHT = 430  # pixels
_MEAN = {"dash": "dot", "width": 2, "color": "gray"}  # the line of always guessing the mean
_EQUATIONS = (  # Eqs. (5) and (6); all other rows and columns are treated alike
    r"\begin{aligned} u_n &\leftarrow u_n - \eta \Big( \textstyle\sum_m b_{nm} (u_n^\top v_m - x_{nm})\, v_m"
    r" + \lambda\, (u_n - u_n^{(0)}) \Big) \\ v_m &\leftarrow v_m - \eta \Big( \textstyle\sum_n b_{nm}"
    r" (u_n^\top v_m - x_{nm})\, u_n + \lambda\, (v_m - v_m^{(0)}) \Big) \end{aligned}"
)


def draw(key: str, facts: Facts, revealed: bool) -> None:
    """The picture of the step ``key``; ``revealed``: whether its question is answered."""
    _PICTURES[key](facts, revealed)


def draw_below(key: str, facts: Facts, revealed: bool) -> None:
    """The picture of a step that needs the whole width, if it has one."""
    if key in _WIDE:
        _WIDE[key](facts, revealed)


def _empty(facts: Facts, revealed: bool) -> None:
    truth = f"{float(facts.cell.truth[0]):g}"
    mark = {"row": int(facts.cell.rows[0]), "col": int(facts.cell.cols[0]), "text": truth if revealed else "?"}
    _drawn(facts.drawn | {"mark": mark}, "given", "lesson-empty")
    look.small(
        f"{percent(facts.view.is_given.mean())} of the cells are given here. The matrices that the model "
        f"{checkpoint_title(PAPER)} learned from had {percent_of_any_size(facts.trained_density)}."
    )


def _alone(facts: Facts, revealed: bool) -> None:
    fit, drawn = facts.mf, facts.drawn_mf
    held_back = {"errors": drawn["errors"] | {"hidden": None}, "levels": []}
    _drawn(drawn if revealed else drawn | held_back, "fit", "lesson-alone")
    task = facts.film.task
    numbers = fit.settings.rank * sum(task.given.shape)
    look.small(
        f"MF, fitted to this matrix alone: {fit.settings.rank} factors for each row and each column. {numbers} numbers "
        f"are fitted to {counted(task.given.nnz, 'rating')}."
    )


def _prior(facts: Facts, revealed: bool) -> None:
    found = facts.film
    if not revealed:
        _drawn(facts.drawn, "prior", "lesson-prior")
        look.small(
            f"What the learned prior says before any step. Its strength is λ = {found.prior_precision:.2g}, learned in "
            "training: the size of the pull back to the prior beside that of one given rating."
        )
        return
    curves = [
        Curve(
            lane.name, lane.hidden.mean(0), *((lane.hidden.min(0), lane.hidden.max(0)) if len(lane.hidden) > 1 else ())
        )
        for lane in facts.race.lanes
    ]
    chart = race_curves(curves, height=HEIGHT)
    chart.add_hline(found.task.mean_rmse, line=_MEAN, annotation_text="always the mean")
    ends = listed([f"{lane.name} {rounded(lane.last)}" for lane in facts.race.lanes])
    alt = f"Error on hidden cells per step from {len(curves)} starts; at the end: {ends}."
    Picture("The same steps from different prior means", "RMSE on hidden cells", chart, "lesson-race", alt).draw()
    look.small(f"The random start is drawn {len(facts.race.lanes[2].hidden)} times: the band holds all of them.")


def _network(facts: Facts, revealed: bool) -> None:
    _drawn(facts.drawn, "prior", "lesson-network")
    look.small(
        f"U(0) and V(0) are what the network proposes: {facts.layers} exchangeable layers, then a network for the rows "
        "and one for the columns, Eqs. (3), (4)."
    )


def _steps(facts: Facts, revealed: bool) -> None:
    st.latex(_EQUATIONS)
    look.small(
        "Eqs. (5) and (6): u are the factors of a person, v those of a film, x a given rating, b is 1 where one is "
        f"given. η = {facts.film.step_size:.2g}, λ = {facts.film.prior_precision:.2g}; all in standardised units."
    )


def _training(facts: Facts, revealed: bool) -> None:
    with st.container(key="lesson-episodes"):
        places = st.columns(3, gap="small")
    for place, name in zip(places, (MATRIX, POPULAR, JOKES)):
        task, run = task_of(name), facts.run(name)
        (low, high), (N, M) = run.range, task.given.shape
        axes = Axes(show_rows=False, show_cols=False)
        view = whole(run)
        rated = np.where(view.is_given, view.given, task.matrix.ratings.to_dense())  # the query is rated, too
        chart = rating_map(rated, low, high, axes, given=view.is_given, numbers=False, height=HEIGHT - 60)
        support, query = task.given.nnz, task.matrix.ratings.nnz - task.given.nnz
        alt = f"Map of an episode of {N} rows and {M} columns: {support} ratings given, {query} held back."
        below = f"{support} ratings with a dot: the support. {query} without: the query."
        with place:
            Picture(
                name, f"{N} × {M}", chart, f"lesson-episode-{name}", alt, look.rating_legend(low, high), below
            ).draw()
    if revealed and facts.transfer is not None:
        bars = [
            Bar("trained on jokes", facts.transfer.jokes, np.nan, np.nan, np.nan),
            Bar("trained on films", facts.transfer.films, np.nan, np.nan, np.nan, ours=True),
        ]
        said = f"trained on films {rounded(facts.transfer.films)}, trained on jokes {rounded(facts.transfer.jokes)}"
        chart = interval_bars(bars, 1.0)
        alt = f"Squared error on jokes, divided by that of the mean: {said}."
        Picture("On jokes", "squared error, 1 is the mean", chart, "lesson-transfer", alt).draw()


def _trust(facts: Facts, revealed: bool) -> None:
    run = facts.popular
    if not revealed:
        _drawn(facts.drawn_popular, "given", "lesson-popular")
        look.small(f"{POPULAR}: {run.task.matrix.description}")
        return
    last = run.summaries[-1]
    inside = f"{last.covered} of {counted(last.n_hidden, 'hidden rating')} inside"
    chart = interval_strip(*run.hidden_intervals, height=HEIGHT)
    alt = f"Intervals of hidden cells beside their true ratings: {inside}."
    Picture(f"{POPULAR}: does it hold?", inside, chart, "lesson-intervals", alt).draw()
    look.small(f"{checkpoint_title(EXTENDED)} is the model that gives intervals; the paper's model gives none.")


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
    items = "".join(f"<li>{glossary.marked(text)}</li>" for text in texts)
    st.html(f'<section class="mf-notes mf-doubts"><h2>Three times not to believe it</h2><ul>{items}</ul></section>')


def _drawn(drawn: dict[str, Any], scene: Scene, key: str) -> None:
    """A picture of the player, apart from the step that the pages on a matrix share."""
    player(drawn, scene=scene, key=key, options={"address": False})


def _player(facts: Facts, revealed: bool) -> None:
    """All steps: ten of them, and forty once the question about them is answered."""
    _drawn(facts.drawn_long if revealed else facts.drawn, "watch", "lesson-player")


_PICTURES: dict[str, Callable[[Facts, bool], None]] = {
    "empty": _empty,
    "alone": _alone,
    "prior": _prior,
    "network": _network,
    "steps": _steps,
    "training": _training,
    "trust": _trust,
}
_WIDE: dict[str, Callable[[Facts, bool], None]] = {"steps": _player}
