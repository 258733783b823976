"""The page's state: one immutable object, read from the widgets, whose keys are also the names in the URL.

``AppState()`` is the state of a page that nobody has touched. Uploads and the grid's numbers stay out of the URL.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from metamf.tasks.task import Selection

UPLOAD, GRID = "Your own file", "Your own grid"
WHOLE = 100  # percent of the ratings
BLOCK = " block"  # follows the title of a data set
FILE = "file_"  # begins the keys of what is said about the reading of a file
LARGEST_STEPS = 40  # offered; chosen by hand
LARGEST_SWEEPS = 12  # offered; chosen by hand


@dataclass(frozen=True)
class AppState:
    """The choices of the visitor in the sidebar.

    Attributes
    ----------
    data : name of an example matrix, title of a data set with BLOCK behind it, UPLOAD or GRID
    block : which held-out block of the data set
    keep : percentage of the rated cells that the model is given
    by : how they are chosen
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
    def read(cls, session: Mapping[str, Any]) -> AppState:
        """The state that the widgets say; what has no widget on the page has its default."""
        values = {field.name: session.get(field.name) for field in fields(cls)}
        return cls(**{name: value for name, value in values.items() if value is not None})


DEFAULT = AppState()
