"""The first page: what the model is given, what it fills in, and how far that is from the hidden ratings."""

import numpy as np
import streamlit as st

from metamf.figures.maps import NAMED_CELLS, rating_map, signed_map
from metamf.tasks.view import View
from metamf.webapp import frame, look
from metamf.webapp.look import Picture
from metamf.webapp.matrix import to_your_table, uncertainty, words
from metamf.webapp.matrix.page import ShownView, lead, open_page
from metamf.webapp.matrix.steps import step_control
from metamf.wording import percent, rounded

HEIGHT = 430  # pixels


def draw(view: ShownView, t: int) -> None:
    """The three maps; called again for every step ``t``."""
    look.draw_in(st.columns([1.16, 1, 1], gap="medium"), view.once(("maps", t), lambda: maps(view, t)))


def maps(view: View, t: int) -> list[Picture]:
    """The maps of the given ratings, of the filled matrix after step ``t``, and of its errors."""
    found, (low, high), axes = view.run.summaries[t], view.run.range, view.axes(show_rows=False)
    share = words.share(found)
    given = Picture(
        "Given",
        share,
        rating_map(view.given, low, high, view.axes(), given=view.is_given, height=HEIGHT),
        "given",
        f"Heatmap of the given ratings: {share}.",
        look.rating_legend(low, high),
    )
    filled = Picture(
        "Filled in",
        f"after {found.round} {t} of {found.last_step}",
        rating_map(view.filled(t), low, high, axes, given=view.is_given, notes=notes(view, t), height=HEIGHT),
        "filled",
        f"Heatmap of the given ratings and, elsewhere, of the estimates after {found.round} {t}.",
        look.cell_legend(view.window.dotted),
        step=t,
    )
    if found.hidden_rmse is None:
        return [given, filled, Picture("Error on hidden cells", below=words.hidden_cells(found))]
    rmse, limit = rounded(found.hidden_rmse), (high - low) / 2
    error = Picture(
        "Error on hidden cells",
        f"RMSE {rmse}",
        signed_map(view.error(t), limit, axes, given=view.is_given, height=HEIGHT),
        "error",
        f"Heatmap of estimate minus true rating on the hidden cells; RMSE {rmse}.",
        look.signed_legend(limit, "too low", "too high"),
    )
    return [given, filled, error]


def notes(view: View, t: int) -> np.ndarray:
    """(n, m) a word on each cell for the text under the pointer; after the last sweep its interval, too."""
    words = np.where(view.is_given, "given", "estimated").astype(object)
    if view.ends is not None and t == view.run.T and words.size <= NAMED_CELLS:
        lower, upper = view.ends
        for n, m in zip(*np.nonzero(~view.is_given)):
            words[n, m] = (
                f"estimated<br>{percent(view.run.imputation.level)} interval: {lower[n, m]:.2f} to {upper[n, m]:.2f}"
            )
    return words


frame.ensure()
view = open_page(
    "Most of the ratings are missing. What would they be?",
    "A network that learned on other people and other things proposes an answer, and a few steps adapt it to the "
    "ratings that are given here.",
)
last, matrix = view.run.summaries[-1], view.run.task.matrix
finding, tiles, hidden, no_intervals = view.once(
    "sentences",
    lambda: (words.finding(last, lead(view)), words.tiles(last), words.hidden_cells(last), words.no_intervals(last)),
)
look.finding(finding)
step_control(view, draw, picture="filled")
if tiles:
    look.tiles(tiles)
to_your_table.link(matrix)
sureness = view.once("sureness", lambda: uncertainty.pictures(view))
if sureness:
    look.draw_in(st.columns([1, 1.6], gap="large"), sureness)
else:
    look.small(no_intervals)
look.small(f"{matrix.name}: {matrix.description}")
look.small(f"{hidden} All errors are in the units of the ratings.")
