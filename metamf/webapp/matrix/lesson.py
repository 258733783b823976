"""A lesson on the page Watch: on a matrix with many ratings the paper's fixed step is too long, and what is done."""

from __future__ import annotations

import numpy as np
import streamlit as st

from metamf.datasets.examples import FULL_HOUSE
from metamf.figures.lines import rule_curves
from metamf.figures.maps import rating_map
from metamf.imputer.step_rules import StepRules
from metamf.tasks.view import View
from metamf.webapp import look
from metamf.webapp.look import Picture
from metamf.webapp.matrix.page import ShownView
from metamf.webapp.matrix.state import DEFAULT
from metamf.wording import rounded

CHECKPOINT = "ml-1m"
HEIGHT = 300
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def link() -> None:
    """One click from anywhere on the page to a matrix on which the fixed step diverges."""
    st.button(
        "Lesson: a step that is too long", icon=":material/school:", type="tertiary", key="lesson", on_click=_begin
    )


def _begin() -> None:
    chosen = {"data": FULL_HOUSE, "model": CHECKPOINT}
    chosen |= {name: getattr(DEFAULT, name) for name in ("keep", "by", "seed", "steps")}
    for name, value in chosen.items():
        st.session_state[name] = value
    playback = st.session_state.playback
    playback.slide(playback.last)  # where the fixed step has diverged


def draw(view: ShownView, t: int) -> None:
    """Both rules at step ``t``, and why one of them diverges; called again for every step."""
    said, pictures, why = view.once(("lesson", t), lambda: _lesson(view, t))
    look.finding(said)
    look.draw_in(st.columns([1, 1, 1.3], gap="medium"), pictures)
    look.small(why)


def _lesson(view: View, t: int) -> tuple[str, list[Picture], str]:
    rules, said = view.run.rules, outcome(view.run.rules)
    product = view.product_of(rules.fixed.trajectory, t)
    fixed = np.full(view.given.shape, np.nan) if product is None else view.clip(product)
    detail = "no numbers are left" if product is None else "clipped to the scale"
    curves = rule_curves(rules.fixed.rmse, rules.safe.rmse, rules.fixed.overflow, t, view.run.T, height=HEIGHT)
    pictures = [
        _estimate(view, fixed, "fixed", t, detail),
        _estimate(view, view.estimate(t), "safe", t, "clipped to the scale"),
        Picture(
            "Error per step",
            "RMSE on the given cells, not clipped",
            curves,
            "rules",
            f"Errors per step of both rules on a logarithmic axis. {said}",
        ),
    ]
    return said, pictures, reason(rules)


def _estimate(view: View, X: np.ndarray, name: str, t: int, detail: str) -> Picture:
    chart = rating_map(X, *view.run.range, view.axes(show_rows=False, show_cols=False), height=HEIGHT)
    alt = f"Heatmap of what the {name} step makes of every cell at step {t}."
    return Picture(f"By the {name} step", detail, chart, f"{name}_step", alt)


def outcome(rules: StepRules) -> str:
    start, fixed, safe = (written(rmse) for rmse in (rules.fixed.rmse[0], rules.fixed.rmse[-1], rules.safe.rmse[-1]))
    steps, overflow = len(rules.fixed.rmse) - 1, rules.fixed.overflow
    end = "" if overflow is None else f", and step {overflow} leaves no numbers at all"
    return (
        f"With the paper's fixed step the error goes from {start} to {fixed} in {steps} steps{end}. With the safe step "
        f"it goes to {safe}."
    )


def reason(rules: StepRules) -> str:
    largest, eta = rules.safe_sizes[0], rules.step_size
    return (
        "The more ratings a row has, the more the objective curves along its factors: by L, the sum of the squared "
        "factors of the columns that it rated, plus λ. A step up to 1 / (2 L) is safe: at the start that is "
        f"{written(largest)} for the row or column that curves most, and the fixed step η = {written(eta)} is "
        f"{eta / largest:.1f} times as long. It overshoots, so the factors grow, the curvature grows with their "
        f"squares, and the next step overshoots further: after {len(rules.safe_sizes) - 1} steps only "
        f"{written(rules.safe_sizes[-1])} would be safe. The safe rule takes the smaller of η and 1 / (2 L), for each "
        "row and column on its own. The universal checkpoint's sweeps have no step size at all."
    )


def written(value: float) -> str:
    """'0.0014', '3.7', '7 × 10⁴⁵'"""
    if 1e-4 <= value < 1e4:
        return f"{value:.2g}" if value < 1 else rounded(value)
    digits, exponent = f"{value:.0e}".split("e")
    return f"{digits} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
