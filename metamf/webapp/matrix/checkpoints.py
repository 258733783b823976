"""The bundled checkpoints that a visitor can choose from."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from metamf.checkpoints import bundled
from metamf.tasks.run import takes_sweeps

_CAPTIONS = {
    "ml-1m": "The paper's model, trained on ratings of films.",
    "ml-100k": "The same model, trained on fewer of them.",
    "jester": "The same model, trained on ratings of jokes.",
    "universal": "The same idea carried further: any size, any scale, and it says how sure it is.",
}


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
    """The checkpoints by name, those of the paper's model first. Their folder is read again when it has changed."""
    folder = bundled.PRETRAINED
    return _read(folder, folder.stat().st_mtime_ns) if folder.is_dir() else {}


@lru_cache(maxsize=4)
def _read(folder: Path, changed: int) -> dict[str, CheckpointChoice]:
    names = sorted(bundled.list_pretrained(), key=lambda name: (*_CAPTIONS, name).index(name))
    return {
        name: CheckpointChoice(
            bundled.checkpoint_title(name), _CAPTIONS.get(name, "A checkpoint of your own."), takes_sweeps(name)
        )
        for name in names
    }
