"""The choices in the sidebar: what a visitor made of them, and which checkpoints there are to choose from.

``AppState`` is read from the widgets, whose keys are also the names in the address; ``AppState()`` is the state of a
page that nobody has touched. Uploads and the grid's numbers are not part of it. The checkpoints are the bundled ones
and those that were trained in this visit.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from metamf.checkpoints import bundled
from metamf.checkpoints.info import CheckpointError
from metamf.evaluate.task import Selection
from metamf.webapp.train import trainings

UPLOAD, GRID = "Your own file", "Your own grid"
WHOLE = 100  # percent of the ratings
BLOCK = " block"  # follows the title of a data set
EDIT_DESK = "edit_desk"  # key of the session: the ratings that the visitor edited
FILE = "file_"  # begins the keys of what is said about the reading of a file
LARGEST_STEPS = 40  # offered
LARGEST_SWEEPS = 12  # offered

_CAPTIONS = {
    "ml-1m": "The paper's model, trained on ratings of films.",
    "ml-100k": "The same model, trained on fewer of them.",
    "jester": "The same model, trained on ratings of jokes.",
    "universal": "The same idea carried further: any size, any scale, and it says how sure it is.",
}
_OWN = "The paper's model, trained by you on the page Train. It is gone when you leave."


@dataclass(frozen=True)
class AppState:
    """The choices of the visitor in the sidebar.

    Attributes
    ----------
    data : name of an example matrix, title of a data set with BLOCK behind it, UPLOAD or GRID
    block : number of the held-out block of the data set
    keep : percentage of the rated cells that the model is given
    by : way in which they are chosen
    seed : seed of that choice
    model : name of a bundled checkpoint, or path of one that the visitor trained
    sweeps, steps : number T of sweeps of the universal checkpoint, of MAP steps of the paper's model
    top, left : first row and column shown of a matrix that is too large to be drawn whole, counted from 1
    """

    data: str = "Film club"
    block: int = 1
    keep: int = 50
    by: Selection = "at random"
    seed: int = 1
    model: str = "ml-1m"
    sweeps: int = 4
    steps: int = 10
    top: int = 1
    left: int = 1

    @classmethod
    def read(cls, session: Mapping[Any, Any]) -> AppState:
        """The state that the widgets say; what has no widget on the page has its default."""
        values = {field.name: session.get(field.name) for field in fields(cls)}
        return cls(**{name: value for name, value in values.items() if value is not None})


DEFAULT = AppState()


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

    The folder of the bundled ones is read again when it has changed; a file in it that is not a checkpoint, or not a
    whole one, is left out.
    """
    folder = bundled.PRETRAINED
    found = _read(folder, folder.stat().st_mtime_ns) if folder.is_dir() else {}
    return found | {
        str(path): CheckpointChoice(bundled.checkpoint_title(str(path)), _OWN, takes_sweeps=False)
        for path in trainings.checkpoints()
    }


@lru_cache(maxsize=4)
def _read(folder: Path, changed: int) -> dict[str, CheckpointChoice]:
    found = {}
    for name in sorted(bundled.list_pretrained(), key=lambda name: (*_CAPTIONS, name).index(name)):
        try:
            takes_sweeps = bundled.takes_sweeps(name)
        except (CheckpointError, OSError) as error:  # damaged, or gone since the folder was listed
            logging.getLogger("metamf.webapp").warning("%s is left out: %s", name, error)
        else:
            caption = _CAPTIONS.get(name, "A checkpoint of your own.")
            found[name] = CheckpointChoice(bundled.checkpoint_title(name), caption, takes_sweeps)
    return found
