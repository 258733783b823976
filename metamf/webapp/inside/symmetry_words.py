"""The sentences on a shuffled, halved or doubled matrix, made from the numbers of a comparison."""

from __future__ import annotations

from metamf.webapp.experiments.symmetry import SHUFFLES, Change, Comparison
from metamf.wording import written

SAME = 1e-3  # rating units below which answers count as the same; nobody rates that finely
ASKS = {
    "shuffle rows": "The rows are shuffled: does anybody get another answer?",
    "shuffle columns": "The columns are shuffled: does anybody get another answer?",
    "shuffle both": "Rows and columns are shuffled: does anybody get another answer?",
    "halve": "Half of the rows are gone: may the answers to the others change?",
    "double": "Every row comes twice: may the answers change?",
}


def answer(what: Change, ours: Comparison, mf: Comparison | None) -> str:
    """The sentence that answers the question of a section."""
    if what in SHUFFLES:
        return f"{_shuffled(ours)} {_mf(mf)}".strip()
    if what == "halve":
        return (
            f"They may, and they do: by up to {written(ours.largest)}. Half of the rows is another matrix, whose "
            "averages are others. It needs no training either: the same checkpoint answers it at once."
        )
    if ours.largest_of_prior is not None and ours.largest_of_prior < SAME:
        return (
            f"The prior stays as it is, up to {written(ours.largest_of_prior)}: every average is the same. The answer "
            f"after the steps changes by up to {written(ours.largest)}, and may: every column has twice as many "
            "ratings, which pull twice as hard in Eq. (7)."
        )
    return (
        f"They may, and they do: by up to {written(ours.largest)}. Averages stay as they are, but this model also "
        "reads how many ratings a column has, and twice as many ratings say more."
    )


def _shuffled(ours: Comparison) -> str:
    if ours.largest < SAME:
        return (
            "No: everybody gets the same answer, wherever the row stands. The largest difference is "
            f"{written(ours.largest)}, the rounding of sums in another order."
        )
    return f"The answers differ by up to {written(ours.largest)}: this checkpoint breaks the symmetry."


def _mf(mf: Comparison | None) -> str:
    if mf is None:
        return ""
    if mf.largest < SAME:
        return "MF, trained again from random numbers, found the same answer again on this matrix."
    return f"MF, trained again from random numbers, changes its mind by up to {written(mf.largest)}."


MUST = (
    "A permutation must leave the answer as it is, up to the same permutation: no number of the network belongs to a "
    "row or a column. Half of the rows, or every row twice, need not: the averages that it reads, or the number of "
    "ratings that pull, are others."
)
