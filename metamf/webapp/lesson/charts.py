"""The lesson's figures by Plotly: curves, bars, maps without names. Imported when one of them is drawn."""

from __future__ import annotations

import numpy as np
import streamlit as st

from metamf.checkpoints.bundled import checkpoint_title
from metamf.figures.experiments import Bar, interval_bars
from metamf.figures.lines import interval_strip
from metamf.figures.maps import rating_map
from metamf.figures.race import RaceCurve, race_curves
from metamf.figures.window import Axes
from metamf.webapp import legends, look
from metamf.webapp.lesson.facts import Facts, task_of, whole
from metamf.webapp.lesson.form import EXTENDED, JOKES, MATRIX, POPULAR
from metamf.webapp.look import Picture
from metamf.wording import counted, listed, rounded

HEIGHT = 430  # pixels
_MEAN = {"dash": "dot", "width": 2, "color": "gray"}  # the line of always guessing the mean


def starts(facts: Facts) -> None:
    """The error per step from several prior means."""
    found = facts.film
    curves = [
        RaceCurve(
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


def episodes(facts: Facts) -> None:
    """Three matrices as exercises: ratings that are given, and ratings that are held back."""
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
                name, f"{N} × {M}", chart, f"lesson-episode-{name}", alt, legends.of_ratings(low, high), below
            ).draw()


def transfer(facts: Facts) -> None:
    """The errors on jokes of two trained models, where the files of results are installed."""
    found = facts.transfer
    if found is None:
        return
    bars = [
        Bar("trained on jokes", found.jokes, np.nan, np.nan, np.nan),
        Bar("trained on films", found.films, np.nan, np.nan, np.nan, ours=True),
    ]
    said = f"trained on films {rounded(found.films)}, trained on jokes {rounded(found.jokes)}"
    alt = f"Squared error on jokes, divided by that of the mean: {said}."
    Picture("On jokes", "squared error, 1 is the mean", interval_bars(bars, 1.0), "lesson-transfer", alt).draw()


def intervals(facts: Facts) -> None:
    """The intervals of hidden cells beside their true ratings."""
    run = facts.popular
    last = run.summaries[-1]
    inside = f"{last.covered} of {counted(last.n_hidden, 'hidden rating')} inside"
    chart = interval_strip(*run.hidden_intervals, height=HEIGHT)
    alt = f"Intervals of hidden cells beside their true ratings: {inside}."
    Picture(f"{POPULAR}: does it hold?", inside, chart, "lesson-intervals", alt).draw()
    look.small(f"{checkpoint_title(EXTENDED)} is the model that gives intervals; the paper's model gives none.")
