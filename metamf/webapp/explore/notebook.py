"""A run as a Jupyter notebook that repeats it with the library: matrix, choices, steps, and a check
of the result.

The notebook holds the ratings and the estimates that were on the screen, and compares with them.
Its cells are in notebook.txt; after "if" stands what a cell is left out without. Names from outside
are Python strings in it, never Markdown or code. The format is nbformat 4.5.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path, PurePath
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np

from metamf.answer.division import Selection
from metamf.checkpoints.bundled import list_pretrained, one_unit
from metamf.version import __version__
from metamf.webapp.run.edits import Edits
from metamf.wording import slug

if TYPE_CHECKING:
    from metamf.webapp.run.measured_run import Run

LARGEST_WRITTEN = 40_000  # cells of a matrix that is written down number by number: some 500 kB


def notebook(run: Run, keep: float, selection: Selection, seed: int, edits: Edits = Edits()) -> str:
    """The notebook's text, JSON; ``keep``, ``selection`` and ``seed`` are those of ``divide``,
    before the ``edits``.

    Raises ``ValueError`` for a matrix of more than ``LARGEST_WRITTEN`` cells.
    """
    ratings = run.task.matrix.ratings
    if ratings.n_rows * ratings.n_cols > LARGEST_WRITTEN:
        raise ValueError(
            f"a matrix of {ratings.n_rows:,} x {ratings.n_cols:,} cells is too large for a notebook"
        )
    truth = run.task.matrix.truth
    features = ratings.col_features
    scale = ratings.scale
    low, high = run.range
    values = {
        "version": __version__,
        "name": repr(run.task.matrix.name),
        "rows": _names(ratings.row_labels),
        "cols": _names(ratings.col_labels),
        "scale": scale and f"RatingScale({scale.minimum!r}, {scale.maximum!r}, {scale.step!r})",
        "X": _matrix(ratings.to_dense()),
        "features": None if features is None else f"np.array({features.tolist()!r})",
        "truth": "" if truth is None else _truth(truth, ratings.to_dense()),
        "known": None if truth is None else "truth",
        "keep": repr(keep),
        "selection": repr(selection),
        "seed": repr(seed),
        "edits": repr([tuple(edit) for edit in edits.made]),
        "checkpoint": _checkpoint(run.method),
        "round": run.round,
        "T": run.T,
        "units": repr(one_unit(run.method, run.task.given)),
        "level": repr(run.answer.level),
        "eta": run.step_size and repr(float(run.step_size)),
        "lam": run.prior_precision and repr(float(run.prior_precision)),
        "safe": repr(run.answer.step_rule == "safe"),
        "shown": _matrix(run.answer.mean, ".6g"),
        "tolerance": f"{1e-4 * (high - low):.3g}",
    }
    by_hand = run.step_size is not None and run.answer.step_rule in ("paper", "safe")
    there = {"truth": truth is not None, "edits": bool(edits.made), "steps": by_hand, "": True}
    cells: list[dict[str, Any]] = []
    for part in Path(__file__).with_suffix(".txt").read_text("utf-8").split("# %% ")[1:]:
        kind, _, text = part.partition("\n")
        kind, _, needed = kind.partition(" if ")
        if there[needed]:
            cells.append(_cell(kind, Template(text.rstrip()).substitute(values), len(cells)))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return json.dumps(
        {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}, indent=1
    )


def _checkpoint(name: str) -> str:
    """A checkpoint as ``MetaMFImputer`` takes it."""
    if name in list_pretrained():
        return repr(name)
    file = f"{slug(PurePath(name).stem)}.safetensors"  # as the page Train offers it
    return f"{file!r}  # from Live training: download it, and put it next to this file"


def _names(labels: Iterable[Any] | None) -> str:
    return "None" if labels is None else repr([str(label) for label in labels])


def _matrix(X: np.ndarray, form: str = "") -> str:
    """A matrix as nested lists of Python, a line for each row, ``_`` where it is NaN."""

    def number(value: float) -> str:
        if np.isnan(value):
            return "_"
        return format(value, form) if form else repr(int(value) if value == int(value) else value)

    lines = (f"    [{', '.join(number(value) for value in row)}]," for row in X.tolist())
    return "[\n" + "\n".join(lines) + "\n]"


def _truth(truth: np.ndarray, X: np.ndarray) -> str:
    """The true ratings as Python: those of X where every one of them is rated."""
    if np.array_equal(truth, X):
        return "np.array(X, dtype=float)"
    return f"np.array({_matrix(truth)}, dtype=float)"


def _cell(kind: str, text: str, number: int) -> dict[str, Any]:
    cell = {
        "cell_type": kind,
        "id": f"cell-{number}",
        "metadata": {},
        "source": text.splitlines(keepends=True),
    }
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})
