"""Compare: the bundled checkpoints and all other methods on the same hidden cells, the fast ones at once."""

import streamlit as st

import metamf
from metamf import wording
from metamf.figures.maps import rating_map
from metamf.tasks.comparison import AT_FIRST, BASELINES, feasible
from metamf.webapp import look
from metamf.webapp.matrix import words
from metamf.webapp.matrix.page import contenders, open_page

HEIGHT = 300

view = open_page(
    "Is it worth it?",
    "The same ratings are given to every method, and the same cells are hidden from all of them.",
)
task = view.run.task
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
    look.note(f"This matrix is too large for {labels} to answer here in a few seconds: left out.")
count, answer = st.empty(), st.empty()
for found, waiting in contenders(view, [key for key in chosen if key not in left_out]):
    if waiting is not None:
        total = len(metamf.list_pretrained()) + len(chosen) - len(left_out)
        with count:
            look.small(f"{len(found)} of {total} methods have answered; {BASELINES[waiting].label} is computing …")
    if task.hidden.nnz:
        with answer.container():
            if waiting is None and not found[0].meta_learned:
                look.note(words.wins_without_other_matrices(found[0].name, found[0].network), "warning")
            look.contenders_table(found)
count.empty()
if task.hidden.nnz:
    look.small("One small matrix decides little: the page Paper has the errors on hundreds of held-out blocks.")
look.small(words.hidden_cells(task))
low, high = view.run.range
look.rating_legend(low, high, view.window.dotted)
panels = [("Truth", "where it is known", view.known)] if task.hidden.nnz else []
panels += [(c.name, "" if c.rmse is None else f"RMSE {wording.rounded(c.rmse)}", c.estimate(view)) for c in found]
axes = view.axes(show_cols=False)
for i, (name, detail, X) in enumerate(panels):
    if i % 3 == 0:  # a new row, so that a phone, which puts columns below each other, keeps the order
        columns = st.columns(3, gap="medium")
    with columns[i % 3]:
        look.panel(name, detail)
        chart = rating_map(X, low, high, axes, given=view.is_given, height=HEIGHT)
        look.figure(chart, f"method-{i}", f"Heatmap of the ratings as filled in by {name}.")
