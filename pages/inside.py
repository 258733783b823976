"""Inside: why the start matters, what it means to share no rows or columns, and what the layers compute."""

import streamlit as st

from metamf.webapp import frame
from metamf.webapp.inside import address, network, parts, race, symmetry, too_long
from metamf.webapp.matrix.page import open_page

SECTIONS = {
    "A race of starts": race.draw,
    "No shared rows or columns": symmetry.draw,
    "Inside the network": network.draw,
}

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
    key="experiment",
    bind="query-params",
    wrap=True,
    label_visibility="collapsed",
)
place = st.container()  # above the section, whose controls say what is shown
st.fragment(SECTIONS[section])(view)
with place:
    address.note()
