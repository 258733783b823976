"""Train: meta-training from random weights, watched while it runs; its checkpoint is used on the other pages."""

import streamlit as st

from metamf.webapp import frame, look
from metamf.webapp.jobs.task import RefusedError
from metamf.webapp.monitoring.fragments import fragment
from metamf.webapp.shared_pool import REFRESH
from metamf.webapp.train import controls, own, picture, result, words

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
    try:
        if job is None:
            data, seed = controls.chosen()
            found = picture.untrained(data, seed)
            look.finding(words.before(found["facts"], found["row"]))
            picture.draw(picture.of_random_weights(data, seed))
            return
        if not job.state.ended:
            controls.running(job)
        look.finding(words.finding(job, own.places()))
        result.draw(job)
        picture.draw(picture.of_job(job))
    except RefusedError as error:  # of a training that has failed the same was said already
        if job is None:
            look.note(str(error), "warning")


def controls_of(job) -> tuple:
    """The two things that the page's offers depend on."""
    return (None, None) if job is None else (job.id, job.state)


job = own.latest()
moves = job is not None and not job.state.ended
if not moves:
    controls.start(again=job is not None)
fragment(draw, "Train", REFRESH if moves else None)(controls_of(job))
