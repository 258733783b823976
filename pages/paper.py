"""Paper: each table and figure of the paper, measured again, beside the printed numbers."""

import streamlit as st

from metamf.reproduction.findings import CLAIM
from metamf.webapp import frame, look
from metamf.webapp.paper.parts import contents, controls, meanings
from metamf.webapp.paper.sections import SECTIONS


@st.fragment
def chosen_sections() -> None:
    """Draws the switches and the open sections."""
    opened = contents(list(SECTIONS))
    choice = controls()
    for number in opened:
        with st.container():
            SECTIONS[number](choice)


frame.ensure()
look.hide_controls()
look.title(
    "The paper's tables, measured again",
    "All methods on the same tables, whose users and items none of them saw in training, beside the numbers printed in "
    "the paper.",
)
look.finding(CLAIM)
look.small(
    "The error is the mean squared error on the hidden ratings. A lead is how much smaller it is, in percent, with one "
    "standard error over the splits."
)
meanings()
chosen_sections()
