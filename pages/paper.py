"""Paper: each table and figure of the paper, measured again beside what it prints."""

import streamlit as st

from metamf.webapp import frame, look
from metamf.webapp.paper.parts import contents, controls, style
from metamf.webapp.paper.sections import SECTIONS

frame.ensure()
style()
look.title(
    "The paper's tables, measured again",
    "Every method on the same blocks of users and items that none of them has seen: ours beside the number that the "
    "paper prints, and where the method wins, by how much, and where it does not.",
)
contents()
choice = controls()
for section in SECTIONS:
    with st.container():
        section(choice)
