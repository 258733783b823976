"""Inside: why the start matters, what it means to share no rows or columns, what the layers compute, and MF alone."""

import streamlit as st

from metamf.webapp import address, frame, look
from metamf.webapp.explore.page import open_page
from metamf.webapp.inside import alone, network, race, symmetry

SECTIONS = {
    "A race of starts": race.draw,
    "No shared rows or columns": symmetry.draw,
    "Inside the network": network.draw,
    "MF alone": alone.draw,
}

frame.ensure()
view = open_page("Inside the model", "Four experiments on the chosen ratings.", name_divergence=False)
race.way_back()
section = address.choose("Section", list(SECTIONS), "experiment", wrap=True, label_visibility="collapsed")
with look.place("experiment", section):
    st.fragment(SECTIONS[section])(view)
