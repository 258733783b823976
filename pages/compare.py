"""Compare: the checkpoints and all other methods on the same hidden cells, the fast ones at once."""

import streamlit as st

from metamf.checkpoints.bundled import checkpoint_title
from metamf.webapp import address, frame, look
from metamf.webapp.compare import page as compare
from metamf.webapp.explore.choices import checkpoint_choices
from metamf.webapp.explore.comparison import AT_FIRST, BASELINES
from metamf.webapp.explore.page import about_matrix, open_page

METHODS = address.control("methods", lambda key: BASELINES[key].label)

frame.ensure()
view = open_page("Is it worth it?", "All methods get the same ratings, and the same cells are hidden from them.")
task = view.run.task
with st.container(key="compare-answer"):  # the style sheet keeps its place while the table grows
    answer, count = st.empty(), st.empty()
chosen = st.pills(
    "Other methods",
    list(BASELINES),
    selection_mode="multi",
    default=[key for key in AT_FIRST if key in BASELINES],
    format_func=lambda key: BASELINES[key].label,
    help="The methods not chosen at first take seconds on some matrices",
    **METHODS,
)
with st.expander("What these methods do"):
    look.meanings({method.label: method.explanation for method in BASELINES.values()})
left_out = [key for key in chosen if not BASELINES[key].feasible(task.given)]
if left_out:
    labels = ", ".join(BASELINES[key].label for key in left_out)
    look.note(f"Left out, because they take too long on a matrix of this size: {labels}.")
for found, waiting in compare.contenders(view, [key for key in chosen if key not in left_out]):
    if waiting is not None:
        total = len(checkpoint_choices()) + len(chosen) - len(left_out)
        with count:
            look.small(f"{len(found)} of {total} methods are done. Computing {BASELINES[waiting].label} …")
    if task.hidden.nnz:
        with answer.container():
            if waiting is None:
                look.finding(compare.winner(found, task.hidden))
            compare.draw_table(found, task.hidden, task.mean_rmse)
count.empty()
model = checkpoint_title(view.run.answer.method)
simple = [method.name for method in found if method.simple]
compare.draw_maps(view, found, [model, *simple[:1]])
if task.hidden.nnz:
    look.small("One table proves little. The results, linked at the foot of this page, are from thousands.")
about_matrix(view)
asked = {name: text for name, text in st.query_params.items() if name.startswith("mf")}
way = {"icon": ":material/biotech:", "query_params": {"experiment": "MF alone"} | asked}
st.page_link("pages/inside.py", label="Inside: MF alone, step by step", **way)
