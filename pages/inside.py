"""Inside: why the start matters, what it means to share no rows or columns, and what the layers compute."""

import streamlit as st

from metamf.webapp import address, frame, look
from metamf.webapp.inside import network, parts, race, symmetry, too_long
from metamf.webapp.matrix.page import open_page
from metamf.webapp.monitoring.fragments import fragment

SECTIONS = {
    "A race of starts": race.draw,
    "No shared rows or columns": symmetry.draw,
    "Inside the network": network.draw,
}
EXPERIMENT = address.control("experiment")

frame.ensure()
view = open_page(
    "Inside the model",
    "Three experiments on the ratings that are chosen at the side: another start, another order, and a look into the "
    "layers.",
    note_rule=False,
)
parts.style()
too_long.way_back()
section = st.segmented_control(
    "Section",
    list(SECTIONS),
    default=next(iter(SECTIONS)),
    required=True,
    **EXPERIMENT,
    wrap=True,
    label_visibility="collapsed",
)
with look.place("experiment", section):
    fragment(SECTIONS[section], "Inside")(view)
