"""The lesson's figures by Plotly: curves and bars. Imported when one of them is drawn."""

from __future__ import annotations

import numpy as np

from metamf.checkpoints.bundled import checkpoint_title
from metamf.figures.experiments import Bar, interval_bars
from metamf.figures.lines import RaceCurve, interval_strip, race_curves
from metamf.webapp import look, numbers
from metamf.webapp.lesson.facts import Facts
from metamf.webapp.lesson.form import EXTENDED, POPULAR
from metamf.webapp.look import Picture
from metamf.webapp.matrix import uncertainty
from metamf.wording import counted, listed, rounded

HEIGHT = 430  # pixels; chosen by eye
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
    names = [one.name for one in curves]
    ends = listed([f"{lane.name} {rounded(lane.last)}" for lane in facts.race.lanes])
    alt = f"Error on hidden cells per step from {len(curves)} starts; at the end: {ends}."
    lines = [[str(t), *(rounded(one.middle[t]) for one in curves)] for t in range(facts.race.T + 1)]
    table = numbers.table("RMSE on hidden cells per step; of random starts the mean.", ["step", *names], lines)
    title = "The same steps from different prior means"
    Picture(title, "RMSE on hidden cells", chart, "lesson-race", alt, table=table).draw()
    look.small(f"The random start is drawn {len(facts.race.lanes[2].hidden)} times: the band holds all of them.")


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
    lines = [[bar.label, rounded(bar.value)] for bar in bars]
    table = numbers.table("Squared error on jokes, divided by that of the mean.", ["model", "error"], lines)
    chart = interval_bars(bars, 1.0)
    Picture("On jokes", "squared error, 1 is the mean", chart, "lesson-transfer", alt, table=table).draw()


def intervals(facts: Facts) -> None:
    """The intervals of hidden cells beside their true ratings."""
    run = facts.popular
    last = run.summaries[-1]
    inside = f"{last.covered} of {counted(last.n_hidden, 'hidden rating')} inside"
    chart = interval_strip(*run.hidden_intervals, height=HEIGHT)
    alt, table = uncertainty.alternative_text(run.hidden_intervals, inside), uncertainty.table_of(run.hidden_intervals)
    Picture(f"{POPULAR}: does it hold?", inside, chart, "lesson-intervals", alt, table=table).draw()
    look.small(f"{checkpoint_title(EXTENDED)} is the model that gives intervals; the paper's model gives none.")
