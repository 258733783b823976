"""The settings of Your table, read in one place, and the answer that they make."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from metamf.answer.answer import Answer
from metamf.answer.domain_shift import domain_shift
from metamf.answer.filling import FillSettings, Outside, fill
from metamf.answer.holdout import FEWEST_OBSERVED
from metamf.answer.methods import REPEATS_OF_MANY, TUNED_BASELINES, Method, method, offered, with_members
from metamf.baselines import METHODS
from metamf.figures.window import LARGEST_DRAWN
from metamf.ratings.limits import outside_scale
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.tables.limits import TableError
from metamf.tables.table import Table
from metamf.webapp import address, look, waiting
from metamf.webapp.session import remember
from metamf.webapp.your_table import verdict
from metamf.webapp.your_table.jobs import HIDING_SEED
from metamf.webapp.your_table.state import TUNED, ErrorsKey, FillingKey
from metamf.webapp.your_table.uploads import TableKey
from metamf.wording import counted, with_minus

OFFERED_LEVELS = (50, 80, 90, 95)  # percent; the usual ones
FOUND = "as found"
UNKNOWN = "unknown"
OTHER = "another one"
SCALES = {
    "thumbs: 0 or 1": RatingScale(0, 1, 1),
    "whole stars: 1 to 5": RatingScale(1, 5, 1),
    "half stars: 0.5 to 5": RatingScale(0.5, 5, 0.5),
    "1 to 10": RatingScale(1, 10, 1),
    "0 to 100": RatingScale(0, 100, 1),
    "−10 to 10, any number": RatingScale(-10, 10),
}
OUTSIDE: dict[str, Outside] = {"count as its nearest end": "nearest", "are hidden from the method": "hide"}
_HIDDEN = 0.1  # share of the ratings that is hidden on demand
_LARGE = 20_000  # ratings, or 50 cells for each, from which a spinner says that something is computed


def chosen(key: TableKey, table: Table) -> FillingKey:
    """Draws the fields and returns the settings; raises ``TableError`` for numbers too large or a wrong scale."""
    labels, without_intervals, found = remember("methods", key, lambda: _offered(table))
    by, levels, scales, ends = st.columns([1.2, 1.2, 1.2, 1], gap="medium", vertical_alignment="bottom")
    names = {FOUND: f"found: {found}"} | {name: name for name in (*SCALES, UNKNOWN, OTHER)}
    name = _select(scales, "Rating scale", "scale", names)
    limits = _other_scale() if name == OTHER else table.ratings.scale if name == FOUND else SCALES.get(name)
    n_outside = int(outside_scale(table.ratings, limits).sum())
    errors = ErrorsKey(key, limits, _outside(n_outside) if n_outside else "nearest")
    if verdict.tuned(errors) is not None:
        labels = labels | {TUNED: verdict.LABEL}
    if st.session_state.get("table_method") not in (None, *labels):
        del st.session_state.table_method
    choice = _select(by, "Method", "method", labels)  # the first one until the visitor chooses another
    shut = choice in without_intervals
    percent = address.choose("Interval level (%)", OFFERED_LEVELS, "table_level", levels, default=90, disabled=shut)
    with ends:
        clip = limits is None or st.checkbox("Clip estimates to the scale", True, **address.control("table_clip"))
        steps = limits is not None and limits.step is not None
        rounding = steps and st.checkbox("Round as my ratings are", True, **address.control("table_round"))
        enough = table.ratings.values.size >= FEWEST_OBSERVED
        hide = st.checkbox(
            "Hide a tenth, to compare",
            disabled=not enough,
            help="A tenth of your ratings is not shown to the method, and its estimates stand next to "
            "them: here, and as “held out” in the files",
            **address.control("table_hide"),
        )
    hold_out = _HIDDEN if hide and enough else 0.0
    settings = FillSettings(percent / 100, clip, rounding, hold_out, HIDING_SEED, errors.outside)
    filling = FillingKey(errors, choice, settings)
    how = verdict.method_of(filling)
    if table.ratings.row_features is not None and how.hardly_reads:
        look.note(how.hardly_reads)
    unlike = how.info and remember("warnings", (key, choice), partial(domain_shift, table.ratings, how.info))
    if unlike:
        check = " Look at the check on your own data." if enough else ""
        look.note(
            f"This table lies outside what {how.label} was trained on: {'; '.join(unlike)}. Its estimates may be worse "
            f"than usual, and the intervals too narrow.{check}",
            "warning",
        )
    return filling


def answer_of(table: Table, key: FillingKey) -> Answer:
    """``table`` filled in with the settings of ``key``, computed once."""
    large = table.ratings.values.size >= _LARGE or math.prod(table.ratings.shape) >= 50 * _LARGE
    return remember("answer", key, lambda: _fill(table, key, large), "Filling in …" if large else None)


def _fill(table: Table, key: FillingKey, large: bool) -> Answer:
    how = verdict.method_of(key)
    about = table.ratings, how, key.errors.scale, key.settings
    if large and not how.tuned:  # a worker may not have the file of the tuned network
        return waiting.compute(("filling", key), _filled, *about)
    return _filled(*about)


def _filled(ratings: Ratings, how: Method, scale: RatingScale | None, settings: FillSettings) -> Answer:
    return fill(ratings, how, scale=scale, settings=settings).compact()


def _offered(table: Table) -> tuple[dict[str, str], set[str], str]:
    """The labels of the methods for a table, by key; those that give no intervals; and its scale in words."""
    if np.abs(table.ratings.values).max() > LARGEST_DRAWN:
        raise TableError(f"the table holds numbers above {LARGEST_DRAWN:g}: divide all of them by a common factor")
    rivals = (method(key) for key in TUNED_BASELINES if METHODS[key].feasible(table.ratings, REPEATS_OF_MANY))
    first, *others = offered(table.ratings)
    methods = (first, *with_members(table.ratings), *others, *rivals)
    labels = {how.name: how.label for how in methods}
    without_intervals = {how.name for how in methods if not how.gives_intervals}
    if (scale := table.ratings.scale) is None:
        return labels, without_intervals, "none, so any number may be a rating"
    steps = "any number" if scale.step is None else f"steps of {scale.step:g}"
    return labels, without_intervals, with_minus(f"{scale.minimum:g} to {scale.maximum:g}, {steps}")


def _outside(n: int) -> Outside:
    words, choice = st.columns([2, 1], vertical_alignment="bottom")
    with words:
        look.note(
            f"{counted(n, 'rating')} {'is' if n == 1 else 'are'} outside this scale. The table keeps them as they are; "
            "estimates are limited by the scale.",
            "warning",
        )
    return OUTSIDE[_select(choice, "Ratings outside the scale", "outside", {way: way for way in OUTSIDE})]


def _other_scale() -> RatingScale:
    columns = st.columns(3)
    fields = ("low", "Lowest", 0.0), ("high", "Highest", 10.0), ("step", "Step", 1.0)
    low, high, step = (
        column.number_input(
            label,
            value=start,
            help="0 where any number between the ends is a rating" if name == "step" else None,
            **address.control(f"table_scale_{name}"),
        )
        for column, (name, label, start) in zip(columns, fields)
    )
    try:
        return RatingScale(low, high, step or None)
    except ValueError as error:
        raise TableError(str(error)) from error


def _select(place: DeltaGenerator, label: str, name: str, names: dict[str, str]) -> str:
    return place.selectbox(
        label, names, format_func=lambda key: names.get(key, key), **address.control(f"table_{name}")
    )
