"""The button that saves the run as a page that plays by itself, without network and without this app."""

from __future__ import annotations

import re

import streamlit as st

from metamf.tasks.replay import replay
from metamf.webapp.matrix.page import ShownView
from metamf.webapp.player import standalone
from metamf.webapp.player.component import Scene


def button(view: ShownView, scene: Scene, sentence: str) -> None:
    """Draws the button; the file, with ``sentence`` above its picture, is made when it is pressed."""
    data = view.once("replay", lambda: replay(view))
    st.download_button(
        "Take this run away",
        lambda: standalone.page(data, scene, sentence).encode(),
        file_name(view),
        "text/html",
        key="take_away",
        on_click="ignore",
        icon=":material/download:",
        type="tertiary",
        help="A page of its own: every step, offline, in any browser",
    )


def file_name(view: ShownView) -> str:
    """'film-club-ml-1m.html'"""
    run = view.run
    name = re.sub(r"[^a-z0-9]+", "-", f"{run.task.matrix.name} {run.imputation.checkpoint}".lower()).strip("-")
    return f"{name[:80] or 'run'}.html"
