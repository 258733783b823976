"""What if what is missing lies lower or higher than the model expects: a slider that moves the
means of the columns."""

from __future__ import annotations

import numpy as np
import streamlit as st

from metamf.answer.answer import Answer
from metamf.answer.shift import column_means, turning_shift
from metamf.webapp import address, caches, look
from metamf.webapp.your_table.filling import FillingKey
from metamf.wording import name_of, percent, rounded, with_minus

LABEL = "What if what is missing is lower or higher than the model expects?"
FARTHEST = 1.0  # spreads
_SHIFTS = np.linspace(-FARTHEST, FARTHEST, 21)
_STEP = 0.1
_SHOWN = 8  # columns
_MOST = 2_000_000  # cells up to which means are computed at all shifts, which takes a second


def not_at_random(answer: Answer, key: FillingKey) -> None:
    """Draws the slider and the means, where something is missing and the method knows what a spread
    is."""
    N, M = answer.shape
    if answer.fitted is not None and answer.ratings.nnz < N * M <= _MOST:
        st.fragment(_draw)(answer, key)


def _draw(answer: Answer, key: FillingKey) -> None:
    shift = st.slider(
        LABEL,
        -FARTHEST,
        FARTHEST,
        0.0,
        _STEP,
        format="%+.1f spreads",
        help="Whether a cell is missing may depend on the rating in it, and no table can tell. "
        "One spread is the "
        "standard deviation of a column, or of all ratings where columns share a scale",
        **address.control("table_shift"),
    )
    means = caches.once("means", key, lambda: means_at_all_shifts(answer))  # (21, M)
    now = means[np.abs(_SHIFTS - shift).argmin()]
    usual = means[len(_SHIFTS) // 2]
    comparable = answer.ratings.scale is not None
    order = np.argsort(-usual, kind="stable") if comparable else np.arange(len(usual))
    names = [name_of(answer.ratings.col_labels, j, "column") for j in range(len(usual))]
    if comparable and len(usual) > 1:
        first, second = order[:2]
        look.small(turning_sentence(means[:, first], means[:, second], names[first], names[second]))
    missing = 1 - answer.ratings.col_counts / answer.shape[0]
    digits = ".2f" if comparable else ".3g"
    lines = []
    for j in order[:_SHOWN]:
        change = with_minus(f"{now[j] - usual[j]:+{digits}}") if now[j] != usual[j] else "0"
        lines.append((names[j], percent(missing[j]), rounded(now[j]), change))
    st.html(look.number_table(("Column", "missing", "mean", "change"), lines))
    if len(order) > _SHOWN:
        which = "with the highest means" if comparable else "at the left"
        look.small(f"The {_SHOWN} columns {which}, of {len(order):,}.")


def means_at_all_shifts(answer: Answer) -> np.ndarray:
    """(21, M) the means of the columns at all shifts that the slider offers."""
    return np.stack([column_means(answer, float(shift)) for shift in _SHIFTS])


def turning_sentence(first: np.ndarray, second: np.ndarray, name: str, other: str) -> str:
    """Returns at which shift the order of two columns turns, from their means (21,) at all
    shifts."""
    middle = len(_SHIFTS) // 2
    if first[middle] == second[middle]:
        return f"{name} and {other} have the same mean."
    turns = turning_shift(_SHIFTS, first, second)
    if turns is None:
        return (
            f"{name} stays ahead of {other}, from {FARTHEST:g} spread lower to {FARTHEST:g} higher."
        )
    where = "lower" if turns < 0 else "higher"
    return (
        f"{name} is ahead of {other}. Their order turns where what is missing lies "
        f"{abs(turns):.2f} spreads {where}."
    )
