"""The checkpoints that a visitor can choose from: the bundled ones, and those that were trained in this visit."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from metamf.checkpoints import bundled
from metamf.webapp.train import own as own_trainings

_CAPTIONS = {
    "ml-1m": "The paper's model, trained on ratings of films.",
    "ml-100k": "The same model, trained on fewer of them.",
    "jester": "The same model, trained on ratings of jokes.",
    "universal": "The same idea carried further: any size, any scale, and it says how sure it is.",
}
_OWN = "The paper's model, trained by you on the page Train. It is gone when you leave."


class CheckpointChoice(NamedTuple):
    """A checkpoint as it is offered to the visitor.

    Attributes
    ----------
    title, caption : its name, and a sentence on it
    takes_sweeps : whether it adapts by sweeps, rather than by the paper's MAP steps
    """

    title: str
    caption: str
    takes_sweeps: bool


def checkpoint_choices() -> dict[str, CheckpointChoice]:
    """The checkpoints by name, or by path where the visitor trained them; those of the paper's model first.

    The folder of the bundled ones is read again when it has changed.
    """
    folder = bundled.PRETRAINED
    found = _read(folder, folder.stat().st_mtime_ns) if folder.is_dir() else {}
    if own_trainings.STARTED not in st.session_state:
        return found
    return found | {
        str(path): CheckpointChoice(bundled.checkpoint_title(str(path)), _OWN, takes_sweeps=False)
        for path in own_trainings.checkpoints()
    }


@lru_cache(maxsize=4)
def _read(folder: Path, changed: int) -> dict[str, CheckpointChoice]:
    names = sorted(bundled.list_pretrained(), key=lambda name: (*_CAPTIONS, name).index(name))
    return {
        name: CheckpointChoice(
            bundled.checkpoint_title(name), _CAPTIONS.get(name, "A checkpoint of your own."), bundled.takes_sweeps(name)
        )
        for name in names
    }
