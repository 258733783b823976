"""Compare: the model and three other methods on the same hidden cells, or all methods."""

import streamlit as st

from metamf.answer.methods import label_of
from metamf.checkpoints.bundled import checkpoint_title
from metamf.webapp import address, frame, look
from metamf.webapp.choices import AppState
from metamf.webapp.compare import contenders
from metamf.webapp.run import curve, sentences
from metamf.webapp.run.comparison import BASELINES, TABLE_1
from metamf.webapp.run.matrix_page import about_training, open_page

frame.ensure()
view = open_page("Who estimates best?", "Same ratings, same hidden cells for all.")
task = view.run.task
model = checkpoint_title(view.run.answer.method)
headline = st.empty()
about_training(view)
above = st.container()
help = "Some of them take several seconds"
with st.container(horizontal=True):
    every = st.toggle("All methods", help=help, **address.control("all"))
    table_1 = st.toggle("The paper's Table 1", help=help, **address.control("table1"))
# the style sheet keeps the places of maps and table until the answers are there
with st.container(key="compare-answer"):
    answer = st.empty()
    count = st.empty()
below = st.container()
maps = (below if every or table_1 else above).container(key="compare-maps")  # ten maps are long
unit = sentences.unit(task.given.scale)
papers = table_1 and not every and task.hidden.nnz > 0
label = contenders.papers_name(view.run) if papers else ""
if not papers:
    with headline:
        look.finding(view.finding(curve.over_draws(AppState.read(st.session_state))))
asked = BASELINES if every else TABLE_1 if table_1 else ()
left_out = [key for key in asked if not BASELINES[key].feasible(task.given)]
if left_out:
    labels = ", ".join(map(label_of, left_out))
    look.note(f"Left out, because they take too long on a table of this size: {labels}.")
for found, waiting in contenders.contenders(view, every, table_1):
    if waiting is not None:
        with count:
            look.small(f"{len(found)} methods are done. Computing {label_of(waiting)} …")
    if task.hidden.nnz:
        with answer.container():
            contenders.draw_table(found, model, task.hidden, task.mean_rmse, unit, label)
    if papers:
        with headline:
            look.finding(contenders.finding(found, model, task.hidden, unit))
count.empty()
if not (every or table_1):
    shown = [view.run.method, *contenders.first_methods(view)[:2]]
    found = [run for run in found if run.method in shown]
with maps:
    contenders.draw_maps(view, sorted(found, key=lambda run: run.name != model))
if task.hidden.nnz:
    look.small(
        "One table proves little. The results, linked at the foot of this page, are from thousands."
    )
look.small(sentences.hidden_cells(task))
