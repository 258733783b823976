"""This network and the paper's, as pages show it: each setting next to the paper's value."""

from __future__ import annotations

from html import escape
from pathlib import Path

import streamlit as st

from metamf.checkpoints.bundled import checkpoint_title, open_checkpoint
from metamf.checkpoints.paper_comparison import Setting, compared_with_paper
from metamf.webapp import look

TITLE = "This network and the paper's"


def draw_settings(checkpoint: str | Path) -> None:
    """Draws the card of a checkpoint, folded."""
    network, info = open_checkpoint(checkpoint)
    settings = compared_with_paper(network, info)
    with st.expander(TITLE, icon=":material/compare_arrows:"):
        if not settings:
            look.small(
                f"{checkpoint_title(str(checkpoint))} is no network of the paper's: it extends it "
                "to any size and scale, takes exact sweeps instead of gradient steps, and gives an "
                "interval for each cell."
            )
            return
        look.small(sentence(settings))
        st.html(table(settings))


def sentence(settings: list[Setting]) -> str:
    """What differs, by name."""
    names = [setting.name for setting in settings if setting.differs]
    if not names:
        return "Every setting is the paper's."
    printed = [setting for setting in settings if setting.printed]
    return f"{len(names)} of the {len(printed)} settings that the paper prints differ, marked by ≠."


def table(settings: list[Setting]) -> str:
    """The card as HTML, all of it in sight."""
    rows = ""
    for setting in settings:
        here = f"≠ {setting.here}" if setting.differs else setting.here
        cells = "".join(f"<td>{escape(value)}</td>" for value in (here, setting.paper))
        rows += f'<tr><th scope="row">{escape(setting.name)}</th>{cells}</tr>'
    names = "".join(
        f'<th scope="col">{name}</th>' for name in ("Setting", "This network", "The paper's")
    )
    return (
        f'<table class="mf-table"><caption>{TITLE}.</caption><thead><tr>{names}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )
