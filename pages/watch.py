"""Watch: the prior, and the factors and their product after every sweep or step, on colour scales that stay fixed."""

import streamlit as st

from metamf.webapp import frame, look
from metamf.webapp.matrix import exports, what_if
from metamf.webapp.matrix.page import about_matrix, open_page

SWEEP = (
    r"\begin{pmatrix} u_n \\ a_n \end{pmatrix}^{\!(t+1)} \!\! = S_n \Big( \alpha_n \circ \begin{pmatrix} u_n \\ a_n"
    r" \end{pmatrix}^{\!(0)} \!\! + \textstyle\sum_m w_{nm} \, \mathrm{E}\big[ (x_{nm} - c_m)\, d_m \big] \Big),"
    r" \quad S_n^{-1} = \mathrm{diag}(\alpha_n) + \textstyle\sum_m w_{nm} \, \mathrm{E}\big[ d_m d_m^\top \big]"
)
SYMBOLS = (
    "uₙ are the factors of row n, aₙ is its effect, dₘ = (vₘ, 1), cₘ the effect of column m, and w the precision of a "
    "rating. The last two coordinates are the effect and 1 in U, 1 and the effect in V: so U Vᵀ adds both effects."
)

frame.ensure()
view = open_page(
    "Watch it adapt",
    "The network proposes factors U(0) and V(0). Step by step they move towards the given ratings, while the prior "
    "pulls them back to the proposal.",
    picture=True,
)
what_if.draw(view, "watch")
if view.replay()["round"] == "sweep":
    with st.expander("The formula of a sweep"):
        st.latex(SWEEP)
        look.small(SYMBOLS)
if why := view.low_rank():
    look.small(why)
about_matrix(view)
exports.to_take_away(view, "watch", view.finding())
st.page_link("pages/inside.py", icon=":material/biotech:", label="Inside: why a step can be too long")
