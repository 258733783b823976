"""The settings of Your table, and the filling that they make."""

from __future__ import annotations

import numpy as np
import streamlit as st

from metamf.figures.window import LARGEST_DRAWN
from metamf.filling import holdout
from metamf.filling.departures import departures
from metamf.filling.fill_in import Filling, FillSettings, fill
from metamf.filling.methods import Method, offered
from metamf.ratings.matrix import Ratings
from metamf.tables import Table, TableError
from metamf.webapp import look
from metamf.webapp.your_table import state as table_state
from metamf.webapp.your_table.results import _HIDDEN, _LARGE
from metamf.webapp.your_table.state import FOUND, OTHER, SCALES, UNKNOWN, Upload
from metamf.wording import counted

LEVELS = (50, 80, 90, 95)


def filled(upload: Upload, table: Table) -> tuple[Filling, tuple]:
    """The settings, and the table filled in by them; with the key of all that it depends on.

    Raises TableError for a table or a scale that nothing can be made of.
    """
    if np.abs(table.ratings.values).max() > LARGEST_DRAWN:
        raise TableError(f"the table holds numbers above {LARGEST_DRAWN:g}: divide all of them by a common factor")
    methods = {how.key: how for how in offered(table.ratings)}
    by, level, scale, ends = st.columns([1.2, 1.2, 1.2, 1], gap="medium", vertical_alignment="bottom")
    key = by.selectbox(
        "Filled in by", methods, key="table_method", format_func=lambda key: methods[key].label, persist_state="session"
    )
    how = methods[key]
    percent = level.segmented_control(
        "Level of the intervals, in percent",
        LEVELS,
        default=90,
        required=True,
        key="table_level",
        persist_state="session",
        disabled=not how.gives_intervals,
    )
    found = table_state.scale_words(table.ratings.scale)
    names = {FOUND: f"found: {found}"}
    scale.selectbox(
        "Rating scale",
        [FOUND, *SCALES, UNKNOWN, OTHER],
        key="table_scale",
        persist_state="session",
        format_func=lambda name: names.get(name, name),
    )
    if st.session_state.table_scale == OTHER:
        _other_scale()
    the_scale = table_state.scale_of(table)
    with ends:
        clip = st.checkbox(
            "Clip to the scale", True, key="table_clip", persist_state="session", disabled=the_scale is None
        )
        rounding = st.checkbox(
            "Round to its steps",
            False,
            key="table_round",
            persist_state="session",
            disabled=the_scale is None or the_scale.step is None,
        )
        hide = st.checkbox(
            "Hide a tenth of mine",
            False,
            key="table_hide",
            persist_state="session",
            disabled=table.ratings.nnz < holdout.FEWEST,
            help="A tenth of your ratings is not shown to the method, and its estimates stand beside "
            "them: here, and as “held out” in the files",
        )
    hold_out = _HIDDEN if hide and table.ratings.nnz >= holdout.FEWEST else 0.0
    rounding = rounding and the_scale is not None and the_scale.step is not None
    _outside_scale(table.ratings, the_scale)
    _outside_training(table.ratings, how)
    settings = (key, percent / 100, the_scale, clip, rounding, hold_out, table_state.SEED)
    made_from = (upload.digest, table_state.read_options(), *settings)
    large = table.ratings.nnz >= _LARGE or table.ratings.n_rows * table.ratings.n_cols >= 50 * _LARGE
    waiting = "Filling in …" if large else None

    def how_to_fill() -> Filling:
        chosen = FillSettings(percent / 100, clip, rounding, hold_out, table_state.SEED, outside="nearest")
        return fill(table.ratings, key, scale=the_scale, settings=chosen)

    filling = table_state.remember("filling", made_from, how_to_fill, waiting)
    return filling, made_from


def _other_scale() -> None:
    columns = st.columns(3)
    for column, (name, value) in zip(columns, table_state.OTHER_SCALE.items()):
        column.number_input(
            {"low": "Lowest", "high": "Highest", "step": "Step (0: any number)"}[name],
            value=value,
            key=f"table_scale_{name}",
            persist_state="session",
        )


def _outside_scale(ratings: Ratings, scale) -> None:
    if scale is None:
        return
    outside = int(((ratings.values < scale.minimum) | (ratings.values > scale.maximum)).sum())
    if outside:
        verb = "lies" if outside == 1 else "lie"
        look.note(
            f"{counted(outside, 'observed cell')} {verb} outside this scale. They are kept as they are; estimates "
            "are limited by the scale.",
            "warning",
        )


def _outside_training(ratings: Ratings, how: Method) -> None:
    if how.info is not None and (found := departures(ratings, how.info)):
        look.note(
            f"This table lies outside what {how.label} was trained on: {'; '.join(found)}. Its estimates may be worse "
            "than usual, and the intervals too narrow: look at the errors on your own data below.",
            "warning",
        )
