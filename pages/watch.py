"""Watch: the factors and their product after every sweep or step, on colour scales that stay fixed."""

import numpy as np
import streamlit as st

from metamf.figures.lines import error_curves
from metamf.figures.maps import rating_map, signed_map
from metamf.figures.window import Axes
from metamf.tasks.run import TaskRun
from metamf.tasks.view import View
from metamf.webapp import frame, look
from metamf.webapp.look import Picture
from metamf.webapp.matrix import lesson, words
from metamf.webapp.matrix.page import ShownView, open_page
from metamf.webapp.matrix.steps import step_control
from metamf.wording import counted, rounded

COLUMNS = [1, 1, 1.1]  # relative widths
STEP = (
    r"u_n^{(t+1)} = u_n^{(t)} - \eta \Big( \textstyle\sum_m b_{nm} (u_n^{(t)\top} v_m^{(t)} - x_{nm})\, v_m^{(t)}"
    r" + \lambda\, (u_n^{(t)} - u_n^{(0)}) \Big)"
)
SWEEP = (
    r"\begin{pmatrix} u_n \\ a_n \end{pmatrix}^{\!(t+1)} \!\! = S_n \Big( \alpha_n \circ \begin{pmatrix} u_n \\ a_n"
    r" \end{pmatrix}^{\!(0)} \!\! + \textstyle\sum_m w_{nm} \, \mathrm{E}\big[ (x_{nm} - c_m)\, d_m \big] \Big),"
    r" \quad S_n^{-1} = \mathrm{diag}(\alpha_n) + \textstyle\sum_m w_{nm} \, \mathrm{E}\big[ d_m d_m^\top \big]"
)


def draw(view: ShownView, t: int) -> None:
    """Factors and product, residual, change, errors and formula; called again for every step ``t``."""
    if view.run.summaries[-1].diverged:
        lesson.draw(view, t)
    factors, changes, formula, numbers = view.once(
        ("round", t),
        lambda: (factor_pictures(view, t, "now", 290), change_pictures(view, t), *explained(view.run, t)),
    )
    look.draw_in(st.columns(COLUMNS, gap="medium"), factors)
    look.draw_in(st.columns(COLUMNS, gap="medium"), changes)
    st.latex(formula)
    look.small(numbers)


def factor_pictures(view: View, t: int, key: str, height: int, names: bool = True) -> list[Picture]:
    """U(t), V(t) and their product; ``names``: whether names stand beside them."""
    run, path = view.run, view.run.imputation.trajectory
    axes = view.axes(show_rows=names, show_cols=False)
    K, unit, after = path.U.shape[2], "coordinate" if run.round == "sweep" else "factor", f"after {run.round} {t}"
    pictures = []
    for name, factor, labels, first, what in (
        ("U", path.U[t, view.window.rows], axes.row_labels, axes.top, "row"),
        ("V", path.V[t, view.window.cols], axes.col_labels, axes.left, "column"),
    ):
        sides = Axes(labels, None, first, 0, what, unit, names, names)
        chart = signed_map(factor, run.largest_factor, sides, height=height)
        detail = f"{counted(len(factor), what)} × {K} {unit}s"
        pictures.append(
            Picture(f"{name}({t})", detail, chart, f"{key}-{name}", f"Heatmap of the factors {name} {after}.")
        )
    notes = np.where(view.is_given, "given", "not given")
    chart = rating_map(view.product(t), *run.range, axes, given=view.is_given, notes=notes, height=height)
    alt = f"Heatmap of the product of the factors {after}."
    return [*pictures, Picture(f"U({t}) V({t})ᵀ", "the estimate of every cell", chart, f"{key}-UV", alt, step=t)]


def change_pictures(view: View, t: int) -> list[Picture]:
    """Residual, change and errors."""
    run, found, axes = view.run, view.run.summaries[t], view.axes(show_cols=False)
    residual = Picture(
        "Residual",
        f"on the given cells, RMSE {rounded(found.given_rmse)}",
        signed_map(view.residual(t), run.largest_residual, axes, height=290),
        "residual",
        f"Heatmap of estimate minus rating on the given cells after {found.round} {t}.",
        look.signed_legend(run.largest_residual, "too low", "too high"),
    )
    change = Picture(
        "Change",
        f"of the estimate since {found.round} {t - 1}" if t else "none yet",
        signed_map(view.change(t), view.largest_change, axes, height=290),
        "change",
        f"Heatmap of what {found.round} {t} changed in the estimate.",
        look.signed_legend(view.largest_change, "down", "up"),
    )
    hidden = None if run.hidden_errors is None else run.hidden_errors.rmse
    curves = Picture(
        f"Error per {found.round}",
        "RMSE in rating units",
        error_curves(run.given_errors.rmse, hidden, t, found.round, height=290),
        "curves",
        f"RMSE per {found.round} on given and on hidden cells; {found.round} {t} is marked.",
    )
    return [residual, change, curves]


def explained(run: TaskRun, t: int) -> tuple[str, str]:
    """The formula of a round, and its numbers in round ``t``."""
    if run.pulls is not None:
        data, prior = (rounded(norms[t]) for norms in run.pulls)
        return STEP, (
            f"Eq. (5) at t = {t}: the ratings pull U with {data}, the prior pulls it back with {prior} (Frobenius "
            f"norms of the two terms, in standardised units). η = {run.step_size:.3g}, λ = {run.prior_precision:.3g}."
        )
    path, before = run.imputation.trajectory, max(t - 1, 0)
    U, V = (rounded(np.linalg.norm(factor[t] - factor[before])) for factor in (path.U, path.V))
    return SWEEP, (
        f"A sweep sets every row to its best value given the columns and how uncertain they are, then every column "
        f"given the rows. To reach t = {t}, U moved by {U} and V by {V} (Frobenius norms, in standardised units). "
        "There is no step size, so nothing can diverge. uₙ are the factors of row n, aₙ is its effect, dₘ = (vₘ, 1), "
        "cₘ the effect of column m, and w the precision of a rating. The last two coordinates are the effect and 1 in "
        "U, 1 and the effect in V: so U Vᵀ adds both effects."
    )


frame.ensure()
view = open_page(
    "Watch it adapt",
    "The network proposes factors U(0) and V(0). Round by round they move towards the given ratings, held back by the "
    "proposal.",
    note_rule=False,
)
last = view.run.summaries[-1]
prior, legend, hidden = view.once(
    "prior",
    lambda: (
        factor_pictures(view, 0, "prior", 160, names=False),
        look.rating_legend(*view.run.range, view.window.dotted),
        words.hidden_cells(last),
    ),
)
look.draw_in(st.columns(COLUMNS, gap="medium"), prior)
st.html(legend)
step_control(view, draw, picture="now-UV", play_at_start=False)
look.small(hidden)
if not last.diverged:
    lesson.link()
