"""How good the estimates are: the errors of all methods on the visitor's own ratings, and the verdict on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from threading import Lock

import numpy as np
import streamlit as st

from metamf.filling.fill_in import Filling
from metamf.filling.holdout import FEWEST, HoldoutReport, HoldoutStep, holdout_steps
from metamf.filling.methods import offered
from metamf.ratings.matrix import Ratings
from metamf.webapp import look
from metamf.webapp.your_table.settings import ErrorsKey, FillingKey
from metamf.webapp.your_table.state import SEED, fill_in_by, forget, keep, recall, remember
from metamf.wording import counted, rounded

_UNASKED = 2_000  # ratings up to which errors are measured without being asked for; chosen by hand
_REPEATS, _REPEATS_OF_LARGE = 20, 5  # as often as ratings are hidden; chosen by hand


@dataclass(frozen=True)
class Verdict:
    """A report, ready to be drawn.

    Attributes
    ----------
    sentence : which method to use here
    trained : whether that is a checkpoint, or else a simple method, of which a warning is made
    coverage : sentences on the intervals
    use, label : key and label of the method to use
    table : the errors of all methods, as HTML
    measured : how they were measured
    """

    sentence: str
    trained: bool
    coverage: list[str]
    use: str
    label: str
    table: str
    measured: str


@dataclass
class Measurement:
    """A measurement that goes on where a run of the page was interrupted: visitors click while they wait. The run that
    was interrupted may still be inside a step; the next one waits for it."""

    steps: Iterator[HoldoutStep]
    lock: Lock = field(default_factory=Lock)

    def next(self) -> HoldoutStep | None:
        with self.lock:
            return next(self.steps, None)


def measured(key: FillingKey) -> HoldoutReport | None:
    """The errors on hidden ratings, if they are known by now."""
    return recall("holdout", key.errors)


def how_good(filling: Filling, key: FillingKey) -> None:
    """The errors on hidden ratings, measured where that takes seconds or the visitor asks for it."""
    st.subheader("How good is it on your data?", anchor=False)
    report = measured(key)
    if report is None:
        ratings = filling.measurable
        if ratings.nnz < FEWEST:
            look.small(
                f"{counted(ratings.nnz, 'observed cell')}: too few to hide some and check. Nobody can say how good "
                "the estimates are here."
            )
            return
        repeats = _REPEATS if ratings.nnz <= _UNASKED else _REPEATS_OF_LARGE
        said = st.empty()
        with said:
            look.small(
                f"A tenth of your ratings is hidden, {repeats} times, and all methods estimate them from the others."
            )
        begun = recall("measuring", key.errors) is not None or ratings.nnz <= _UNASKED
        if not begun and not st.button("Measure", type="primary", key="table_measure"):
            return
        report = _measure(ratings, key.errors, repeats)
        said.empty()
    verdict = remember("verdict", key.errors, lambda: _verdict(report))
    if verdict.trained:
        look.finding(verdict.sentence)
    else:
        look.note(verdict.sentence, "warning")
    for sentence in verdict.coverage:
        look.small(sentence)
    if verdict.use != key.settings.method:
        st.button(f"Fill in by {verdict.label}", on_click=fill_in_by, args=(verdict.use,), key="table_use")
    st.html(verdict.table)
    look.small(verdict.measured)


def _measure(ratings: Ratings, key: ErrorsKey, repeats: int) -> HoldoutReport:
    def begin() -> Measurement:
        rng = np.random.default_rng(SEED)
        return Measurement(holdout_steps(ratings, offered(ratings), key.level, repeats, rng=rng))

    measurement = remember("measuring", key, begin)
    bar = st.progress(0.0, "Hiding ratings and estimating them …")
    try:
        while (step := measurement.next()) is not None:
            if step.report is not None:
                keep("holdout", key, step.report)
            bar.progress(step.done / step.total, f"Estimating hidden ratings: {step.label} …")
    except Exception:  # the end of the measurement, not of a run of the page
        forget("measuring")
        raise
    forget("measuring")
    bar.empty()
    return recall("holdout", key)


def _verdict(report: HoldoutReport) -> Verdict:
    use = report.recommended.method
    coverage = [
        f"Intervals: {100 * errors.covered.mean():.0f} % of the {report.repeats * report.n_hidden:,} hidden ratings "
        f"lay inside the {100 * report.level:.0f} % interval of {errors.method.label}."
        for errors in report.errors
        if errors.covered is not None
    ]
    how = (
        f"Mean and standard deviation over {report.repeats} repeats; in each, {counted(report.n_hidden, 'rating')} of "
        f"{report.observed:,} were hidden, from all methods alike. In the units of your ratings, clipped to the scale, "
        "not rounded."
    )
    return Verdict(report.verdict(), use.info is not None, coverage, use.key, use.label, _table(report, use.key), how)


def _table(report: HoldoutReport, use: str) -> str:
    worst = max(errors.rmse.mean() for errors in report.errors) or 1.0
    rows = ""
    for errors in report.errors:
        best = errors.method.key == use
        tag = '<span class="tag">use this</span>' if best else "<i>to beat</i>" if errors.method.reference else ""
        inside = "" if errors.covered is None else f"{100 * errors.covered.mean():.0f} %"
        bar = f'<span class="bar" style="width:{100 * errors.rmse.mean() / worst:.0f}%"></span>'
        rows += (
            f'<tr class="{"best" if best else ""}"><td>{escape(errors.method.label)} {tag}</td>'
            f'<td class="n">{_spread(errors.rmse)}</td><td class="n">{_spread(errors.mae)}</td>'
            f'<td class="n">{inside}</td><td class="bars">{bar}</td></tr>'
        )
    return (
        '<table class="mf-table mf-holdout"><thead><tr><th scope="col">Method</th><th scope="col" class="n">RMSE</th>'
        '<th scope="col" class="n">MAE</th><th scope="col" class="n">in the interval</th>'
        f'<th scope="col" class="bars" aria-label="RMSE, drawn"></th></tr></thead><tbody>{rows}</tbody></table>'
    )


def _spread(values: np.ndarray) -> str:
    return f"{rounded(values.mean())} <small>± {rounded(values.std(ddof=1))}</small>"
