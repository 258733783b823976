"""No shared rows or columns, shown: the same checkpoint on a shuffled, halved, doubled or quite another matrix."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from metamf.checkpoints.bundled import checkpoint_title
from metamf.figures.window import Axes, Window
from metamf.webapp import address, look, numbers
from metamf.webapp.experiments.symmetry import (
    SHUFFLES,
    Change,
    Comparison,
    another_start,
    answers,
    answers_of_mf,
    change,
    compare,
    compare_mf,
)
from metamf.webapp.inside import beside_mf, other_matrix, parts, symmetry_words
from metamf.webapp.inside.beside_mf import BesideMF
from metamf.webapp.matrix.shown import ShownView
from metamf.webapp.player import component, still
from metamf.webapp.player.still import Still
from metamf.wording import name_of, rounded, written

CHANGES: dict[str, Change] = {  # as they are offered
    "Shuffle rows": "shuffle rows",
    "Shuffle columns": "shuffle columns",
    "Shuffle both": "shuffle both",
    "Halve": "halve",
    "Every row twice": "double",
}
OTHER = "Another matrix"
DRAWN = ("Shuffle rows", "Shuffle columns", "Shuffle both", "Halve")  # at random
THREE_ACROSS = 16  # columns up to which three maps in a row have numbers in their cells
_CHANGE, _SHUFFLE = address.control("change"), address.control("shuffle")


def draw(view: ShownView) -> None:
    """Draws the section."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        chosen = st.segmented_control(
            "What is done to the matrix",
            [*CHANGES, OTHER],
            default="Shuffle rows",
            required=True,
            **_CHANGE,
            wrap=True,
        )
        seed = 1
        if chosen in DRAWN:
            name, said = ("half", "other rows stay") if chosen == "Halve" else ("shuffle", "another order")
            options = {"help": f"Another number, and {said}", "width": 140}
            seed = st.number_input(f"Which {name}", 1, 9999, **options, **_SHUFFLE)
    if chosen == OTHER:
        other_matrix.draw(view)
        return
    what = CHANGES[chosen]
    parts.question(symmetry_words.ASKS[what])
    checkpoint = view.run.checkpoint
    with st.spinner("Asking the model and training MF …"):
        found = view.once(("symmetry", what, seed), lambda: _found(view, checkpoint, what, seed))
    look.finding(symmetry_words.answer(what, found.ours, found.mf))
    look.tiles(beside_mf.tiles(found, checkpoint))
    rows = []
    for name, comparison in ((checkpoint_title(checkpoint), found.ours), ("MF", found.mf)):
        if comparison is not None:
            make = partial(_maps, view, what, name, comparison, _ends(found))
            rows.append(view.once(("symmetry", what, seed, name), make).items())
    if len(rows) == 2 and view.window.width > THREE_ACROSS:
        rows = zip(*rows)  # the model at the left and MF at the right
    for row in rows:
        for place, (key, data) in zip(still.places(len(row)), row):
            with place:
                component.draw_apart(data, key)
    look.small(symmetry_words.MUST)
    look.small(
        "Try another draw; halve, then double; another model; then another matrix, of another size and another domain."
    )
    look.fold_numbers(numbers.table("Estimates of the cells that are drawn.", *_table(view, found)))


def _found(view: ShownView, checkpoint: str, what: Change, seed: int) -> BesideMF:
    given = view.run.task.given
    changed = change(given, what, seed)
    ours = view.once("answers", lambda: answers(given, checkpoint, view.run.T))
    found = compare(given, changed, checkpoint, view.run.T, ours)
    if given.nnz > beside_mf.LARGEST_OF_MF:
        return BesideMF(found, None, None)
    mf = view.once("answers of MF", lambda: answers_of_mf(given))
    restarted = view.once("MF from another seed", lambda: another_start(given, before=mf))
    return BesideMF(found, compare_mf(given, changed, before=mf), restarted)


def _maps(
    view: ShownView, what: Change, name: str, found: Comparison, ends: tuple[float, float]
) -> dict[str, dict[str, Any]]:
    """The maps of a method as the player draws them, by their keys: the answer, the answer to the changed matrix, and
    the latter put back in order, or the change of the answer.

    ``ends``: lowest and highest rating of the colours.
    """
    window, changed, task = view.window, found.changed.ratings, view.run.task
    part = Window.of(changed.shape, window.top, window.left)  # as many rows as the changed matrix has
    order = Axes(
        changed.row_labels and changed.row_labels[part.rows],
        changed.col_labels and changed.col_labels[part.cols],
        part.top,
        part.left,
    )

    def data(one: Still, axes: Axes = view.axes(), given: np.ndarray = view.given, shape=task.given.shape) -> dict:
        return still.scene_of(task.matrix.name, [one], axes, given=given, shape=shape, ends=ends)

    def answer(title: str, detail: str, X: np.ndarray, window: Window = window) -> Still:
        return Still(title, detail, X[window.rows, window.cols], *ends)

    changed_answer = answer(f"{name}, changed matrix", "as it was read", found.after.estimate, part)
    read = changed.to_dense()[part.rows, part.cols]
    maps = {
        f"{name}-before": data(answer(name, "its answer", found.before.estimate)),
        f"{name}-after": data(changed_answer, order, read, changed.shape),
    }
    largest = written(found.largest)
    if what in SHUFFLES:
        return maps | {
            f"{name}-back": data(answer(f"{name}, shuffled back", f"largest difference {largest}", found.undone))
        }
    limit, difference = max(found.largest, symmetry_words.SAME), found.difference[window.rows, window.cols]
    one = Still.signed(f"{name}, what changed", f"at most by {largest}", difference, limit, "down", "up")
    return maps | {f"{name}-change": data(one, given=np.where(np.isnan(difference), np.nan, view.given))}


def _ends(found: BesideMF) -> tuple[float, float]:
    """Lowest and highest estimate of both methods: the ends of the colours, the same for all maps."""
    answers = [found.ours.before.estimate, found.ours.after.estimate]
    if found.mf is not None:
        answers += [found.mf.before.estimate, found.mf.after.estimate]
    low, high = float(min(X.min() for X in answers)), float(max(X.max() for X in answers))
    unit = 10 ** np.floor(np.log10(high - low)) / 10 if high > low else 1.0  # a tenth of the leading digit
    low, high = unit * np.floor(low / unit), unit * np.ceil(high / unit)
    return (float(low), float(high)) if low < high else (low - 1, high + 1)


def _table(view: ShownView, found: BesideMF) -> tuple[list[str], list[list[str]]]:
    """Head and lines of the numbers behind the maps, one line for each cell that is drawn."""
    ratings, window = view.run.task.matrix.ratings, view.window
    head = ["cell", checkpoint_title(view.run.checkpoint), "changed and undone", "difference"]
    columns = [found.ours.before.estimate, found.ours.undone, found.ours.difference]
    if found.mf is not None:
        head += ["MF", "changed and undone", "difference"]
        columns += [found.mf.before.estimate, found.mf.undone, found.mf.difference]
    lines = []
    for n in range(window.top, window.top + window.height):
        for m in range(window.left, window.left + window.width):
            if len(lines) > numbers.LONGEST:  # one more, so that the table says that it is cut
                return head, lines
            name = f"{name_of(ratings.row_labels, n, 'row')}, {name_of(ratings.col_labels, m, 'column')}"
            values = (column[n, m] for column in columns)
            texts = [written(v) if i % 3 == 2 else rounded(v) if np.isfinite(v) else "–" for i, v in enumerate(values)]
            lines.append([name, *texts])
    return head, lines
