"""Fills in the visitor's table: the method, its settings, and the answer that they make."""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st

from metamf.answer.answer import Answer
from metamf.answer.domain_shift import domain_shift
from metamf.answer.holdout import FEWEST_OBSERVED, Report
from metamf.answer.methods import (
    REPEATS_OF_MANY,
    TUNED_BASELINES,
    Method,
    contender,
    method,
    offered,
)
from metamf.answer.table_filling import fill_in
from metamf.baselines import METHODS
from metamf.figures.window import LARGEST_DRAWN
from metamf.ratings.matrix import Ratings
from metamf.tables.limits import TableError
from metamf.tables.table import Table
from metamf.webapp import address, caches, jobs
from metamf.webapp.data.own import TableKey

OFFERED_LEVELS = (50, 80, 90, 95)  # percent; the usual ones
HIDING_SEED = 0  # seed of the choice of the hidden cells
_HIDDEN = 0.1  # share of the given cells that is hidden on demand
_LARGE = 20_000  # given cells, or 50 cells for each, from which the engine fills in


class FillingKey(NamedTuple):
    """The inputs that a filling depends on: its table, the key of the method, the level of the
    intervals, and the share of the given cells that is hidden from the method."""

    table: TableKey
    method: str
    level: float
    hold_out: float


def chosen(key: TableKey, table: Table) -> FillingKey:
    """Draws the fields and returns the settings; raises TableError for numbers too large."""
    labels, without_intervals = caches.once("methods", key, lambda: _offered(table.ratings))
    by, levels, hiding = st.columns([1.2, 1.2, 1], gap="medium", vertical_alignment="bottom")
    if st.session_state.get("table_method") not in (None, *labels):
        del st.session_state.table_method
    choice = by.selectbox(
        "Method",
        labels,
        format_func=lambda name: labels.get(name, name),
        **address.control("table_method"),
    )
    level = address.choose(
        "Interval level (%)",
        OFFERED_LEVELS,
        "table_level",
        levels,
        default=90,
        disabled=choice in without_intervals,
    )
    enough = table.ratings.nnz >= FEWEST_OBSERVED
    hide = hiding.checkbox(
        "Hide a tenth, to compare",
        disabled=not enough,
        help="A tenth of your numbers is not shown to the method, and its estimates stand next to "
        "them: here, and as “held out” in the files",
        **address.control("table_hide"),
    )
    return FillingKey(key, choice, level / 100, _HIDDEN if hide and enough else 0.0)


def method_of(key: FillingKey, report: Report | None) -> Method:
    """The method that fills in; ``report`` has the errors on hidden cells, once they are known."""
    own_units = report is not None and report.relative
    return caches.once("method", (key.method, own_units), lambda: contender(key.method, own_units))


def answer_of(table: Table, key: FillingKey, how: Method) -> Answer | None:
    """The table filled in, computed once; None while the engine is at work, which is drawn."""
    ratings = table.ratings
    about = (ratings, how, key.level, key.hold_out, HIDING_SEED)
    large = ratings.nnz >= _LARGE or math.prod(ratings.shape) >= 50 * _LARGE
    if not large:
        return caches.once_large("answer", key, partial(filled, *about))
    return jobs.outcome("filling", key, filled, *about, doing="Filling in")


def filled(ratings: Ratings, how: Method, level: float, hold_out: float, seed: int) -> Answer:
    """Fills in a table, in the page or in a worker."""
    return fill_in(ratings, how, level, hold_out, seed).compact()


def unlike_training(table: Table, key: FillingKey, how: Method) -> str:
    """A sentence, if the table is outside what the method was trained on, else ''."""
    if how.info is None:
        return ""
    shift = partial(domain_shift, table.ratings, how.info)
    found = caches.once("warnings", (key.table, key.method), shift)
    if not found:
        return ""
    return (
        f"This table lies outside what {how.label} was trained on: {'; '.join(found)}. Its "
        "estimates may be worse than usual: look at the check on your own data."
    )


def _offered(ratings: Ratings) -> tuple[dict[str, str], set[str]]:
    """The labels of the methods for a table, by key, and those that give no intervals."""
    if np.abs(ratings.values).max() > LARGEST_DRAWN:
        raise TableError(
            f"the table holds numbers above {LARGEST_DRAWN:g}: divide all of them by a common "
            "factor"
        )
    rivals = (
        method(key) for key in TUNED_BASELINES if METHODS[key].feasible(ratings, REPEATS_OF_MANY)
    )
    methods = (*offered(ratings), *rivals)
    labels = {how.name: how.label for how in methods}
    return labels, {how.name for how in methods if not how.gives_intervals}
