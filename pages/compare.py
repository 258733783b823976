"""Compare: the checkpoints and all other methods on the same hidden cells, the fast ones at once."""

import streamlit as st

from metamf.answer.methods import label_of
from metamf.checkpoints.bundled import checkpoint_title
from metamf.webapp import address, frame, look
from metamf.webapp.compare import page as compare
from metamf.webapp.explore import curve, words
from metamf.webapp.explore.choices import AppState, checkpoint_choices
from metamf.webapp.explore.comparison import ALONE, AT_FIRST, BASELINES
from metamf.webapp.explore.page import about_matrix, open_page

frame.ensure()
view = open_page("Who estimates best?", "Same ratings, same hidden cells for all.")
task = view.run.task
model = checkpoint_title(view.run.answer.method)
look.finding(view.finding(curve.over_draws(AppState.read(st.session_state))))
maps = st.container(key="compare-maps")  # the style sheet keeps its place until the answers are there
chosen = st.pills(
    "Other methods",
    BASELINES,
    selection_mode="multi",
    default=[key for key in BASELINES if key in AT_FIRST],
    format_func=label_of,
    help="Methods that are off by default can take several seconds",
    **address.control("methods"),
)
with st.container(key="compare-answer"):  # nor does it move while the table grows
    answer, count = st.empty(), st.empty()
with st.expander("What these methods do"):
    look.meanings({label_of(key): spec.explanation for key, spec in BASELINES.items()})
left_out = [key for key in chosen if not BASELINES[key].feasible(task.given)]
if left_out:
    labels = ", ".join(map(label_of, left_out))
    look.note(f"Left out, because they take too long on a table of this size: {labels}.")
for found, waiting in compare.contenders(view, [key for key in chosen if key not in left_out]):
    if waiting is not None:
        total = len(checkpoint_choices()) + len(chosen) - len(left_out)
        with count:
            look.small(f"{len(found)} of {total} methods are done. Computing {label_of(waiting)} …")
    if task.hidden.nnz:
        with answer.container():
            compare.draw_table(found, model, task.hidden, task.mean_rmse, words.unit(task.given.scale))
count.empty()
simple = [method.name for method in found if method.method in ALONE]
with maps:
    compare.draw_maps(view, found, [model, *dict.fromkeys([*simple[:1], label_of("mf")])])
if task.hidden.nnz:
    look.small("One table proves little. The results, linked at the foot of this page, are from thousands.")
about_matrix(view)
asked = {name: text for name, text in st.query_params.items() if name.startswith("mf")}
way = {"icon": ":material/biotech:", "query_params": {"experiment": "MF alone"} | asked}
st.page_link("pages/inside.py", label="Inside: matrix factorization alone, step by step", **way)
