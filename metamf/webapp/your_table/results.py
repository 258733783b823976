"""The lower part of "Your table": settings of the estimates, and errors on the visitor's own cells."""

from __future__ import annotations

from html import escape

import numpy as np
import streamlit as st

from metamf.filling import holdout
from metamf.filling import influence as trust
from metamf.filling.fill_in import Filling, Method, fill, offered
from metamf.ratings.matrix import Ratings
from metamf.tables import Table, TableError
from metamf.webapp import look
from metamf.webapp.matrix.words import count
from metamf.webapp.your_table import state as table_state
from metamf.webapp.your_table.cells import number
from metamf.webapp.your_table.state import FOUND, OTHER, SCALES, UNKNOWN, Upload

LEVELS = (50, 80, 90, 95)
_HIGHEST = 1e12  # single precision draws up to there
_UNASKED = 2_000  # observed cells up to which errors are measured without being asked for: seconds
_LARGE = 20_000  # observed cells, or 50 cells for each, from which a spinner says that something is being computed
_HIDDEN = 0.1  # share of the observed cells that is held out on demand
_TAGS = {"used": "use this", "reference": "to beat"}


def filled(upload: Upload, table: Table) -> tuple[Filling, tuple]:
    """The settings, and the table filled in by them; with the key of all that it depends on.

    Raises TableError for a table or a scale that nothing can be made of.
    """
    if np.abs(table.ratings.values).max() > _HIGHEST:
        raise TableError(f"the table holds numbers above {_HIGHEST:g}: divide all of them by a common factor")
    methods = {how.key: how for how in offered(table.ratings)}
    by, level, scale, ends = st.columns([1.2, 1.2, 1.2, 1], gap="medium", vertical_alignment="bottom")
    key = by.selectbox("Filled in by", methods, key="table_method", format_func=lambda key: methods[key].label,
                       persist_state="session")  # fmt: skip
    how = methods[key]
    percent = level.segmented_control("Level of the intervals, in percent", LEVELS, default=90, required=True,
                                      key="table_level", persist_state="session", disabled=not how.gives_intervals,
                                      )  # fmt: skip
    found = table_state.scale_words(table.ratings.scale)
    names = {FOUND: f"found: {found}"}
    scale.selectbox("Rating scale", [FOUND, *SCALES, UNKNOWN, OTHER], key="table_scale", persist_state="session",
                    format_func=lambda name: names.get(name, name))  # fmt: skip
    if st.session_state.table_scale == OTHER:
        _other_scale()
    the_scale = table_state.scale_of(table)
    with ends:
        clip = st.checkbox("Clip to the scale", True, key="table_clip", persist_state="session",
                           disabled=the_scale is None)  # fmt: skip
        rounding = st.checkbox("Round to its steps", False, key="table_round", persist_state="session",
                               disabled=the_scale is None or the_scale.step is None)  # fmt: skip
        hide = st.checkbox("Hide a tenth of mine", False, key="table_hide", persist_state="session",
                           disabled=table.ratings.nnz < holdout.FEWEST,
                           help="A tenth of your ratings is not shown to the method, and its estimates stand beside "
                           "them: here, and as “held out” in the files")  # fmt: skip
    hold_out = _HIDDEN if hide and table.ratings.nnz >= holdout.FEWEST else 0.0
    rounding = rounding and the_scale is not None and the_scale.step is not None
    _outside_scale(table.ratings, the_scale)
    _outside_training(table.ratings, how)
    settings = (key, percent / 100, the_scale, clip, rounding, hold_out, table_state.SEED)
    made_from = (upload.digest, table_state.read_options(), *settings)
    large = table.ratings.nnz >= _LARGE or table.ratings.n_rows * table.ratings.n_cols >= 50 * _LARGE
    waiting = "Filling in …" if large else None
    filling = table_state.remember("filling", made_from, lambda: fill(table.ratings, *settings), waiting)
    return filling, made_from


def _other_scale() -> None:
    columns = st.columns(3)
    for column, (name, value) in zip(columns, table_state.OTHER_SCALE.items()):
        column.number_input({"low": "Lowest", "high": "Highest", "step": "Step (0: any number)"}[name], value=value,
                            key=f"table_scale_{name}", persist_state="session")  # fmt: skip


def _outside_scale(ratings: Ratings, scale) -> None:
    if scale is None:
        return
    outside = int(((ratings.values < scale.minimum) | (ratings.values > scale.maximum)).sum())
    if outside:
        verb = "lies" if outside == 1 else "lie"
        look.note(f"{count(outside, 'observed cell')} {verb} outside this scale. They are kept as they are; estimates "
                  "are limited by the scale.", "warning")  # fmt: skip


def _outside_training(ratings: Ratings, how: Method) -> None:
    if how.info is not None and (found := trust.departures(ratings, how.info)):
        look.note(
            f"This table lies outside what {how.label} was trained on: {'; '.join(found)}. Its estimates may be worse "
            "than usual, and the intervals too narrow: look at the errors on your own data below.", "warning",
        )  # fmt: skip


# -- how good it is ---------------------------------------------------------------------------------------------------


def measured(filling: Filling, made_from: tuple) -> holdout.HoldoutReport | None:
    """The errors on held-out cells, if they are known by now."""
    return table_state.recall("holdout", _errors_of(filling, made_from))


def how_good(filling: Filling, made_from: tuple) -> None:
    """Errors on held-out cells."""
    ratings = filling.ratings
    st.subheader("How good is it on your data?", anchor=False)
    if ratings.nnz < holdout.FEWEST:
        look.small(f"{count(ratings.nnz, 'observed cell')}: too few to hide some and check. Nobody can say how good "
                   "the estimates are here.")  # fmt: skip
        return
    report = measured(filling, made_from)
    if report is None:
        repeats = 20 if ratings.nnz <= _UNASKED else 5
        said = st.empty()
        with said:
            look.small(
                f"A tenth of your ratings is hidden, {repeats} times, and all methods estimate them from the others."
            )
        begun = table_state.recall("measuring", _errors_of(filling, made_from))
        if begun is None and ratings.nnz > _UNASKED and not st.button("Measure", type="primary", key="table_measure"):
            return
        report = _measure(ratings, _errors_of(filling, made_from), repeats)
        said.empty()
    _verdict(report)
    key = report.recommended.method.key
    if key != filling.method.key:
        st.button(f"Fill in by {report.recommended.method.label}", on_click=table_state.fill_in_by, args=(key,),
                  key="table_use")  # fmt: skip
    _errors(report)


def _errors_of(filling: Filling, made_from: tuple) -> tuple:
    """All that the errors depend on: digest, reading, scale, level."""
    digest, options, _, level, scale, *_ = made_from
    return digest, options, scale, filling.level or level


def _measure(ratings: Ratings, key: tuple, repeats: int) -> holdout.HoldoutReport:
    """Goes on where a run of the page was interrupted: visitors click while they wait."""
    *_, level = key
    rng = np.random.default_rng(table_state.SEED)
    begin = lambda: holdout.holdout_steps(ratings, offered(ratings), level, repeats, rng=rng)  # noqa: E731
    steps = table_state.remember("measuring", key, begin)
    bar = st.progress(0.0, "Hiding ratings and estimating them …")
    try:
        for step in steps:
            if step.report is not None:
                table_state.keep("holdout", key, step.report)
            bar.progress(step.done / step.total, f"Estimating hidden ratings: {step.label} …")
    except Exception:  # the end of the measurement, not of a run of the page
        table_state.forget("measuring")
        raise
    table_state.forget("measuring")
    bar.empty()
    return table_state.recall("holdout", key)


def _verdict(report: holdout.HoldoutReport) -> None:
    if report.recommended.method.info is None:
        look.note(report.verdict(), "warning")
    else:
        look.finding(report.verdict())
    for found in report.errors:
        if found.covered is not None:
            look.small(
                f"Intervals: {100 * found.covered.mean():.0f} % of the {report.repeats * report.held_out:,} hidden "
                f"ratings lay inside the {100 * report.level:.0f} % interval of {found.method.label}."
            )


def _errors(report: holdout.HoldoutReport) -> None:
    use = report.recommended
    worst = max(found.rmse.mean() for found in report.errors) or 1.0
    rows = ""
    for found in report.errors:
        tag = _TAGS["used"] if found is use else _TAGS["reference"] if found.method.reference else ""
        tag = f'<span class="tag">{tag}</span>' if found is use else f"<i>{tag}</i>"
        inside = "" if found.covered is None else f"{100 * found.covered.mean():.0f} %"
        rows += (
            f'<tr class="{"best" if found is use else ""}"><td>{escape(found.method.label)} {tag}</td>'
            f'<td class="n">{_spread(found.rmse)}</td><td class="n">{_spread(found.mae)}</td>'
            f'<td class="n">{inside}</td>'
            f'<td class="bars"><span class="bar" style="width:{100 * found.rmse.mean() / worst:.0f}%"></span></td></tr>'
        )
    st.html(
        '<table class="mf-table mf-holdout"><thead><tr><th scope="col">Method</th><th scope="col" class="n">RMSE</th>'
        '<th scope="col" class="n">MAE</th><th scope="col" class="n">in the interval</th>'
        f'<th scope="col" class="bars" aria-label="RMSE, drawn"></th></tr></thead><tbody>{rows}</tbody></table>'
    )
    cells = count(report.held_out, "rating")
    look.small(
        f"Mean and standard deviation over {report.repeats} repeats; in each, {cells} of {report.observed:,} were "
        "hidden, from all methods alike. In the units of your ratings, clipped to the scale, not rounded."
    )


def _spread(values: np.ndarray) -> str:
    return f"{number(values.mean())} <small>± {number(values.std(ddof=1))}</small>"
