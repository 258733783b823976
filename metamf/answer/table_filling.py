"""How a table is filled in, by the command and by the page alike, and the command that repeats it.

One default for both: estimates keep to the limits of their column and are written with its digits;
a given number beyond the scale that a person stated is given to the method as the nearest end of
it, and written as it was read.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metamf.answer.answer import Answer
from metamf.answer.methods import Method
from metamf.ratings.matrix import Ratings


def fill_in(
    ratings: Ratings, how: Method, level: float | None = None, hold_out: float = 0.0, seed: int = 0
) -> Answer:
    """The estimates of all cells, with intervals of ``level`` where the method gives some, rounded
    to the steps of a known scale.

    ``hold_out`` is the share of the given cells that is hidden from the method, chosen by ``seed``.
    Raises ValueError where no given cell is left to learn from.
    """
    scale = ratings.scale
    hidden = np.zeros(ratings.nnz, dtype=bool)
    if hold_out:
        count = max(1, round(hold_out * ratings.nnz))
        if count >= ratings.nnz:
            raise ValueError(
                f"a share of {hold_out} of {ratings.nnz} given cells leaves none to estimate "
                "from: hide fewer"
            )
        hidden[np.random.default_rng(seed).permutation(ratings.nnz)[:count]] = True
    given = ratings.select(~hidden)
    if scale is not None:
        given = replace(given, values=scale.clip(given.values))
    answer = how.predict(given, level if how.gives_intervals else None)
    return replace(
        answer,
        ratings=ratings,
        seen=given,
        held_out=hidden,
        round_to_scale=scale is not None and scale.step is not None,
        method=how.label,
    )


def impute_command(
    name: str,
    edits: Sequence[str],
    how: Method,
    out: str = "filled.csv",
    hold_out: float = 0.0,
) -> str:
    """The ``metamf impute`` command that reads the file ``name`` by the plan with some ``edits``,
    fills it in by ``how``, and writes ``out``.

    Settings that a method chose on the table are not in the command: it chooses them again.
    """
    words = ["python", "-m", "metamf", "impute", _file(name)]
    words += [f"--column={edit}" for edit in edits]
    options: dict = {} if how.key == "universal" else {"model": how.key}
    options |= how.settings
    if hold_out:
        options["hold-out"] = f"{hold_out:g}"
    words += [
        f"--{option.replace('_', '-')}={value}"
        for option, value in options.items()
        if isinstance(value, str | int | float) and not isinstance(value, bool)
    ]
    return shlex.join([*words, "--out", _file(out)])


def _file(name: str) -> str:
    return f"./{name}" if name.startswith("-") else name
