"""No shared rows or columns, shown: the same checkpoint on a shuffled, halved, doubled or quite another matrix."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from metamf.checkpoints.bundled import checkpoint_title
from metamf.figures.maps import rating_map, signed_map
from metamf.figures.window import Axes, Window
from metamf.tasks.symmetry import (
    SHUFFLES,
    Change,
    Comparison,
    another_start,
    answers,
    answers_of_mf,
    change,
    compare,
    compare_mf,
    fitted_numbers,
    learned_numbers,
)
from metamf.webapp import address, legends, look
from metamf.webapp.inside import other_matrix, parts, symmetry_words
from metamf.webapp.look import Picture
from metamf.webapp.matrix.shown import ShownView
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
HEIGHT = 330  # pixels; chosen by hand
_CHANGE, _SHUFFLE = address.control("change"), address.control("shuffle")
LARGEST_OF_MF = 50_000  # given ratings up to which MF is trained here; chosen by hand: about a second


class Found(NamedTuple):
    """What one change does to the answers.

    Attributes
    ----------
    ours : of the checkpoint
    mf : of MF; None on a matrix too large to train it while a visitor waits
    restarted : largest difference of MF's answers from two seeds, in rating units; None without MF
    """

    ours: Comparison
    mf: Comparison | None
    restarted: float | None


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
    look.tiles(_tiles(view, checkpoint, found))
    for name, comparison in ((checkpoint_title(checkpoint), found.ours), ("MF", found.mf)):
        if comparison is not None:
            make = partial(_pictures, view, what, name, comparison, _ends(found))
            pictures = view.once(("symmetry", what, seed, name), make)
            look.draw_in(st.columns(3, gap="medium"), pictures)
    look.small(symmetry_words.MUST)
    look.small(
        "Try another draw; halve, then double; another model; then another matrix, of another size and another domain."
    )
    parts.numbers(parts.table("Estimates of the cells that are drawn.", *_table(view, found)))


def _found(view: ShownView, checkpoint: str, what: Change, seed: int) -> Found:
    given = view.run.task.given
    changed = change(given, what, seed)
    ours = view.once("answers", lambda: answers(given, checkpoint, view.run.T))
    found = compare(given, changed, checkpoint, view.run.T, ours)
    if given.nnz > LARGEST_OF_MF:
        return Found(found, None, None)
    mf = view.once("answers of MF", lambda: answers_of_mf(given))
    restarted = view.once("MF from another seed", lambda: another_start(given, before=mf))
    return Found(found, compare_mf(given, changed, before=mf), restarted)


def _tiles(view: ShownView, checkpoint: str, found: Found) -> list[tuple[str, str, str]]:
    shape = view.run.task.given.shape
    ours = f"largest difference, rating units; {learned_numbers(checkpoint):,} numbers, none of them trained here"
    tiles = [(checkpoint_title(checkpoint), written(found.ours.largest), ours)]
    if found.ours.largest_of_prior is not None:
        tiles.append(("Its prior alone", written(found.ours.largest_of_prior), "before the first step"))
    if found.mf is not None:
        mf = f"trained again on the changed matrix: {fitted_numbers(found.mf.changed.ratings.shape):,} numbers"
        tiles.append(("MF", written(found.mf.largest), mf))
        again = f"the same matrix twice, two random starts of its {fitted_numbers(shape):,} numbers"
        tiles.append(("MF, another seed", written(found.restarted), again))
    return tiles


def _pictures(view: ShownView, what: Change, name: str, found: Comparison, ends: tuple[float, float]) -> list[Picture]:
    """The answer, the answer to the changed matrix, and the latter put back in order, or what changed.

    ``ends``: lowest and highest rating of the colours.
    """
    window, changed = view.window, found.changed.ratings
    part = Window.of(changed.shape, window.top, window.left)  # as many rows as the changed matrix has
    axes = view.axes(show_cols=False)
    order = Axes(
        changed.row_labels and changed.row_labels[part.rows],
        changed.col_labels and changed.col_labels[part.cols],
        show_cols=False,
    )
    read = ~np.isnan(changed.to_dense()[part.rows, part.cols])

    def draw(X: np.ndarray, axes: Axes, given: np.ndarray, window: Window = window) -> go.Figure:
        return rating_map(X[window.rows, window.cols], *ends, axes, given=given, numbers=False, height=HEIGHT)

    largest = written(found.largest)
    pictures = [
        Picture(
            name,
            "its answer",
            draw(found.before.estimate, axes, view.is_given),
            f"{name}-before",
            f"Heatmap of the answer of {name}.",
            legends.of_ratings(*ends, window.dotted),
        ),
        Picture(
            f"{name}, the changed matrix",
            "as it was read",
            draw(found.after.estimate, order, read, part),
            f"{name}-after",
            f"Heatmap of the answer of {name} to the changed matrix ({what}).",
        ),
    ]
    if what in SHUFFLES:
        alt = f"Heatmap of the answer of {name} to the shuffled matrix, back in order; it differs by {largest} at most."
        chart = draw(found.undone, axes, view.is_given)
        return [*pictures, Picture("Shuffled back", f"largest difference {largest}", chart, f"{name}-back", alt)]
    limit = max(found.largest, symmetry_words.SAME)
    difference = found.difference[window.rows, window.cols]
    given = view.is_given & ~np.isnan(difference)
    chart = signed_map(difference, limit, axes, given=given, height=HEIGHT)
    alt = f"Heatmap of the change of the answer of {name}; the largest change is {largest}."
    legend = legends.of_differences(limit, "down", "up")
    return [*pictures, Picture("What changed", f"at most by {largest}", chart, f"{name}-change", alt, legend)]


def _ends(found: Found) -> tuple[float, float]:
    """Lowest and highest estimate of both methods: the ends of the colours, the same for all maps."""
    answers = [found.ours.before.estimate, found.ours.after.estimate]
    if found.mf is not None:
        answers += [found.mf.before.estimate, found.mf.after.estimate]
    low, high = float(min(X.min() for X in answers)), float(max(X.max() for X in answers))
    unit = 10 ** np.floor(np.log10(high - low)) / 10 if high > low else 1.0  # a tenth of the leading digit
    low, high = unit * np.floor(low / unit), unit * np.ceil(high / unit)
    return (float(low), float(high)) if low < high else (low - 1, high + 1)


def _table(view: ShownView, found: Found) -> tuple[list[str], list[list[str]]]:
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
            if len(lines) > parts.LONGEST_TABLE:  # one more, so that the table says that it is cut
                return head, lines
            name = f"{name_of(ratings.row_labels, n, 'row')}, {name_of(ratings.col_labels, m, 'column')}"
            values = (column[n, m] for column in columns)
            texts = [written(v) if i % 3 == 2 else rounded(v) if np.isfinite(v) else "–" for i, v in enumerate(values)]
            lines.append([name, *texts])
    return head, lines
