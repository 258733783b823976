"""The first page: what the model is given, what it fills in, and how far that is from the hidden ratings."""

import streamlit as st

from metamf import wording
from metamf.figures.maps import rating_map, signed_map
from metamf.tasks.view import View
from metamf.webapp import look
from metamf.webapp.matrix import to_your_table, uncertainty, words
from metamf.webapp.matrix.page import open_page
from metamf.webapp.matrix.steps import step_control

HEIGHT = 430


def draw(view: View, t: int) -> None:
    run = view.run
    low, high = run.range
    notes = words.cell_notes(view, t)
    limit = (high - low) / 2
    axes = view.axes(show_rows=False)
    given, filled, error = st.columns([1.16, 1, 1], gap="medium")
    with given:
        look.panel("Given", words.share(run.task))
        chart = rating_map(view.given, low, high, view.axes(), given=view.is_given, height=HEIGHT)
        look.figure(chart, "given", f"Heatmap of the given ratings: {words.share(run.task)}.")
        look.rating_legend(low, high)
    with filled:
        look.panel("Filled in", f"after {run.round} {t} of {run.T}")
        chart = rating_map(view.filled(t), low, high, axes, given=view.is_given, notes=notes, height=HEIGHT)
        alt = f"Heatmap of the given ratings and, elsewhere, of the estimates after {run.round} {t}."
        look.figure(chart, "filled", alt, step=t)
        look.cell_legend(view.window.dotted)
    with error:
        if run.hidden_errors is None:
            look.panel("Error on hidden cells")
            look.small(words.hidden_cells(run.task))
            return
        rmse = wording.rounded(run.hidden_errors.rmse[t])
        look.panel("Error on hidden cells", f"RMSE {rmse}")
        chart = signed_map(view.error(t), limit, axes, given=view.is_given, height=HEIGHT)
        look.figure(chart, "error", f"Heatmap of estimate minus true rating on the hidden cells; RMSE {rmse}.")
        look.signed_legend(limit, "too low", "too high")


view = open_page(
    "Most of the ratings are missing. What would they be?",
    "A network that learned on other people and other things proposes an answer, and a few steps adapt it to the "
    "ratings that are given here.",
)
task = view.run.task
look.finding(words.finding(view.run))
step_control(view, draw, picture="filled", play_at_start=view.window.dotted)
if view.run.hidden_errors is not None:
    errors = view.run.hidden_errors
    look.tiles(
        [
            ("RMSE on hidden cells", wording.rounded(errors.rmse[-1]), f"the model, after the last {view.run.round}"),
            ("MAE on hidden cells", wording.rounded(errors.mae[-1]), f"the model, after the last {view.run.round}"),
            ("RMSE of the mean", wording.rounded(task.mean_rmse), "guessing the mean of the given ratings"),
            words.coverage_tile(view.run),
        ]
    )
to_your_table.link(task.matrix)
uncertainty.draw(view)
look.small(f"{task.matrix.name}: {task.matrix.description}")
look.small(f"{words.hidden_cells(task)} All errors are in the units of the ratings.")
