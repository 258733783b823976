"""The picture of a training: its learning curve, and the held-out matrix that becomes clearer; drawn in the browser."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from metamf.webapp.jobs.job import Shown
from metamf.webapp.player import bundle


def payload(job: Shown) -> dict[str, Any] | None:
    """What the component draws, as JSON values; None before there is anything."""
    if not job.rows or "filled" not in job.now:
        return None
    facts, rows = job.facts, job.rows
    return {
        "curve": {
            "update": [row["update"] for row in rows],
            "error": [row["error"] for row in rows],
            "loss": [row["loss"] for row in rows],
            "rate": [row["rate"] for row in rows],
            "lines": [
                {"name": "support mean, the mean of the given ratings", "error": facts["mean"]},
                *([{"name": f"bundled {facts['bundled']['title']}", **_error(facts)}] if facts["bundled"] else []),
            ],
        },
        "matrix": facts["matrix"] | {"filled": job.result.get("filled", job.now["filled"])},
    }


def _error(facts: dict[str, Any]) -> dict[str, float]:
    return {"error": facts["bundled"]["error"]}


def draw(job: Shown, key: str = "training") -> None:
    """Draws the picture, or nothing yet; a later call draws what has changed."""
    if (data := payload(job)) is not None:
        _component()(key=key, data=data)


@cache
def _component() -> Callable[..., Any]:
    style = Path(__file__).with_name("training.css").read_text("utf-8")
    return st.components.v2.component("metamf_training", css=style, js=bundle.join(bundle.FOLDER / "js", "training.js"))
