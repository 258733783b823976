"""The ways away with a run.

A run is saved as a page that plays by itself, as a notebook that repeats it with the library, or as
a table of its estimates.
"""

from __future__ import annotations

import json
import math
from functools import partial
from typing import Any

import streamlit as st

from metamf.webapp import files
from metamf.webapp.explore.demo import EXAMPLE
from metamf.webapp.explore.editable_player import live_data, sent_of
from metamf.webapp.explore.notebook import LARGEST_WRITTEN, notebook
from metamf.webapp.player.component import Scene, saved_page
from metamf.webapp.run.matrix_page import View, edited_task
from metamf.wording import slug

_PLAIN: dict[str, Any] = {"type": "tertiary", "width": "stretch"}


def save_menu(view: View, scene: Scene) -> None:
    """Draws the menu of all that can be saved; each file is made when it is asked for."""
    data = view.replay
    stem = slug(f"{view.matrix.name} {data['model']['name']}")[:80] or "run"
    title = f"{data['matrix']['name']}, {data['model']['title']}"
    sent = sent_of(view) if scene == "fill" else None
    limit = f"up to {LARGEST_WRITTEN:,} cells"
    shut = math.prod(view.matrix.ratings.shape) > LARGEST_WRITTEN

    def page() -> bytes:
        return saved_page(data, scene, title, view.finding()).encode()

    def class_page() -> bytes:
        assert sent is not None
        live = live_data(view, sent)
        weights = json.loads(sent.text)
        own = {"example": EXAMPLE}
        return saved_page(data, scene, title, "", live=live, weights=weights, own=own).encode()

    with st.popover("Save", icon=":material/download:", key="save"):
        if sent is not None:
            files.offer(
                "A page for your class",
                class_page,
                f"{stem}-class.html",
                key="take_away_class",
                help="The same maps, alive: what is given, edits, other nights, and ratings of "
                "one's own, offline, on any phone",
                **_PLAIN,
            )
        files.offer(
            "This run as a page",
            page,
            f"{stem}.html",
            key="take_away",
            help="A page of its own: every step, offline, in any browser",
            **_PLAIN,
        )
        files.offer(
            "This run as a notebook",
            partial(as_notebook, view),
            f"{stem}.ipynb",
            key="take_away_notebook",
            help="For Jupyter: the ratings and a few lines of Python that find the same estimates "
            f"again, {limit}",
            disabled=shut,
            **_PLAIN,
        )
        files.offer(
            "The estimates as a table",
            partial(as_table, view),
            f"{stem}.csv",
            key="take_away_table",
            help="CSV: the given ratings, and the estimates after the last step everywhere else, "
            f"{limit}",
            disabled=shut,
            **_PLAIN,
        )


def as_table(view: View) -> bytes:
    """The given ratings of a view, and the estimates of its run elsewhere, as CSV."""
    from metamf.tables import write  # with pandas, which a page without a file does without

    return write.to_csv_wide(view.run.task.given, view.run.answer)


def as_notebook(view: View) -> bytes:
    """The run of a view as a notebook."""
    key = view.key
    _, edits = edited_task(key, view.matrix)
    return notebook(view.run, key.keep / 100, key.by, key.seed, edits).encode()
