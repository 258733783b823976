"""Paper: each table and figure of the paper, measured again, beside the printed numbers."""

import streamlit as st

from metamf.webapp import frame, look, paper

frame.ensure()
look.hide_controls()
look.title(
    "The paper's tables, measured again",
    "All methods on the same tables, whose users and items none of them saw in training, beside the numbers printed in "
    "the paper.",
)
look.finding(paper.CLAIM)
look.small(
    "The error is the mean squared error on the hidden ratings. A lead is how much smaller it is, in percent, with one "
    "standard error over the splits."
)
paper.meanings()
st.fragment(paper.draw)()
