"""No shared rows or columns, on the page Inside: one checkpoint answers a shuffled, halved, doubled or other matrix,
while MF, whose numbers belong to the rows and columns of one matrix, starts again.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from metamf import datasets
from metamf.checkpoints.bundled import checkpoint_title
from metamf.figures.window import Axes, Window
from metamf.ratings.matrix import Ratings
from metamf.tables.limits import TableError
from metamf.tables.read import read_table
from metamf.webapp import address, look
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
    fitted_numbers,
    learned_numbers,
)
from metamf.webapp.matrix.view import ShownView
from metamf.webapp.player import component, still
from metamf.webapp.player.still import Still
from metamf.wording import counted, written

CHANGES: dict[str, Change] = {
    "Shuffle rows": "shuffle rows",
    "Shuffle columns": "shuffle columns",
    "Shuffle both": "shuffle both",
    "Halve": "halve",
    "Every row twice": "double",
}
QUESTIONS: dict[Change, str] = {
    "shuffle rows": "The rows are shuffled. Does any answer change?",
    "shuffle columns": "The columns are shuffled. Does any answer change?",
    "shuffle both": "Rows and columns are shuffled. Does any answer change?",
    "halve": "Half of the rows are gone. May the answers for the others change?",
    "double": "Every row appears twice. May the answers change?",
}
OTHER, PASTED = "Another matrix", "Pasted cells"
SAME = 1e-3  # rating units; closer answers count as equal
LARGEST_OF_MF = 50_000  # given ratings up to which MF is trained here, in about a second
THREE_ACROSS = 16  # columns up to which three maps side by side have numbers in their cells
SHOWN = 60  # rows and columns of another matrix that are drawn
LONGEST = 20_000  # characters that can be pasted, a matrix of 60 x 60
IN_ADDRESS = 2_000  # characters of them that the URL holds, some 30 x 30
EXAMPLE = "\ttea\tcoffee\tjuice\nAda\t5\t4\t\nBen\t4\t\t2\nCleo\t\t5\t1\nDev\t1\t\t5\n"
_IN_PLACE = {"prefix": "other_", "at": "change", "here": OTHER}  # URL parameters of a chosen cell


class BesideMF(NamedTuple):
    """The effect of a change on the answers of the checkpoint and of MF.

    Attributes
    ----------
    ours, mf : the answers before and after; MF's are None on a matrix too large for it
    restarted : largest difference between MF's answers from two seeds, in rating units
    """

    ours: Comparison
    mf: Comparison | None
    restarted: float | None


def draw(view: ShownView) -> None:
    """Draws the section."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        options, change_of = [*CHANGES, OTHER], address.control("change")
        label = "What happens to the matrix"
        chosen = st.segmented_control(label, options, default=options[0], required=True, wrap=True, **change_of)
        seed = 1
        if chosen not in ("Every row twice", OTHER):  # drawn at random
            label = "Which half" if chosen == "Halve" else "Which shuffle"
            seed = st.number_input(label, 1, 9999, width=140, **address.control("shuffle"))
    if chosen == OTHER:
        _draw_other(view)
    else:
        _draw_changed(view, CHANGES[chosen], seed)


def _draw_changed(view: ShownView, what: Change, seed: int) -> None:
    look.heading(QUESTIONS[what])
    checkpoint = view.run.checkpoint
    with st.spinner("Asking the model and training MF …"):
        found = view.once(("symmetry", what, seed), lambda: _changed(view, checkpoint, what, seed))
    look.finding(answer(what, found.ours, found.mf))
    look.tiles(_tiles(found, checkpoint))
    rows = []
    for name, comparison in ((checkpoint_title(checkpoint), found.ours), ("MF", found.mf)):
        if comparison is not None:
            make = partial(_maps, view, what, name, comparison, _ends(found))
            rows.append(view.once(("symmetry", what, seed, name), make).items())
    if len(rows) == 2 and view.window.width > THREE_ACROSS:
        rows = zip(*rows)  # the model on the left, MF on the right
    for row in rows:
        for place, (key, data) in zip(still.places(len(row)), row):
            with place:
                component.draw_apart(data, key)
    look.small(
        "Shuffling must not change the answer, because no number of the network belongs to a row or a column. Halving "
        "or doubling may: the averages change, or the number of ratings that pull."
    )


def _draw_other(view: ShownView) -> None:
    look.heading("What does it take to fill in a matrix with other rows, columns and another size?")
    names = [name for name in datasets.example_matrices() if name != view.run.task.matrix.name]
    chosen = st.selectbox("Which one", [*names, PASTED], **address.control("other"))
    ratings = _pasted() if chosen == PASTED else datasets.example_matrices()[chosen].matrix.ratings
    if ratings is None:
        return
    checkpoint = view.run.checkpoint
    digest = ratings.values.tobytes(), ratings.rows.tobytes(), ratings.cols.tobytes(), ratings.shape
    with st.spinner("Asking the model and training MF …"):
        found = view.once(("other", hash(digest)), lambda: _shuffled(ratings, checkpoint, view.run.T))
    look.finding(answer_for_other(view.run.task.given.shape, ratings, checkpoint, found))
    look.tiles(_tiles(found, checkpoint))
    data = _maps_of_other("pasted" if chosen == PASTED else chosen, ratings, found)
    component.draw_apart(data, "other", "maps", address=_IN_PLACE)


def _pasted() -> Ratings | None:
    """Draws the field for cells and returns the matrix in it; draws a note and returns None where it has none."""
    short = len(st.session_state.get("pasted") or "") <= IN_ADDRESS
    text = st.text_area(
        "Cells, as copied from a spreadsheet",
        EXAMPLE,
        **(address.control("pasted") if short else {"key": "pasted"}),
        max_chars=LONGEST,
        height=160,
        help="With or without names of rows and columns. Empty cells are missing. Nothing is kept, but the page's link "
        f"contains up to {IN_ADDRESS:,} characters.",
    )
    if not short:
        look.small(f"The page's link holds at most {IN_ADDRESS:,} characters, so it does not contain these cells.")
    if len(text) > LONGEST:
        look.note(f"These are {len(text):,} characters. Paste at most {LONGEST:,}.", "warning")
        return None
    try:
        ratings = read_table(text.encode(), "pasted cells").ratings
    except TableError as error:
        look.note(f"The cells cannot be read: {error}.", "warning")
        return None
    if not ratings.nnz:
        look.note("No cell holds a number yet.")
        return None
    return ratings


def _changed(view: ShownView, checkpoint: str, what: Change, seed: int) -> BesideMF:
    given = view.run.task.given
    changed = change(given, what, seed)
    ours = view.once("answers", lambda: answers(given, checkpoint, view.run.T))
    found = compare(given, changed, checkpoint, view.run.T, ours)
    if given.nnz > LARGEST_OF_MF:
        return BesideMF(found, None, None)
    mf = view.once("answers of MF", lambda: answers_of_mf(given))
    restarted = view.once("MF from another seed", lambda: another_start(given, before=mf))
    return BesideMF(found, compare_mf(given, changed, before=mf), restarted)


def _shuffled(ratings: Ratings, checkpoint: str, T: int) -> BesideMF:
    shuffled = change(ratings, "shuffle both", 1)
    ours = compare(ratings, shuffled, checkpoint, T)
    if ratings.nnz > LARGEST_OF_MF:
        return BesideMF(ours, None, None)
    mf = compare_mf(ratings, shuffled)
    return BesideMF(ours, mf, another_start(ratings, before=mf.before))


def answer(what: Change, ours: Comparison, mf: Comparison | None) -> str:
    """Returns the answer to the question about a changed matrix."""
    by = written(ours.largest)
    if what == "halve":
        return (
            f"Yes, they change by up to {by}. Half of the rows is another matrix, with other averages. It needs no "
            "training either: the same checkpoint answers at once."
        )
    if what == "double":
        if ours.largest_of_prior is not None and ours.largest_of_prior < SAME:
            return (
                f"The prior stays the same up to {written(ours.largest_of_prior)}, because every average does. After "
                f"the steps, the answer changes by up to {by}: every column has twice as many ratings, which pull "
                "twice as hard in Eq. (7)."
            )
        return (
            f"Yes, they change by up to {by}. The averages stay the same, but this model also reads how many ratings a "
            "column has."
        )
    if ours.largest >= SAME:
        text = f"The answers differ by up to {by}, so this checkpoint breaks the symmetry."
    else:
        text = (
            "No, every row gets the same answer wherever it is. The largest difference is "
            f"{by}, the rounding of sums in another order."
        )
    if mf is None:
        return text
    if mf.largest < SAME:
        return f"{text} MF, trained again from random numbers, finds the same answer on this matrix."
    return f"{text} MF, trained again from random numbers, changes its answers by up to {written(mf.largest)}."


def answer_for_other(here: tuple[int, int], ratings: Ratings, checkpoint: str, found: BesideMF) -> str:
    """Returns the answer to the question about another matrix; ``here`` is the shape of the page's matrix."""
    N, M = ratings.shape
    if found.mf is None:
        of_mf = ", which takes too long to wait for"
    elif found.mf.largest < SAME:
        of_mf = ". Shuffled, it finds the same answer"
    else:
        of_mf = f". Shuffled, its answers change by up to {written(found.mf.largest)}"
    return (
        f"Nothing: the same {learned_numbers(checkpoint):,} numbers fill in {N:,} × {M:,} cells at once. Shuffled, the "
        f"answer is the same up to {written(found.ours.largest)}. MF's {fitted_numbers(here):,} numbers belong to the "
        f"rows and columns of the first matrix. Here it starts again with {fitted_numbers(ratings.shape):,} "
        f"others{of_mf}."
    )


def _tiles(found: BesideMF, checkpoint: str) -> list[tuple[str, str, str]]:
    before, after = (answers.estimate.shape for answers in (found.ours.before, found.ours.after))
    ours = f"largest difference, in rating units; {learned_numbers(checkpoint):,} numbers, none of them trained here"
    tiles = [(checkpoint_title(checkpoint), written(found.ours.largest), ours)]
    if found.ours.largest_of_prior is not None:
        tiles.append(("Its prior alone", written(found.ours.largest_of_prior), "before the first step"))
    if found.mf is not None and found.restarted is not None:
        again = f"the same matrix, from two random starts of {fitted_numbers(before):,} numbers"
        tiles += [
            ("MF", written(found.mf.largest), f"its {fitted_numbers(after):,} numbers trained again"),
            ("MF, another seed", written(found.restarted), again),
        ]
    return tiles


def _maps(
    view: ShownView, what: Change, name: str, found: Comparison, ends: tuple[float, float]
) -> dict[str, dict[str, Any]]:
    """The maps of a method by their keys: the answer, the answer to the changed matrix, and either the latter put back
    in order or the difference.

    ``ends`` are the ratings at the two ends of the colours.
    """
    window, changed, task = view.window, found.changed.ratings, view.run.task
    part = Window.of(changed.shape, window.top, window.left)
    order = Axes(
        changed.row_labels and changed.row_labels[part.rows],
        changed.col_labels and changed.col_labels[part.cols],
        part.top,
        part.left,
    )

    def data(
        one: Still, axes: Axes = view.axes(), given: np.ndarray = view.given, shape: tuple[int, int] = task.given.shape
    ) -> dict[str, Any]:
        return still.scene_of(task.matrix.name, [one], axes, given=given, shape=shape, ends=ends)

    def answer(title: str, detail: str, X: np.ndarray, window: Window = window) -> Still:
        return Still(title, detail, X[window.rows, window.cols], *ends)

    changed_answer = answer(f"{name}, changed matrix", "as the model reads it", found.after.estimate, part)
    read = changed.to_dense()[part.rows, part.cols]
    maps = {
        f"{name}-before": data(answer(name, "", found.before.estimate)),
        f"{name}-after": data(changed_answer, order, read, changed.shape),
    }
    largest = written(found.largest)
    if what in SHUFFLES:
        one = answer(f"{name}, shuffled back", f"largest difference {largest}", found.undone)
        return maps | {f"{name}-back": data(one)}
    limit, difference = max(found.largest, SAME), found.difference[window.rows, window.cols]
    one = Still.signed(f"{name}, difference", f"at most {largest}", difference, limit, "down", "up")
    return maps | {f"{name}-change": data(one, given=np.where(np.isnan(difference), np.nan, view.given))}


def _maps_of_other(name: str, ratings: Ratings, found: BesideMF) -> dict[str, Any]:
    """The given cells, both methods' answers, and the answers to the shuffled matrix put back in order."""
    window, ends = Window.of(ratings.shape, largest=SHOWN), _ends_of_ratings(ratings)
    axes = Axes(
        ratings.row_labels and ratings.row_labels[window.rows], ratings.col_labels and ratings.col_labels[window.cols]
    )
    given = ratings.to_dense()[window.rows, window.cols]
    size = f"{counted(ratings.nnz, 'rating')} in {ratings.n_rows:,} × {ratings.n_cols:,} cells"
    maps = [Still("Given", size, given, *ends, noun="rating")]
    texts = (
        ("Its answer", "the same checkpoint", "Shuffled and back"),
        ("MF's answer", "trained from random numbers", "MF, shuffled and back"),
    )
    for (title, detail, back), comparison in zip(texts, (found.ours, found.mf)):
        if comparison is not None:
            estimates = comparison.before.estimate, comparison.undone
            titles = (title, detail), (back, f"largest difference {written(comparison.largest)}")
            maps += [Still(*of, X[window.rows, window.cols], *ends) for of, X in zip(titles, estimates)]
    if found.mf is not None:
        limit, changed = max(found.mf.largest, SAME), found.mf.difference[window.rows, window.cols]
        maps.append(Still.signed("What MF changed", "shuffled minus first answer", changed, limit, "down", "up"))
    return still.scene_of(name, maps, axes, given=given, shape=ratings.shape, ends=ends)


def _ends(found: BesideMF) -> tuple[float, float]:
    """Ratings at the two ends of the colours, which all maps share."""
    both = [found.ours] if found.mf is None else [found.ours, found.mf]
    estimates = [X.estimate for comparison in both for X in (comparison.before, comparison.after)]
    low, high = float(min(X.min() for X in estimates)), float(max(X.max() for X in estimates))
    unit = 10 ** np.floor(np.log10(high - low)) / 10 if high > low else 1.0  # a tenth of the leading digit
    low, high = float(unit * np.floor(low / unit)), float(unit * np.ceil(high / unit))
    return (low, high) if low < high else (low - 1, high + 1)


def _ends_of_ratings(ratings: Ratings) -> tuple[float, float]:
    if ratings.scale is not None:
        return ratings.scale.minimum, ratings.scale.maximum
    low, high = float(ratings.values.min()), float(ratings.values.max())
    return (low, high) if low < high else (low - 1, high + 1)
