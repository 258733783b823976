"""Train: meta-training from random weights, watched while it runs; its checkpoint is used on the other pages."""

import streamlit as st

from metamf.webapp import frame, look
from metamf.webapp.train import controls, own, picture, result, words

REFRESH = 0.5  # seconds between two looks at a training that runs

frame.ensure()
look.hide_controls()
look.title(
    "Train it yourself",
    "Meta-training shows the network one small matrix after another: of each, an episode, it reads some ratings, the "
    "support, and is corrected by its error on the others, the query. So it learns where to start on a new matrix.",
)


def draw(was: tuple) -> None:
    """Draws the training as it is now; redraws the whole page where another set of controls is due."""
    job = own.latest()
    if controls_of(job) != was:
        st.rerun()
    if job is not None and not job.state.ended:
        controls.running(job)
    if job is not None:
        look.finding(words.finding(job))
        result.draw(job)
        picture.draw(job)


def controls_of(job) -> tuple:
    """What the page offers depends on this alone."""
    return (None, None) if job is None else (job.id, job.state)


job = own.latest()
moves = job is not None and not job.state.ended
if not moves:
    controls.start(again=job is not None)
st.fragment(draw, run_every=REFRESH if moves else None)(controls_of(job))
