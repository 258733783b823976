"""Explore: what the model is given, what it estimates and how far off it is.

With the switch for details: the prior, and the factors and their product after every sweep or step,
on fixed colour scales.
"""

import math

import streamlit as st

from metamf.tables.limits import WEB
from metamf.webapp import frame, look, this_network
from metamf.webapp.choices import UPLOAD, AppState, is_public
from metamf.webapp.explore import below_maps, editable_player, exports
from metamf.webapp.run import curve, sentences
from metamf.webapp.run.comparison import trained_alike
from metamf.webapp.run.matrix_page import about_training, kept, open_page

SWEEP = (
    r"\begin{pmatrix} u_n \\ a_n \end{pmatrix}^{\!(t+1)} \!\! = S_n \Big( \alpha_n \circ "
    r"\begin{pmatrix} u_n \\ a_n"
    r" \end{pmatrix}^{\!(0)} \!\! + \textstyle\sum_m w_{nm} \, \mathrm{E}\big[ (x_{nm} - c_m)\, "
    r"d_m \big] \Big),"
    r" \quad S_n^{-1} = \mathrm{diag}(\alpha_n) + \textstyle\sum_m w_{nm} \, \mathrm{E}\big[ d_m "
    r"d_m^\top \big]"
)
SYMBOLS = (
    "uₙ are the factors of row n, aₙ is its effect, dₘ = (vₘ, 1), cₘ the effect of column m, and "
    "w the precision of a "
    "rating. The last two coordinates are the effect and 1 in U, 1 and the effect in V: so U Vᵀ "
    "adds both effects."
)

with frame.ensure():
    look.title("Who would like what?", "Iwata’s method (2021).")
view = open_page(picture=True)
factors = st.session_state.get("factors", False)
scene = "watch" if factors else "fill"
editable_player.draw_player(view, scene)
exports.save_menu(view, scene)
if view.run.prior_precision is not None:  # the paper's steps
    opened = st.expander(
        "The objective at each step, Eqs. (1) to (3)",
        key="objective_opened",
        expanded=factors,
        on_change="rerun",
    )
    if opened.open:
        with opened:
            below_maps.draw_objective(view.run)
state = AppState.read(st.session_state)
look.finding(view.finding(curve.over_draws(state)))
about_training(view)
rivals = sentences.rivals(trained_alike(view.run), sentences.unit(view.run.task.given.scale))
if rivals:
    look.small(rivals)
below_maps.draw_papers_setting()
below_maps.draw_ways_to_be_wrong(view)
if curve.measured(state) is not None:
    opened = st.expander(
        "The error at every share of the ratings", key="at_every_share", on_change="rerun"
    )
    if opened.open:  # with Plotly, which the first screen does without
        with opened:
            curve.draw_share_curves(state)
look.small(sentences.seen(view.run.task))
if factors and view.run.round == "sweep":
    with st.expander("The formula of a sweep"):
        st.latex(SWEEP)
        look.small(SYMBOLS)
if (factors or view.run.answer.step_rule == "nmf") and (why := view.low_rank()):
    look.small(why)
if unrated := sentences.rows_without_ratings(
    view.run.task.given, "people" if is_public(view.matrix) else "rows"
):
    look.small(unrated)
if view.key.features:
    look.small("The genre model replaces the model chosen at the left.")
look.small(sentences.hidden_cells(view.run.task))
this_network.draw_settings(view.run.method)
if not factors:
    if view.run.answer.level is None:
        look.small(sentences.NO_INTERVALS)
    elif intervals := kept(view, "strip", lambda: sentences.strip(view.run)):
        intervals.draw()
with st.container(horizontal=True):
    if state.data == UPLOAD and math.prod(view.matrix.ratings.shape) <= WEB.matrix:
        st.page_link(
            "pages/your_table.py",
            icon=":material/download:",
            label="Fill in every missing cell, with intervals, and download it: Your table",
        )
    st.page_link(
        "pages/inside.py", icon=":material/biotech:", label="Inside: why a step can be too long"
    )
