"""A run as a Jupyter notebook that repeats it with the library: matrix, choices, steps, and a check of the result.

The notebook holds the ratings and the estimates that were on the screen, and compares with them. Names from outside
are Python strings in it, never Markdown or code. The format is nbformat 4.5.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from metamf.answer.division import Selection
from metamf.answer.unit_selection import one_unit
from metamf.checkpoints.bundled import list_pretrained
from metamf.version import __version__
from metamf.webapp.explore.edits import Edits
from metamf.wording import slug

if TYPE_CHECKING:
    from metamf.webapp.explore.run import Run

LARGEST_WRITTEN = 40_000  # cells of a matrix that is written down number by number: some 500 kB
_STEPS = """\
U, V = path.U[0].astype(float), path.V[0].astype(float)  # the prior means U(0), V(0), which the network proposes
x = np.full(task.given.shape, np.nan)
x[task.given.rows, task.given.cols] = path.standardization.apply(task.given.values)
for t in range(T):
    E = np.where(np.isnan(x), 0, U @ V.T - x)  # residuals on the given cells
    U, V = U - eta * (E @ V + lam * (U - path.U[0])), V - eta * (E.T @ U + lam * (V - path.V[0]))
print("largest difference to the library's factors:", max(np.abs(U - path.U[T]).max(), np.abs(V - path.V[T]).max()))
assert np.allclose(U, path.U[T], atol=1e-3) and np.allclose(V, path.V[T], atol=1e-3)"""


def notebook(run: Run, keep: float, selection: Selection, seed: int, edits: Edits = Edits()) -> str:
    """The notebook's text, JSON; ``keep``, ``selection`` and ``seed`` are those of ``divide``, before the ``edits``.

    Raises ``ValueError`` for a matrix of more than ``LARGEST_WRITTEN`` cells.
    """
    ratings = run.task.matrix.ratings
    if ratings.n_rows * ratings.n_cols > LARGEST_WRITTEN:
        raise ValueError(f"a matrix of {ratings.n_rows:,} x {ratings.n_cols:,} cells is too large for a notebook")
    cells = [*_beginning(run), *_task(run, keep, selection, seed, edits), *_answer(run), *_check(run)]
    written = [_cell(kind, text, number) for number, (kind, text) in enumerate(cells)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return json.dumps({"cells": written, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def _beginning(run: Run) -> Iterable[tuple[str, str]]:
    ratings = run.task.matrix.ratings
    truth = run.task.matrix.truth
    yield (
        "markdown",
        "# A run of MetaMF\n\nMeta-learning for matrix factorization: a network that learned on other matrices reads "
        "the given ratings of this one and proposes factors, which a few steps adapt. This notebook repeats one run "
        f"with the library, metamf {__version__}: `pip install .` in its repository. Run the cells one by one.",
    )
    yield "code", "import numpy as np\n\nfrom metamf import MetaMFImputer, Ratings, RatingScale"
    yield "markdown", "## The matrix\n\nA row for each person, a column for each thing; `_` where nobody rated."
    scale = ratings.scale
    lines = [
        f"name = {run.task.matrix.name!r}",
        f"rows = {_names(ratings.row_labels)}",
        f"cols = {_names(ratings.col_labels)}",
        f"scale = {'None' if scale is None else f'RatingScale({scale.minimum!r}, {scale.maximum!r}, {scale.step!r})'}",
        f"_ = None\nX = {_matrix(ratings.to_dense())}",
        f"features = {'None' if (told := ratings.col_features) is None else f'np.array({told.tolist()!r})'}",
        "names = dict(row_labels=rows, col_labels=cols, scale=scale, col_features=features)",
        "ratings = Ratings.from_dense(np.array(X, dtype=float), **names)",
        'print(f"{name}: {ratings.nnz} of {ratings.n_rows * ratings.n_cols} cells are rated")',
    ]
    yield "code", "\n".join(lines)
    if truth is not None:
        yield "markdown", "The matrix is made up, so the true rating of every cell is known."
        yield "code", f"truth = np.array({_matrix(truth)}, dtype=float)"


def _task(run: Run, keep: float, selection: Selection, seed: int, edits: Edits) -> Iterable[tuple[str, str]]:
    truth = "None" if run.task.matrix.truth is None else "truth"
    yield "markdown", "## What the model is given\n\nThe other ratings are hidden from it. Try another share, or seed."
    yield (
        "code",
        "from metamf.answer.division import Matrix, divide\n\n"
        f'task = divide(Matrix(name, "", ratings, {truth}), keep={keep!r}, selection={selection!r}, seed={seed!r})',
    )
    if edits.made:
        made = [tuple(edit) for edit in edits.made]
        yield "markdown", "Some cells were edited: row and column from 0, and the rating, or None where it is hidden."
        yield (
            "code",
            "from metamf.webapp.explore.edits import Edit, Edits\n\n"
            f"edits = Edits(tuple(Edit(*edit) for edit in {made!r}))\ntask = edits.apply(task)",
        )
    yield "code", 'print(task.given.nnz, "ratings are given; errors are measured on", task.hidden.nnz, "hidden cells")'


def _answer(run: Run) -> Iterable[tuple[str, str]]:
    name = run.method
    note = ""
    if name not in list_pretrained():
        stem = slug(PurePath(name).stem)  # as the page Train offers it
        name, note = f"{stem}.safetensors", "  # from Live training: download it, and put it next to this file"
    units = one_unit(run.method, run.task.given)
    yield "markdown", f"## The answer\n\nT {run.round}s from the factors that the network proposes."
    yield (
        "code",
        f"checkpoint = {name!r}{note}\nT = {run.T}\n"
        f"imputer = MetaMFImputer(checkpoint, steps=T, standardize={units!r})\n"
        f"result = imputer.impute(task.given, interval={run.answer.level!r})\n"
        "path = result.trajectory\n"
        "for t in range(T + 1):\n"
        "    estimate = path.estimate_at(task.hidden.rows, task.hidden.cols)[t]\n"
        "    estimate = estimate if result.limits is None else result.limits.clip(estimate)\n"
        "    error = np.sqrt(np.mean((estimate - task.hidden.values) ** 2)) if task.hidden.nnz else np.nan\n"
        f'    print(f"{run.round} {{t:2}}: error on hidden cells (RMSE) {{error:.4f}}")',
    )
    if run.step_size is not None and run.prior_precision is not None and run.answer.step_rule == "paper":
        yield (
            "markdown",
            "## The steps by hand\n\nEqs. (6) and (7) of the paper: `eta` is the size of a step and `lam` how strongly "
            "the prior holds, both learned in meta-training.",
        )
        yield "code", f"eta, lam = {float(run.step_size)!r}, {float(run.prior_precision)!r}\n{_STEPS}"


def _check(run: Run) -> Iterable[tuple[str, str]]:
    low, high = run.range
    yield "markdown", "## Is it the same as on the screen?\n\nThe estimates that the app showed after the last step."
    yield (
        "code",
        f"shown = np.array({_matrix(run.answer.mean, '.6g')}, dtype=float)\n"
        'print("largest difference to the screen:", np.abs(result.mean - shown).max())\n'
        f"assert np.allclose(result.mean, shown, rtol=1e-4, atol={1e-4 * (high - low):.3g})",
    )
    yield "code", "result.to_frame()  # one line for each cell; filled: the given ratings, and estimates elsewhere"


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


def _cell(kind: str, text: str, number: int) -> dict[str, Any]:
    cell = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": text.splitlines(keepends=True)}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})
