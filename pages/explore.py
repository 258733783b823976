"""Explore: what the model is given, what it estimates and how far off it is.

With the switch for details: the prior, and the factors and their product after every sweep or step, on fixed colour
scales.
"""

import streamlit as st

from metamf.webapp import frame, look
from metamf.webapp.explore import curve, exports, what_if, words, wrong
from metamf.webapp.explore.choices import AppState, is_public
from metamf.webapp.explore.page import about_matrix, open_page

SWEEP = (
    r"\begin{pmatrix} u_n \\ a_n \end{pmatrix}^{\!(t+1)} \!\! = S_n \Big( \alpha_n \circ \begin{pmatrix} u_n \\ a_n"
    r" \end{pmatrix}^{\!(0)} \!\! + \textstyle\sum_m w_{nm} \, \mathrm{E}\big[ (x_{nm} - c_m)\, d_m \big] \Big),"
    r" \quad S_n^{-1} = \mathrm{diag}(\alpha_n) + \textstyle\sum_m w_{nm} \, \mathrm{E}\big[ d_m d_m^\top \big]"
)
SYMBOLS = (
    "uₙ are the factors of row n, aₙ is its effect, dₘ = (vₘ, 1), cₘ the effect of column m, and w the precision of a "
    "rating. The last two coordinates are the effect and 1 in U, 1 and the effect in V: so U Vᵀ adds both effects."
)

head = frame.ensure()
with head.words:
    look.title("Can ratings of strangers fill this table?")
    finding = st.container()
view = open_page(picture=True)
with finding:
    view.say(lambda: look.finding(view.finding(curve.over_draws(AppState.read(st.session_state)))))
    view.say(lambda: wrong.draw(view))
with head.sees:
    look.small(words.seen(view.run.task))
factors = st.session_state.get("factors", False)
scene = "watch" if factors else "fill"
with head.tools:
    exports.save_menu(view, scene)
what_if.draw(view, scene)
if factors and view.replay()["round"] == "sweep":
    with st.expander("The formula of a sweep"):
        st.latex(SWEEP)
        look.small(SYMBOLS)
if (factors or view.replay()["model"]["kind"] == "nmf") and (why := view.low_rank()):
    look.small(why)
if unrated := words.rows_without_ratings(view.run.task.given, "people" if is_public(view.matrix) else "rows"):
    look.small(unrated)
if view.key.told:
    look.small("The genre model replaces the model chosen at the left.")
about_matrix(view)
if not factors:
    if view.run.answer.level is None:
        look.small(words.NO_INTERVALS)
    elif intervals := view.once("strip", lambda: words.strip(view.run)):
        intervals.draw()
with st.container(horizontal=True):
    exports.to_your_table(view.matrix)
    if view.run.task.hidden.nnz:
        exports.to_ten_cells()
    st.page_link("pages/inside.py", icon=":material/biotech:", label="Inside: why a step can be too long")
