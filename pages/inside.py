"""Inside: why the start matters, what it means to share no rows or columns, and what the
layers compute."""

import streamlit as st

from metamf.webapp import address, frame, look, this_network
from metamf.webapp.inside import network, race, symmetry
from metamf.webapp.run.matrix_page import open_page

SECTIONS = {
    race.TITLE: race.race_of_starts,
    "No shared rows or columns": symmetry.no_shared_rows,
    "Inside the network": network.layers,
}

frame.ensure()
view = open_page(
    "Inside the model", "Three experiments on the chosen ratings.", name_divergence=False
)
section = address.choose(
    "Section", list(SECTIONS), race.EXPERIMENT, wrap=True, label_visibility="collapsed"
)
with look.place("experiment", section):
    st.fragment(SECTIONS[section])(view)
this_network.draw_settings(view.run.method)
