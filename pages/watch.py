"""Watch: the factors and their product after every sweep or step, on colour scales that stay fixed."""

import numpy as np
import streamlit as st

from metamf import wording
from metamf.figures.maps import error_curves, rating_map, signed_map
from metamf.figures.window import Axes
from metamf.tasks.run import TaskRun
from metamf.tasks.view import View
from metamf.webapp import look
from metamf.webapp.matrix import lesson, words
from metamf.webapp.matrix.page import open_page
from metamf.webapp.matrix.steps import step_control

COLUMNS = [1, 1, 1.1]
STEP = (
    r"u_n^{(t+1)} = u_n^{(t)} - \eta \Big( \textstyle\sum_m b_{nm} (u_n^{(t)\top} v_m^{(t)} - x_{nm})\, v_m^{(t)}"
    r" + \lambda\, (u_n^{(t)} - u_n^{(0)}) \Big)"
)
SWEEP = (
    r"\begin{pmatrix} u_n \\ a_n \end{pmatrix}^{\!(t+1)} \!\! = S_n \Big( \alpha_n \circ \begin{pmatrix} u_n \\ a_n"
    r" \end{pmatrix}^{\!(0)} \!\! + \textstyle\sum_m w_{nm} \, \mathrm{E}\big[ (x_{nm} - c_m)\, d_m \big] \Big),"
    r" \quad S_n^{-1} = \mathrm{diag}(\alpha_n) + \textstyle\sum_m w_{nm} \, \mathrm{E}\big[ d_m d_m^\top \big]"
)


def factors(view: View, t: int, key: str, height: int, names: bool = True) -> None:
    """U(t), V(t) and their product, side by side."""
    run = view.run
    low, high = run.range
    path, axes = run.imputation.trajectory, view.axes(show_rows=names, show_cols=False)
    u, v, uv = st.columns(COLUMNS, gap="medium")
    K, unit = path.U.shape[2], "coordinate" if run.round == "sweep" else "factor"
    sides = (
        ("U", u, path.U[t, view.window.rows], axes.row_labels, axes.top, "row"),
        ("V", v, path.V[t, view.window.cols], axes.col_labels, axes.left, "column"),
    )
    for name, column, factor, labels, first, what in sides:
        with column:
            look.panel(f"{name}({t})", f"{wording.counted(len(factor), what)} × {K} {unit}s")
            factor_axes = Axes(labels, None, first, 0, what, unit, names, names)
            chart = signed_map(factor, run.largest_factor, factor_axes, height=height)
            look.figure(chart, f"{key}-{name}", f"Heatmap of the factors {name} after {run.round} {t}.")
    with uv:
        look.panel(f"U({t}) V({t})ᵀ", "the estimate of every cell")
        notes = np.where(view.is_given, "given", "not given")
        chart = rating_map(view.product(t), low, high, axes, given=view.is_given, notes=notes, height=height)
        look.figure(chart, f"{key}-UV", f"Heatmap of the product of the factors after {run.round} {t}.", step=t)


def draw(view: View, t: int) -> None:
    run = view.run
    axes = view.axes(show_cols=False)
    if run.rules is not None:
        lesson.draw(view, t)
    factors(view, t, "now", 290)
    residual, change, curves = st.columns(COLUMNS, gap="medium")
    with residual:
        look.panel("Residual", f"on the given cells, RMSE {wording.rounded(run.given_errors.rmse[t])}")
        chart = signed_map(view.residual(t), run.largest_residual, axes, height=290)
        look.figure(chart, "residual", f"Heatmap of estimate minus rating on the given cells after {run.round} {t}.")
        look.signed_legend(run.largest_residual, "too low", "too high")
    with change:
        look.panel("Change", f"of the estimate since {run.round} {t - 1}" if t else "none yet")
        chart = signed_map(view.change(t), view.largest_change, axes, height=290)
        look.figure(chart, "change", f"Heatmap of what {run.round} {t} changed in the estimate.")
        look.signed_legend(view.largest_change, "down", "up")
    with curves:
        look.panel(f"Error per {run.round}", "RMSE in rating units")
        hidden = None if run.hidden_errors is None else run.hidden_errors.rmse
        chart = error_curves(run.given_errors.rmse, hidden, t, run.round, height=290)
        look.figure(chart, "curves", f"RMSE per {run.round} on given and on hidden cells; {run.round} {t} is marked.")
    (explain_sweep if run.round == "sweep" else explain_step)(run, t)


def explain_step(run: TaskRun, t: int) -> None:
    st.latex(STEP)
    data, prior = (wording.rounded(norms[t]) for norms in run.pulls)
    look.small(
        f"Eq. (5) at t = {t}: the ratings pull U with {data}, the prior pulls it back with {prior} (Frobenius "
        f"norms of the two terms, in standardised units). η = {run.step_size:.3g}, λ = {run.prior_precision:.3g}."
    )


def explain_sweep(run: TaskRun, t: int) -> None:
    st.latex(SWEEP)
    path, before = run.imputation.trajectory, max(t - 1, 0)
    U, V = (wording.rounded(np.linalg.norm(factor[t] - factor[before])) for factor in (path.U, path.V))
    look.small(
        f"A sweep sets every row to its best value given the columns and how uncertain they are, then every column "
        f"given the rows. To reach t = {t}, U moved by {U} and V by {V} (Frobenius norms, in standardised units). "
        "There is no step size, so nothing can diverge. uₙ are the factors of row n, aₙ is its effect, dₘ = (vₘ, 1), "
        "cₘ the effect of column m, and w the precision of a rating. The last two coordinates are the effect and 1 in "
        "U, 1 and the effect in V: so U Vᵀ adds both effects."
    )


view = open_page(
    "Watch it adapt",
    "The network proposes factors U(0) and V(0). Round by round they move towards the given ratings, held back by the "
    "proposal.",
    note_rule=False,
)
factors(view, 0, "prior", 160, names=False)
look.rating_legend(*view.run.range, view.window.dotted)
step_control(view, draw, picture="now-UV")
look.small(words.hidden_cells(view.run.task))
if view.run.rules is None:
    lesson.link()
