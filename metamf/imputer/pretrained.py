"""The imputer of a bundled checkpoint, by the checkpoint's name."""

from __future__ import annotations

from typing import Any

from metamf.checkpoints.bundled import list_pretrained
from metamf.checkpoints.info import CheckpointError
from metamf.imputer.estimator import MetaMFImputer


def load_pretrained(name: str = "universal", **parameters: Any) -> MetaMFImputer:
    """The imputer of a bundled checkpoint.

    Parameters
    ----------
    name : str, default='universal'
        One of ``metamf.list_pretrained()``.
    **parameters
        Those of ``MetaMFImputer``.

    Raises
    ------
    CheckpointError
        If there is no bundled checkpoint of that name.
    """
    if name not in list_pretrained():
        raise CheckpointError(
            f"there is no pretrained checkpoint {name!r}; there are {', '.join(list_pretrained())}. "
            "MetaMFImputer(checkpoint=...) takes the path of a file of your own"
        )
    return MetaMFImputer(name, **parameters)
