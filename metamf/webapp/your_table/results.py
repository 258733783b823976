"""The lower part of "Your table": settings of the estimates, and errors on the visitor's own cells."""

from __future__ import annotations

from html import escape

import numpy as np
import streamlit as st

from metamf.filling import holdout
from metamf.filling.fill_in import Filling
from metamf.filling.methods import offered
from metamf.ratings.matrix import Ratings
from metamf.webapp import look
from metamf.webapp.your_table import state as table_state
from metamf.wording import counted, rounded

_UNASKED = 2_000  # observed cells up to which errors are measured without being asked for: seconds
_LARGE = 20_000  # observed cells, or 50 cells for each, from which a spinner says that something is being computed
_HIDDEN = 0.1  # share of the observed cells that is held out on demand
_TAGS = {"used": "use this", "reference": "to beat"}


# -- how good it is ---------------------------------------------------------------------------------------------------


def measured(filling: Filling, made_from: tuple) -> holdout.HoldoutReport | None:
    """The errors on held-out cells, if they are known by now."""
    return table_state.recall("holdout", _errors_of(filling, made_from))


def how_good(filling: Filling, made_from: tuple) -> None:
    """Errors on held-out cells."""
    ratings = filling.measurable
    st.subheader("How good is it on your data?", anchor=False)
    if ratings.nnz < holdout.FEWEST:
        look.small(
            f"{counted(ratings.nnz, 'observed cell')}: too few to hide some and check. Nobody can say how good "
            "the estimates are here."
        )
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
        st.button(
            f"Fill in by {report.recommended.method.label}",
            on_click=table_state.fill_in_by,
            args=(key,),
            key="table_use",
        )
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
                f"Intervals: {100 * found.covered.mean():.0f} % of the {report.repeats * report.n_hidden:,} hidden "
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
    cells = counted(report.n_hidden, "rating")
    look.small(
        f"Mean and standard deviation over {report.repeats} repeats; in each, {cells} of {report.observed:,} were "
        "hidden, from all methods alike. In the units of your ratings, clipped to the scale, not rounded."
    )


def _spread(values: np.ndarray) -> str:
    return f"{rounded(values.mean())} <small>± {rounded(values.std(ddof=1))}</small>"
