"""No shared rows or columns, on the page Inside: answers when rows and columns are shuffled, halved or doubled.

A checkpoint has no number that belongs to a row or a column, so their order cannot matter: if P and Q permute rows and
columns, the answer to P X Q is P (answer to X) Q, up to the rounding of sums in another order. This has to hold for
permutations only. Half of the rows have other averages; doubled rows have the same averages, Eqs. (4) and (5), and
hence the same prior means, but every column has twice as many ratings, which pull twice as hard in Eq. (7).

Factors that are fitted to one matrix belong to its rows and columns: shuffled, they start again from random numbers.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from metamf import datasets
from metamf.answer.estimator import MetaMFImputer
from metamf.answer.unit_selection import one_unit
from metamf.baselines.mf import chosen_settings, factorize
from metamf.checkpoints.bundled import checkpoint_title, open_checkpoint
from metamf.figures.window import Axes, Window
from metamf.ratings.limits import clipped, observed_range
from metamf.ratings.matrix import Ratings
from metamf.tables.limits import TableError
from metamf.tables.read import read_table
from metamf.webapp import address, look
from metamf.webapp.explore.view import PageView
from metamf.webapp.player import component, still
from metamf.webapp.player.still import Still
from metamf.wording import counted, written

SHUFFLES = ("Shuffle rows", "Shuffle columns", "Shuffle both")


@dataclass(frozen=True, eq=False)
class Changed:
    """A matrix made of rows and columns of another, and their positions (n,), (m,) there; a row may occur twice."""

    ratings: Ratings
    rows: np.ndarray
    cols: np.ndarray


@dataclass(frozen=True, eq=False)
class Comparison:
    """A method's estimates in rating units, clipped to the scale, of a matrix, (N, M), and of a changed one, (n, m)."""

    before: np.ndarray
    after: np.ndarray
    changed: Changed

    @property
    def undone(self) -> np.ndarray:
        """(N, M) the answer to the changed matrix, in the order of the first; NaN where it has no answer."""
        back = np.full(self.before.shape, np.nan)
        back[self.changed.rows[::-1, None], self.changed.cols[None, ::-1]] = self.after[::-1, ::-1]
        return back

    @property
    def difference(self) -> np.ndarray:
        """(N, M) difference of the answers once the change is undone; NaN where there is none."""
        return self.undone - self.before

    @property
    def largest(self) -> float:
        """The largest difference of an answer: of a shuffle, the equivariance error."""
        return float(np.nanmax(np.abs(self.difference)))


def change(ratings: Ratings, what: str, seed: int) -> Changed:
    """A matrix made of ``ratings``: 'Halve' keeps half of the rows, at random, one at least and one with a rating among
    them; 'Every row twice' adds a second copy of all rows below the first."""
    rng = np.random.default_rng(seed)
    rows = np.arange(ratings.n_rows)
    cols = np.arange(ratings.n_cols)
    if what in ("Shuffle rows", "Shuffle both"):
        rows = rng.permutation(rows)
    if what in ("Shuffle columns", "Shuffle both"):
        cols = rng.permutation(cols)
    if what == "Halve":
        rated = rng.choice(np.unique(ratings.rows), 1) if ratings.nnz else rows[:1]
        others = rng.permutation(np.delete(rows, rated))
        rows = np.sort(np.concatenate([rated, others[: max(1, ratings.n_rows // 2) - 1]]))
    if what == "Every row twice":
        labels = ratings.row_labels
        doubled = replace(
            ratings,
            rows=np.concatenate([ratings.rows, ratings.rows + ratings.n_rows]),
            cols=np.tile(ratings.cols, 2),
            values=np.tile(ratings.values, 2),
            shape=(2 * ratings.n_rows, ratings.n_cols),
            row_labels=None if labels is None else labels + tuple(f"{label} (again)" for label in labels),
        )
        return Changed(doubled, np.tile(rows, 2), cols)
    return Changed(ratings.submatrix(rows, cols), rows, cols)


def answers(ratings: Ratings, checkpoint: str, steps: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """(N, M) each: a checkpoint's estimates, and those of its prior."""
    found = MetaMFImputer(checkpoint, steps=steps, standardize=one_unit(checkpoint, ratings)).impute(ratings)
    return found.mean, clipped(found.trajectory.estimate(0), found.limits)


def answers_of_mf(ratings: Ratings, seed: int = 0) -> np.ndarray:
    """(N, M) the estimates of matrix factorization with the settings that suit the given ratings."""
    settings = replace(chosen_settings(ratings), seed=seed)
    return clipped(factorize(ratings, settings).estimate(), ratings.scale or observed_range(ratings))


def learned_numbers(checkpoint: str) -> int:
    """Number of parameters of a checkpoint, the same for every matrix."""
    return sum(parameter.numel() for parameter in open_checkpoint(checkpoint).network.parameters())


# -- the page ----------------------------------------------------------------------------------------------------

QUESTIONS = {  # by what happens to the matrix
    "Shuffle rows": "The rows are shuffled. Does any answer change?",
    "Shuffle columns": "The columns are shuffled. Does any answer change?",
    "Shuffle both": "Rows and columns are shuffled. Does any answer change?",
    "Halve": "Half of the rows are gone. May the answers for the others change?",
    "Every row twice": "Every row appears twice. May the answers change?",
}
OTHER = "Another matrix"
PASTED = "Pasted cells"
SAME = 1e-3  # rating units; closer answers count as equal
LARGEST_OF_MF = 100_000  # cells up to which MF is fitted here, in about a second
SHOWN = 60  # rows and columns of another matrix that are drawn
LONGEST = 20_000  # characters that can be pasted, a matrix of 60 x 60
IN_ADDRESS = 2_000  # characters of them that the URL holds, some 30 x 30
EXAMPLE = "\ttea\tcoffee\tjuice\nAda\t5\t4\t\nBen\t4\t\t2\nCleo\t\t5\t1\nDev\t1\t\t5\n"
_IN_PLACE = {"prefix": "other_", "at": "change", "here": OTHER}  # URL parameters of a chosen cell


@dataclass(frozen=True, eq=False)
class Fitted(Comparison):
    """The answers of MF, which is fitted again to the changed matrix."""

    restarted: float  # largest difference between its answers from two seeds, in rating units
    numbers: int  # that it fits to the changed matrix


class BesideMF(NamedTuple):
    """The effect of a change on the answers of the checkpoint, of its prior alone, and of MF; None for MF on a matrix
    that is too large for it."""

    ours: Comparison
    prior: Comparison
    mf: Fitted | None


def draw(view: PageView) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        chosen = address.choose("What happens to the matrix", [*QUESTIONS, OTHER], "change", wrap=True)
        seed = 1
        if chosen not in ("Every row twice", OTHER):  # drawn at random
            label = "Which half" if chosen == "Halve" else "Which shuffle"
            seed = st.number_input(label, 1, 9999, width=140, **address.control("shuffle"))
    if chosen == OTHER:
        _draw_other(view)
    else:
        _draw_changed(view, chosen, seed)


def _draw_changed(view: PageView, what: str, seed: int) -> None:
    look.heading(QUESTIONS[what])
    found = _compared(view, view.run.task.given, what, seed, "the page's")
    look.finding(answer(what, found.ours, found.prior, found.mf))
    look.tiles(_tiles(found, view.run.method))
    maps = view.once(("symmetry maps", what, seed), partial(_maps, view, what, found.ours))
    for place, (key, data) in zip(still.places(len(maps)), maps.items()):
        with place:
            component.draw_apart(data, key)
    look.small(
        "No number of the network belongs to a row or a column, so shuffling changes nothing. Halving or doubling may: "
        "averages change, or the number of ratings that pull."
    )


def _draw_other(view: PageView) -> None:
    look.heading("What does it take to fill in a matrix with other rows, columns and another size?")
    names = [name for name in datasets.example_matrices() if name != view.run.task.matrix.name]
    chosen = st.selectbox("Which one", [*names, PASTED], **address.control("other"))
    ratings = _pasted() if chosen == PASTED else datasets.example_matrices()[chosen].matrix.ratings
    if ratings is None:
        return
    name = ratings.values.tobytes(), ratings.rows.tobytes(), ratings.cols.tobytes(), ratings.shape
    found = _compared(view, ratings, "Shuffle both", 1, hash(name))
    look.finding(answer_for_other(ratings, view.run.method, found))
    look.tiles(_tiles(found, view.run.method))
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
    try:
        ratings = read_table(text.encode(), "pasted cells").ratings
    except TableError as error:
        look.note(f"The cells cannot be read: {error}.", "warning")
        return None
    if not ratings.nnz:
        look.note("No cell holds a number yet.")
        return None
    return ratings


def _compared(view: PageView, ratings: Ratings, what: str, seed: int, name: Hashable) -> BesideMF:
    """The answers to ``ratings``, which the view keeps by ``name``, and to what a change makes of them."""
    with st.spinner("Asking the model and fitting factors …"):
        return view.once(("symmetry", name, what, seed), partial(_compare, view, ratings, what, seed, name))


def _compare(view: PageView, ratings: Ratings, what: str, seed: int, name: Hashable) -> BesideMF:
    checkpoint = view.run.method
    T = view.run.T
    changed = change(ratings, what, seed)
    before = view.once(("answers", name), lambda: answers(ratings, checkpoint, T))
    both = zip(before, answers(changed.ratings, checkpoint, T))
    ours, prior = (Comparison(one, other, changed) for one, other in both)
    if ratings.n_rows * ratings.n_cols > LARGEST_OF_MF:
        return BesideMF(ours, prior, None)
    mf, other = view.once(("MF", name), lambda: (answers_of_mf(ratings), answers_of_mf(ratings, seed=1)))
    restarted = float(np.abs(mf - other).max())
    numbers = sum(changed.ratings.shape) * chosen_settings(changed.ratings).rank  # (n + m) K
    return BesideMF(ours, prior, Fitted(mf, answers_of_mf(changed.ratings), changed, restarted, numbers))


def answer(what: str, ours: Comparison, prior: Comparison, mf: Comparison | None) -> str:
    by = written(ours.largest)
    if what == "Halve":
        return (
            f"Yes, they change by up to {by}. Half of the rows is another matrix, with other averages. It needs no "
            "training either: the same checkpoint answers at once."
        )
    if what == "Every row twice":
        if prior.largest < SAME:
            return (
                f"The prior stays the same up to {written(prior.largest)}, because every average does. After "
                f"the steps, the answer changes by up to {by}: every column has twice as many ratings, which count "
                "twice as much against the prior."
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
        return f"{text} Matrix factorization, fitted again, finds the same answer here."
    return f"{text} Matrix factorization, fitted again, changes its answers by up to {written(mf.largest)}."


def answer_for_other(ratings: Ratings, checkpoint: str, found: BesideMF) -> str:
    """The answer to the question about another matrix."""
    N, M = ratings.shape
    text = (
        f"Nothing: the same {learned_numbers(checkpoint):,} numbers fill in {N:,} × {M:,} cells at once. Shuffled, the "
        f"answer is the same up to {written(found.ours.largest)}."
    )
    if found.mf is None:
        return text
    return (
        f"{text} The numbers of matrix factorization belong to the rows and columns of one table; here it needs "
        f"{found.mf.numbers:,} new ones."
    )


def _tiles(found: BesideMF, checkpoint: str) -> list[tuple[str, str, str]]:
    ours = f"largest difference; {learned_numbers(checkpoint):,} numbers, none of them trained here"
    tiles = [
        (checkpoint_title(checkpoint), written(found.ours.largest), ours),
        ("Its prior alone", written(found.prior.largest), "before the first step"),
    ]
    if (mf := found.mf) is not None:
        tiles += [
            ("Matrix factorization", written(mf.largest), f"its {mf.numbers:,} numbers fitted again"),
            ("From another random start", written(mf.restarted), "matrix factorization of the same table"),
        ]
    return tiles


def _maps(view: PageView, what: str, found: Comparison) -> dict[str, dict[str, Any]]:
    """Two maps by their keys: the answer, and that to the shuffled matrix, put back in order, or the difference."""
    ends = view.run.range
    detail = f"at most {written(found.largest)}"
    answer = Still("The answer", "", view.window.part(found.before), *ends)
    first = {"before": view.scene([answer])}
    if what in SHUFFLES:
        back = Still("Shuffled and back", f"differs by {detail}", view.window.part(found.undone), *ends)
        return first | {"back": view.scene([back])}
    difference = view.window.part(found.difference)
    one = Still.signed("Difference", detail, difference, max(found.largest, SAME), "down", "up")
    given = np.where(np.isnan(difference), np.nan, view.given)
    return first | {"change": view.scene([one], given=given, ends=ends)}


def _maps_of_other(name: str, ratings: Ratings, found: BesideMF) -> dict[str, Any]:
    """The given cells, both methods' answers, and the answers to the shuffled matrix put back in order."""
    window = Window.of(ratings.shape, largest=SHOWN)
    scale = ratings.scale or observed_range(ratings)
    one = float(ratings.values[0])  # where all are the same
    ends = (one - 1, one + 1) if scale is None else (scale.minimum, scale.maximum)
    given = window.dense(ratings)
    size = f"{counted(ratings.nnz, 'rating')} in {ratings.n_rows:,} × {ratings.n_cols:,} cells"
    maps = [Still("Given", size, given, *ends, noun="rating")]

    def add(title: str, detail: str, back: str, answers: Comparison) -> None:
        largest = f"largest difference {written(answers.largest)}"
        maps.append(Still(title, detail, window.part(answers.before), *ends))
        maps.append(Still(back, largest, window.part(answers.undone), *ends))

    add("Its answer", "the same checkpoint", "Shuffled and back", found.ours)
    if found.mf is not None:
        add("Matrix factorization", "fitted from random numbers", "Fitted, shuffled and back", found.mf)
        limit = max(found.mf.largest, SAME)
        changed = window.part(found.mf.difference)
        maps.append(Still.signed("What fitting changed", "shuffled minus first answer", changed, limit, "down", "up"))
    return still.scene_of(name, maps, Axes.of(ratings, window), given=given, shape=ratings.shape, ends=ends)
