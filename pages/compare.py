"""Compare: the bundled checkpoints and all other methods on the same hidden cells, the fast ones at once."""

from collections.abc import Callable
from functools import partial

import numpy as np
import streamlit as st

import metamf
from metamf.figures.maps import rating_map
from metamf.tasks.comparison import AT_FIRST, BASELINES, feasible
from metamf.webapp import frame, look
from metamf.webapp.look import Picture
from metamf.webapp.matrix import words
from metamf.webapp.matrix.page import contenders, open_page
from metamf.wording import rounded

HEIGHT = 300  # pixels

frame.ensure()
view = open_page(
    "Is it worth it?",
    "The same ratings are given to every method, and the same cells are hidden from all of them.",
)
task, last = view.run.task, view.run.summaries[-1]
chosen = st.pills(
    "Other methods",
    list(BASELINES),
    selection_mode="multi",
    default=AT_FIRST,
    key="methods",
    bind="query-params",
    format_func=lambda key: BASELINES[key].label,
)
left_out = [key for key in chosen if not feasible(key, task)]
if left_out:
    labels = ", ".join(BASELINES[key].label for key in left_out)
    look.note(f"This matrix is too large for {labels} to answer here in a few seconds, so they are left out.")
count, answer = st.empty(), st.empty()
for found, waiting in contenders(view, [key for key in chosen if key not in left_out]):
    if waiting is not None:
        total = len(metamf.list_pretrained()) + len(chosen) - len(left_out)
        with count:
            look.small(f"{len(found)} of {total} methods have answered; {BASELINES[waiting].label} is computing …")
    if last.n_hidden:
        with answer.container():
            if waiting is None and not found[0].meta_learned:
                look.note(words.wins_without_other_matrices(found[0].name, found[0].network), "warning")
            look.contenders_table(found)
count.empty()
if last.n_hidden:
    look.small("One small matrix decides little: the page Paper has the errors on hundreds of held-out blocks.")
look.small(words.hidden_cells(last))
low, high = view.run.range
st.html(look.rating_legend(low, high, view.window.dotted))


def picture(name: str, detail: str, estimates: Callable[[], np.ndarray]) -> Picture:
    def make() -> Picture:
        chart = rating_map(estimates(), low, high, view.axes(show_cols=False), given=view.is_given, height=HEIGHT)
        return Picture(name, detail, chart, f"method-{name}", f"Heatmap of the ratings as filled in by {name}.")

    return view.once(("method", name), make)


pictures = [picture("Truth", "where it is known", lambda: view.known)] if last.n_hidden else []
for contender in found:
    error = "" if contender.rmse is None else f"RMSE {rounded(contender.rmse)}"
    pictures.append(picture(contender.name, error, partial(contender.estimate, view)))
for i in range(
    0, len(pictures), 3
):  # row by row, so that a phone, which puts columns below each other, keeps the order
    look.draw_in(st.columns(3, gap="medium"), pictures[i : i + 3])
