"""The page of no shared rows or columns: the answers to a changed matrix, next to those of MF."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st

from metamf import datasets
from metamf.answer.division import Matrix, divide
from metamf.baselines.factorization import RANK
from metamf.checkpoints.bundled import checkpoint_title
from metamf.figures.window import Axes, Window
from metamf.ratings.limits import observed_range
from metamf.ratings.matrix import Ratings
from metamf.webapp import address, look
from metamf.webapp.player import component, still
from metamf.webapp.player.still import Still
from metamf.webapp.run.matrix_page import View, kept
from metamf.webapp.run.shuffles import (
    SAME,
    SHUFFLES,
    Comparison,
    answers,
    answers_of_mf,
    change,
    learned_numbers,
)
from metamf.wording import counted, written

QUESTIONS = {  # by what happens to the matrix
    "Shuffle rows": "The rows are shuffled. Does any answer change?",
    "Shuffle columns": "The columns are shuffled. Does any answer change?",
    "Shuffle both": "Rows and columns are shuffled. Does any answer change?",
    "Halve": "Half of the rows are gone. May the answers for the others change?",
    "Every row twice": "Every row appears twice. May the answers change?",
    "Another matrix": "What does it take to fill in a matrix with other rows, columns and another "
    "size?",
}
OTHER = "Another matrix"
LARGEST_OF_MF = 100_000  # cells up to which MF is fitted here, in about a second
SHOWN = 60  # rows and columns of another matrix that are drawn


class BesideMF(NamedTuple):
    """The effect of a change on the answers of the checkpoint, of its prior alone, and of MF, which
    is fitted again; None for MF on a matrix that is too large for it.

    ``restarted``: the largest difference between the answers of MF from two seeds, in rating units;
    ``numbers``: how many it fits to the changed matrix.
    """

    ours: Comparison
    prior: Comparison
    mf: Comparison | None = None
    restarted: float = 0.0
    numbers: int = 0


def no_shared_rows(view: View) -> None:
    """Draws what happens to the matrix, what it does to the answers, and the maps of them."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        what = address.choose("What happens to the matrix", QUESTIONS.keys(), "change", wrap=True)
        seed = 1
        if what not in ("Every row twice", OTHER):  # drawn at random
            label = "Which half" if what == "Halve" else "Which shuffle"
            seed = st.number_input(label, 1, 9999, width=140, **address.control("shuffle"))
    look.heading(QUESTIONS[what])
    ratings = view.run.task.given
    name = "the page's"
    if what == OTHER:
        key = view.key
        others = others_of(view.matrix.ratings, gaps=key.keep < 100)
        name = st.selectbox("Which one", others, width=320, **address.control("other"))
        ratings = divide(others[name], key.keep / 100, key.by, key.seed).given
    with st.spinner("Asking the model and fitting factors …"):
        make = partial(_compared, view, ratings, what, seed)
        found = kept(view, ("symmetry", name, ratings.nnz, what, seed), make)
    checkpoint = view.run.method
    if what == OTHER:
        look.finding(answer_for_other(ratings, checkpoint, found))
    else:
        look.finding(answer(what, found.ours, found.prior, found.mf))
    look.tiles(_tiles(found, checkpoint))
    if what == OTHER:
        _maps_of_other(name, ratings, found)
        return
    _maps(view, what, found.ours)
    look.small(
        "No number of the network belongs to a row or a column, so shuffling changes nothing. "
        "Halving or doubling may: averages change, or the number of ratings that pull."
    )


def others_of(ratings: Ratings, gaps: bool) -> dict[str, Matrix]:
    """The examples of another size, without the name of a row or a column of ``ratings``; first
    those with another number of rows as well as of columns. ``gaps``: whether some of their ratings
    are hidden, so that a matrix with a rating in each cell has something to fill in."""
    N, M = ratings.shape
    rows = set(ratings.row_labels or ())
    cols = set(ratings.col_labels or ())
    found = {}
    for name, example in datasets.example_matrices().items():
        other = example.matrix.ratings
        apart = rows.isdisjoint(other.row_labels or ()) and cols.isdisjoint(other.col_labels or ())
        filled = not gaps and other.nnz == other.n_rows * other.n_cols
        if apart and other.shape != ratings.shape and not filled:
            found[name] = Matrix(name, example.description, other, example.matrix.truth)

    def alike(name: str) -> int:
        n, m = found[name].ratings.shape
        return (n == N) + (m == M)

    return {name: found[name] for name in sorted(found, key=alike)}


def _compared(view: View, ratings: Ratings, what: str, seed: int) -> BesideMF:
    """The answers to ``ratings`` and to what a change makes of them."""
    changed = change(ratings, "Shuffle both" if what == OTHER else what, seed)
    before = answers(ratings, view.run.method, view.run.T)
    both = zip(before, answers(changed.ratings, view.run.method, view.run.T))
    ours, prior = (Comparison(one, other, changed) for one, other in both)
    if ratings.n_rows * ratings.n_cols > LARGEST_OF_MF:
        return BesideMF(ours, prior)
    mf = answers_of_mf(ratings)
    restarted = np.abs(mf - answers_of_mf(ratings, seed=1)).max()
    again = Comparison(mf, answers_of_mf(changed.ratings), changed)
    numbers = sum(changed.ratings.shape) * RANK  # (n + m) K
    return BesideMF(ours, prior, again, float(restarted), numbers)


def answer(what: str, ours: Comparison, prior: Comparison, mf: Comparison | None) -> str:
    """The answer to the question about a changed matrix."""
    by = written(ours.largest)
    if what == "Halve":
        return (
            f"Yes, they change by up to {by}. Half of the rows is another matrix, with other "
            "averages. It needs no training either: the same checkpoint answers at once."
        )
    if what == "Every row twice":
        if prior.largest < SAME:
            return (
                f"The prior stays the same up to {written(prior.largest)}, because every average "
                f"does. After the steps, the answer changes by up to {by}: every column has twice "
                "as many ratings, which count twice as much against the prior."
            )
        return (
            f"Yes, they change by up to {by}. The averages stay the same, but this model also "
            "reads how many ratings a column has."
        )
    text = (
        f"No, every row gets the same answer wherever it is. The largest difference is {by}, the "
        "rounding of sums in another order."
    )
    if ours.largest >= SAME:
        text = f"The answers differ by up to {by}, so this checkpoint breaks the symmetry."
    if mf is None:
        return text
    if mf.largest < SAME:
        return f"{text} Matrix factorization, fitted again, finds the same answer here."
    return (
        f"{text} Matrix factorization, fitted again, changes its answers by up to "
        f"{written(mf.largest)}."
    )


def answer_for_other(ratings: Ratings, checkpoint: str, found: BesideMF) -> str:
    """The answer to the question about another matrix."""
    N, M = ratings.shape
    text = (
        f"No training: the same {learned_numbers(checkpoint):,} numbers fill in the "
        f"{N * M - ratings.nnz:,} empty cells of {N:,} × {M:,} at once. Shuffled, the answer is the "
        f"same up to {written(found.ours.largest)}."
    )
    if found.mf is None:
        return text
    return (
        f"{text} The numbers of matrix factorization belong to the rows and columns of one table; "
        f"here it needs {found.numbers:,} new ones."
    )


def _tiles(found: BesideMF, checkpoint: str) -> list[tuple[str, str, str]]:
    numbers = f"{learned_numbers(checkpoint):,}"
    ours = f"largest change of an answer; none of its {numbers} numbers is trained here"
    tiles = [
        (checkpoint_title(checkpoint), written(found.ours.largest), ours),
        ("Its prior alone", written(found.prior.largest), "before the first step"),
    ]
    if found.mf is not None:
        again = f"its {found.numbers:,} numbers fitted again"
        same = "matrix factorization of the same table"
        tiles += [
            ("Matrix factorization", written(found.mf.largest), again),
            ("From another random start", written(found.restarted), same),
        ]
    return tiles


def _maps(view: View, what: str, found: Comparison) -> None:
    """Draws the answer, and that to the shuffled matrix, put back in order, or the difference."""
    ends = view.run.range
    part = view.window.part
    detail = f"at most {written(found.largest)}"
    left, right = st.columns(2, gap="medium")
    with left:
        one = Still("The answer", "", part(found.before), *ends)
        component.draw_apart(view.scene([one]), "before")
    with right:
        if what in SHUFFLES:
            detail = f"differs by {detail}"
            back = Still("Shuffled and back", detail, part(found.undone), *ends)
            component.draw_apart(view.scene([back]), "back")
            return
        difference = part(found.difference)
        limit = max(found.largest, SAME)
        one = Still.signed("Difference", detail, difference, limit, "down", "up")
        given = np.where(np.isnan(difference), np.nan, view.given)
        component.draw_apart(view.scene([one], given=given, ends=ends), "change")


def _maps_of_other(name: str, ratings: Ratings, found: BesideMF) -> None:
    """Draws the given cells, both methods' answers, and the answers to the shuffled matrix put back
    in order."""
    window = Window.of(ratings.shape, largest=SHOWN)
    scale = ratings.scale or observed_range(ratings)
    one = float(ratings.values[0])  # where all are the same
    ends = (one - 1, one + 1) if scale is None else (scale.minimum, scale.maximum)
    given = window.dense(ratings)
    size = f"{counted(ratings.nnz, 'rating')} in {ratings.n_rows:,} × {ratings.n_cols:,} cells"
    maps = [Still("Given", size, given, *ends, noun="rating")]
    pairs = [("Its answer", "the same checkpoint", "Shuffled and back", found.ours)]
    if found.mf is not None:
        origin = "fitted from random numbers"
        pairs.append(("Matrix factorization", origin, "Shuffled, fitted again", found.mf))
    for title, detail, back, both in pairs:
        largest = f"at most {written(both.largest)} apart"
        maps.append(Still(title, detail, window.part(both.before), *ends))
        maps.append(Still(back, largest, window.part(both.undone), *ends))
    if found.mf is not None:
        detail = "second minus first"
        moved = window.part(found.mf.difference)
        limit = max(found.mf.largest, SAME)
        maps.append(Still.signed("What fitting changed", detail, moved, limit, "down", "up"))
    axes = Axes.of(ratings, window)
    data = still.scene_of(name, maps, axes, given=given, shape=ratings.shape, ends=ends)
    component.draw_apart(data, "other", "maps")
