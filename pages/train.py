"""Train: meta-training from random weights, watched while it runs; its checkpoint is used on the other pages."""

import streamlit as st

from metamf.webapp import frame, look
from metamf.webapp.teach.train import page, trainings

frame.ensure()
look.hide_controls()
look.title(
    "Train it yourself",
    "Exercise by exercise, a network estimates ratings held back and is corrected. Soon it knows where to start on a "
    "matrix that it has never seen.",
)


def state():
    """What the page's controls depend on."""
    training = trainings.latest()
    return (None, None) if training is None else (training.job.id, training.job.state)


def draw(was):
    """Draws the training as it is now; redraws the whole page where other controls are due."""
    if state() != was:
        st.rerun()
    page.draw(trainings.latest())


training = trainings.latest()
runs = training is not None and not training.job.ended
if not runs:
    page.start(again=training is not None)
st.fragment(draw, run_every=page.REFRESH if runs else None)(state())
