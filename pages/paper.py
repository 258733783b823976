"""Paper: each table and figure of the paper, measured again beside what it prints."""

import streamlit as st

from metamf.reproduction import findings
from metamf.reproduction.numbers import Measure
from metamf.webapp import frame, look
from metamf.webapp.monitoring.fragments import fragment
from metamf.webapp.paper.parts import contents, controls, found_in, meanings, style
from metamf.webapp.paper.sections import SECTIONS


def chosen_sections() -> None:
    """The switches and the sections that are open: a switch redraws these and nothing else."""
    opened = contents()
    choice = controls()
    for number in opened:
        with st.container():
            SECTIONS[number](choice)


frame.ensure()
style()
look.title(
    "The paper's tables, measured again",
    "Every method on the same tables of users and items that none of them has seen, beside the number that the paper "
    "prints.",
)
look.finding(found_in("table1", findings.claim, Measure()))
look.small(
    "The error is the mean squared error on ratings that were hidden; a lead is the share by which it is smaller, with "
    "one standard error over the splits."
)
meanings()
fragment(chosen_sections, "Paper")()
