"""Compare: the checkpoints and all other methods on the same hidden cells, the fast ones at once."""

from html import escape

import streamlit as st

from metamf.checkpoints.bundled import checkpoint_title
from metamf.evaluate.comparison import AT_FIRST, BASELINES
from metamf.webapp import address, frame, look
from metamf.webapp.compare import factorization, maps, table
from metamf.webapp.compare.contenders import contenders
from metamf.webapp.matrix import words
from metamf.webapp.matrix.choices import checkpoint_choices
from metamf.webapp.matrix.page import open_page

METHODS = address.control("methods", lambda key: BASELINES[key].label)

frame.ensure()
table.style()
view = open_page(
    "Is it worth it?",
    "The same ratings are given to every method, and the same cells are hidden from all of them.",
)
task, last = view.run.task, view.run.summaries[-1]
with st.container(key="compare-answer"):  # whose place is kept while it grows (until_then.css)
    answer, count = st.empty(), st.empty()
chosen = st.pills(
    "Other methods",
    list(BASELINES),
    selection_mode="multi",
    default=[key for key in AT_FIRST if key in BASELINES],
    format_func=lambda key: BASELINES[key].label,
    **METHODS,
    help="Those that are not chosen at first take seconds on some matrices",
)
with st.expander("What these methods do"):
    meanings = "".join(f"<dt>{escape(m.label)}</dt><dd>{escape(m.explanation)}</dd>" for m in BASELINES.values())
    st.html(f'<dl class="mf-meanings">{meanings}</dl>')
left_out = [key for key in chosen if not BASELINES[key].feasible(task.given)]
if left_out:
    labels = ", ".join(BASELINES[key].label for key in left_out)
    look.note(f"This matrix is too large for {labels} to answer here in a few seconds, so they are left out.")
for found, waiting in contenders(view, [key for key in chosen if key not in left_out]):
    if waiting is not None:
        total = len(checkpoint_choices()) + len(chosen) - len(left_out)
        with count:
            look.small(f"{len(found)} of {total} methods have answered; {BASELINES[waiting].label} is computing …")
    if last.n_hidden:
        with answer.container():
            if waiting is None:
                look.finding(words.winner(found, task.hidden))
            table.draw(found, task.hidden, task.mean_rmse)
count.empty()
if last.n_hidden:
    look.small("One small matrix decides little: the page Paper has the errors on hundreds of held-out blocks.")
look.small(words.hidden_cells(last))
model = checkpoint_title(view.run.imputation.checkpoint)
simple = next((method.name for method in found if method.simple), None)
maps.draw(view, found, [model, simple])
factorization.section(view)
