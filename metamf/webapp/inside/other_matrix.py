"""Another matrix, of another size and domain: the same checkpoint answers it, and MF starts again."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from metamf import datasets
from metamf.figures.window import Axes, Window
from metamf.ratings.matrix import Ratings
from metamf.tables.limits import TableError
from metamf.tables.reading.read import read_table
from metamf.webapp import address, look, numbers
from metamf.webapp.experiments.symmetry import (
    another_start,
    change,
    compare,
    compare_mf,
    fitted_numbers,
    learned_numbers,
)
from metamf.webapp.inside import beside_mf, parts, symmetry_words
from metamf.webapp.inside.beside_mf import BesideMF
from metamf.webapp.matrix.shown import ShownView
from metamf.webapp.player import component, still
from metamf.webapp.player.still import Still
from metamf.wording import counted, name_of, rounded, written

PASTED = "Pasted cells"
LONGEST = 20_000  # characters that can be pasted; a matrix of 60 x 60
IN_ADDRESS = 2_000  # of them that the address holds, up to 6,000 as it writes them; some 30 x 30
SHOWN = 60  # rows and columns that are drawn
EXAMPLE = "\t".join(["", "tea", "coffee", "juice"]) + "\nAda\t5\t4\t\nBen\t4\t\t2\nCleo\t\t5\t1\nDev\t1\t\t5\n"
_OTHER, _CELLS = address.control("other"), address.control("pasted")
_IN_PLACE = {"prefix": "other_", "at": "change", "here": "Another matrix"}  # names of a chosen cell in the address


def draw(view: ShownView) -> None:
    """Draws the choice, the answers of the model and of MF to the other matrix, and those to the same shuffled."""
    parts.question("A matrix with other people, other things and another size: what does it take to answer it?")
    here = view.run.task.matrix.name
    names = [name for name in datasets.example_matrices() if name != here]
    chosen = st.selectbox("Which one", [*names, PASTED], **_OTHER)
    ratings = _pasted() if chosen == PASTED else datasets.example_matrices()[chosen].matrix.ratings
    if ratings is None:
        return
    checkpoint = view.run.checkpoint
    digest = ratings.values.tobytes(), ratings.rows.tobytes(), ratings.cols.tobytes(), ratings.shape
    with st.spinner("Asking the model and training MF …"):
        found = view.once(("other", hash(digest)), lambda: _found(ratings, checkpoint, view.run.T))
    look.finding(answer(view.run.task.given.shape, ratings, checkpoint, found))
    look.tiles(beside_mf.tiles(found, checkpoint))
    component.draw_apart(
        _data("pasted" if chosen == PASTED else chosen, ratings, found), "other", "maps", address=_IN_PLACE
    )
    look.small("Try matrices of other sizes and scales, or paste cells from your own spreadsheet.")
    look.fold_numbers(numbers.table("Estimates of the cells that are drawn.", *_table(ratings, found)))


def answer(here: tuple[int, int], ratings: Ratings, checkpoint: str, found: BesideMF) -> str:
    """The sentence that answers the question; ``here``: the shape of the matrix of the page."""
    N, M = ratings.shape
    return (
        f"Nothing: the same {learned_numbers(checkpoint):,} numbers fill in {N:,} × {M:,} cells at once, and shuffled "
        f"they get the same answer up to {written(found.ours.largest)}. MF's {fitted_numbers(here):,} numbers belong "
        "to the rows and columns of the first matrix; here it starts again, with "
        f"{fitted_numbers(ratings.shape):,} others{_of_mf(found)}."
    )


def _of_mf(found: BesideMF) -> str:
    if found.mf is None:
        return ", too long to wait for"
    if found.mf.largest < symmetry_words.SAME:
        return ", and finds the same answer to the shuffled matrix"
    return f", and changes its mind by up to {written(found.mf.largest)} where the matrix is shuffled"


def _pasted() -> Ratings | None:
    """The matrix in the field for cells; None, with a note, where it cannot be read."""
    short = len(st.session_state.get("pasted") or "") <= IN_ADDRESS
    text = st.text_area(
        "Cells, as copied from a spreadsheet",
        EXAMPLE,
        **(_CELLS if short else {"key": "pasted"}),
        max_chars=LONGEST,
        height=160,
        help="With or without names of rows and columns; an empty cell has no rating. "
        f"Nothing of it is kept, but up to {IN_ADDRESS:,} characters stand in the address, for links.",
    )
    if not short:
        look.small(f"The address holds up to {IN_ADDRESS:,} characters of cells, and these are {len(text):,}.")
    if len(text) > LONGEST:
        look.note(f"These are {len(text):,} characters, and at most {LONGEST:,} can be pasted.", "warning")
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


def _found(ratings: Ratings, checkpoint: str, T: int) -> BesideMF:
    shuffled = change(ratings, "shuffle both", 1)
    ours = compare(ratings, shuffled, checkpoint, T)
    if ratings.nnz > beside_mf.LARGEST_OF_MF:
        return BesideMF(ours, None, None)
    mf = compare_mf(ratings, shuffled)
    return BesideMF(ours, mf, another_start(ratings, before=mf.before))


def _data(name: str, ratings: Ratings, found: BesideMF) -> dict[str, Any]:
    """The given cells, and of the model and of MF the answer and that to the shuffled matrix put back in order, as the
    player draws them; of MF how far the two are apart, too."""
    window = Window.of(ratings.shape, largest=SHOWN)
    ends = _ends(ratings)
    axes = Axes(
        ratings.row_labels and ratings.row_labels[window.rows], ratings.col_labels and ratings.col_labels[window.cols]
    )
    given = ratings.to_dense()[window.rows, window.cols]
    size = f"{counted(ratings.nnz, 'rating')} in {ratings.n_rows:,} × {ratings.n_cols:,} cells"
    maps = [Still("Given", size, given, *ends, noun="rating")]
    for whose, comparison in (("Its", found.ours), ("MF's", found.mf)):
        if comparison is None:
            continue
        back = "Shuffled and back" if whose == "Its" else "MF, shuffled and back"
        origin = "the same checkpoint" if whose == "Its" else "trained from random numbers"
        answers = comparison.before.estimate, comparison.undone
        details = (f"{whose} answer", origin), (back, f"largest difference {written(comparison.largest)}")
        maps += [Still(*texts, X[window.rows, window.cols], *ends) for texts, X in zip(details, answers)]
    if found.mf is not None:
        limit = max(found.mf.largest, symmetry_words.SAME)
        changed = found.mf.difference[window.rows, window.cols]
        maps.append(Still.signed("What MF changed", "the latter minus the former", changed, limit, "down", "up"))
    return still.scene_of(name, maps, axes, given=given, shape=ratings.shape, ends=ends)


def _ends(ratings: Ratings) -> tuple[float, float]:
    """Lowest and highest rating of the colours."""
    if ratings.scale is not None:
        return ratings.scale.minimum, ratings.scale.maximum
    low, high = float(ratings.values.min()), float(ratings.values.max())
    return (low, high) if low < high else (low - 1, high + 1)


def _table(ratings: Ratings, found: BesideMF) -> tuple[list[str], list[list[str]]]:
    window, lines, given = Window.of(ratings.shape, largest=SHOWN), [], ratings.to_dense()
    head, columns = ["cell", "given"], []
    for whose, comparison in (("answer", found.ours), ("MF's answer", found.mf)):
        if comparison is not None:
            head += [whose, "shuffled and back", "difference"]
            columns += [comparison.before.estimate, comparison.undone, comparison.difference]
    for n in range(window.height):
        for m in range(window.width):
            if len(lines) > numbers.LONGEST:  # one more, so that the table says that it is cut
                break
            name = f"{name_of(ratings.row_labels, n, 'row')}, {name_of(ratings.col_labels, m, 'column')}"
            rating = "–" if np.isnan(given[n, m]) else rounded(given[n, m])
            values = (column[n, m] for column in columns)
            lines.append([name, rating, *(written(v) if i % 3 == 2 else rounded(v) for i, v in enumerate(values))])
    return head, lines
