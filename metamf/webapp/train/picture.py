"""The picture of a training: its learning curve, and the held-out matrix that becomes clearer; drawn in the browser.

Before a training there is that of random weights, which all visitors share.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import streamlit as st

from metamf.webapp.jobs.job import Shown
from metamf.webapp.look import LECTURE
from metamf.webapp.player.bundle import Component

NAME = "metamf_training"


def of_job(job: Shown) -> dict[str, Any]:
    """The data of the component for a training, as JSON values; its random weights if it has said nothing yet."""
    if not job.rows or "filled" not in job.now:
        return of_random_weights(job.arguments["data"], job.arguments["seed"])
    return _payload(job.facts, job.rows, job.result.get("filled", job.now["filled"]), job.result.get("kept"))


def of_random_weights(data: str, seed: int) -> dict[str, Any]:
    """The data of the component before the first update; see ``untrained`` for what it raises."""
    found = untrained(data, seed)
    return _payload(found["facts"], [found["row"]], found["now"]["filled"], None)


@st.cache_resource(max_entries=20, show_spinner="Asking a network that has learned nothing yet …")
def untrained(data: str, seed: int) -> dict[str, Any]:
    """The result of ``task.untrained``, once for all visitors.

    Raises
    ------
    RefusedError
        If the data are not there, or damaged.
    """
    from metamf.webapp.train import task  # with torch

    return task.untrained(data, seed)


def _payload(facts: dict[str, Any], rows: Sequence[dict[str, Any]], filled: list, kept: int | None) -> dict[str, Any]:
    bundled = facts["bundled"]
    return {
        "curve": {
            **{name: [row[name] for row in rows] for name in ("update", "error", "loss", "rate")},
            "lines": [
                {"name": "support mean, the mean of the given ratings", "error": facts["mean"]},
                *([{"name": f"bundled {bundled['title']}", "error": bundled["error"]}] if bundled else []),
            ],
            "kept": kept,
        },
        "matrix": facts["matrix"] | {"filled": filled},
        "trail": [row["trail"] for row in rows],
    }


def draw(data: dict[str, Any], key: str = "training") -> None:
    """Draws the picture; a later call draws what has changed."""
    _component()(key=key, data=data | {"lecture": bool(st.session_state.get(LECTURE))})


@cache
def _component() -> Component:
    return Component(NAME, "training")
