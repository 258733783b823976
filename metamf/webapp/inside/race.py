"""A race of starts on the page Inside: the same MAP steps, Eqs. (6) and (7), from different prior means.

The prior mean is where the steps begin and what lambda pulls back to. The learned one comes from the network, Eq. (5).
The others know no other matrix: exactly zero; random numbers; the column means of the given ratings.

Zero is a saddle point: the gradient in U is a sum of residuals times V, and that in V one of residuals times U, so both
are zero, and the steps stay there for ever.

A step may be too long. The objective of the steps, Eq. (1) up to sign and constants, is

    f(w) = 1/2 sum over observed (u_n . v_m - x_nm)^2 + lambda/2 |w - w(0)|^2,    w = (U; V).

Along the direction in which it curves most, by the largest eigenvalue H of its second derivative, a gradient step of
size eta multiplies the distance from the bottom by 1 - eta H: beyond eta = 2 / H it ends on the other side, further up
than it began (any textbook on optimisation, such as Nesterov, "Lectures on convex optimization", 2018, Section 1.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st
import torch
from scipy.sparse.linalg import LinearOperator, eigsh

from metamf.answer.answer import Trajectory
from metamf.answer.significance import Lead, lead
from metamf.checkpoints.bundled import PRETRAINED, describe, in_sentence
from metamf.datasets.examples import FULL_HOUSE
from metamf.network.map_steps import fast_map_steps, map_steps
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.limits import ColumnLimits
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.webapp import address, look
from metamf.webapp.explore.choices import DEFAULT, AppState, checkpoint_choices
from metamf.webapp.explore.run import Run, deviations, run, trained_safe
from metamf.webapp.explore.view import PageView
from metamf.webapp.look import Picture
from metamf.wording import counted, rounded, written

if TYPE_CHECKING:
    import plotly.graph_objects as go

LEARNED = "learned prior"
MEANS = "column means"
RANDOM = "random"
ZERO = "zero"
STARTS = (LEARNED, MEANS, RANDOM, ZERO)
RANDOM_STARTS = 20  # enough for a spread, and a small matrix takes no time
LARGEST_COMPUTED = 250_000  # cells of a matrix up to which curvatures are computed; the page waits for it
# given ratings from which there are fewer random starts, and their number
_LARGE = 10_000
_FEW = 3
_TOLERANCE = 1e-3  # relative, of the eigenvalue; the picture shows two digits
_EXTREME = 1e15  # factors beyond which squares of squares would overflow

FactorPair = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Lane:
    """One kind of start with its errors (RMSE, rating units) for each of S starts after each step."""

    name: str  # one of ``STARTS``
    hidden: np.ndarray | None  # (S, T + 1) on the hidden cells, clipped, NaN once the factors are not finite; or None
    given: np.ndarray  # (S, T + 1) on the given cells, not clipped, so that a step that overshoots is seen
    squares: np.ndarray  # (n_hidden,) squared errors after the last step, averaged over the starts
    path: Trajectory  # of the first start

    @property
    def first(self) -> float:
        """Root mean squared error over the hidden cells, at least one, and the starts before the first step."""
        assert self.hidden is not None
        return float(np.sqrt(np.square(self.hidden[:, 0]).mean()))

    @property
    def last(self) -> float:
        """Root mean squared error over the hidden cells and the starts after the last step, NaN if some are not finite.
        Squares are averaged, as in ``lead``, so that who is first here is ahead there."""
        if self.hidden is None or not np.isfinite(self.hidden[:, -1]).all():
            return np.nan
        return float(np.sqrt(self.squares.mean()))

    @property
    def breaks(self) -> bool:
        """Whether the steps of some start leave the given ratings worse than they found them."""
        return not bool(np.all(self.given[:, -1] <= self.given[:, 0]))  # NaN breaks, too


@dataclass(frozen=True, eq=False)
class Race:
    """The lanes of a race, the learned prior first, by steps with eta and lambda."""

    lanes: tuple[Lane, ...]
    hidden: Ratings
    step_size: float
    prior_precision: float
    safe: bool  # whether each row's and column's step was bounded by its curvature
    longest: np.ndarray | None  # (t + 1,) ``longest_steps`` of the learned prior's lane

    @property
    def T(self) -> int:
        return self.learned.path.T

    @property
    def learned(self) -> Lane:
        return self.lanes[0]

    @cached_property
    def order(self) -> tuple[Lane, ...]:
        """The lanes whose errors are finite, the smallest error on the hidden cells first."""
        return tuple(sorted((lane for lane in self.lanes if np.isfinite(lane.last)), key=lambda lane: lane.last))

    @cached_property
    def lead(self) -> Lead | None:
        """The lead of the learned prior over the best other start; None where one of them has no error."""
        others = [lane for lane in self.order if lane is not self.learned]
        if self.learned not in self.order or not others:
            return None
        return lead(self.learned.squares, others[0].squares, self.hidden, others[0].name)

    @property
    def harms(self) -> bool:
        """Whether another start is ahead of the learned prior by more than chance explains."""
        return self.lead is not None and self.lead.behind

    @property
    def first_overshoot(self) -> int | None:
        """The first step of the learned prior's lane that was longer than the curvature allows; None if none was."""
        if self.safe or self.longest is None:
            return None
        over = np.flatnonzero(self.step_size > self.longest[: self.T])
        return int(over[0]) + 1 if len(over) else None


def race(
    run: Run,
    *,
    step_size: float | None = None,
    prior_precision: float | None = None,
    safe: bool | None = None,
    seed: int = 0,
    names: Sequence[str] = STARTS,
) -> Race:
    """Takes the same MAP steps from every start of ``names``, the learned prior among them.

    Eta, lambda and whether steps are safe are those of the checkpoint unless they are given; ``safe`` bounds each row's
    and column's step by its curvature (``map_steps``). The checkpoint of the run is one of the
    paper's, which takes steps of a size.
    """
    assert run.step_size is not None and run.prior_precision is not None
    eta = run.step_size if step_size is None else step_size
    lam = run.prior_precision if prior_precision is None else prior_precision
    if safe is None:
        safe = trained_safe(run.method)
    task = run.task
    units = run.answer.trajectory.standardization
    values = units.apply(task.given.values.astype(np.float64))
    batch = RatingsBatch.of([task.given.with_values(values)])
    lanes = []
    for name, starts in starting_factors(run, seed).items():
        if name in names:
            paths = [_path(start, batch, eta, lam, run.T, safe) for start in starts]
            lanes.append(_lane(name, [Trajectory(U, V, units) for U, V in paths], run))
    return Race(tuple(lanes), task.hidden, eta, lam, safe, longest_steps(lanes[0].path, task.given, lam))


def starting_factors(run: Run, seed: int) -> dict[str, list[FactorPair]]:
    """The starts (N, K), (M, K) by name, in standardised units.

    The random ones have the mean square of the learned prior, so that their size is no handicap. The start at the
    column means has one factor: 1 for each row, and for each column the mean of its given ratings, or of all ratings.
    """
    path = run.answer.trajectory
    given = run.task.given
    U0 = path.U[0]
    V0 = path.V[0]
    rng = np.random.default_rng(seed)

    def drawn(factor: np.ndarray) -> np.ndarray:
        size = np.sqrt(np.mean(np.square(factor)))
        return (size * rng.standard_normal(factor.shape)).astype(factor.dtype)

    random = [(drawn(U0), drawn(V0)) for _ in range(RANDOM_STARTS if given.nnz < _LARGE else _FEW)]
    z = path.standardization.apply(given.values.astype(np.float64))
    sums = np.bincount(given.cols, z, minlength=given.n_cols)
    counts = given.col_counts
    zero = (np.zeros_like(U0), np.zeros_like(V0))
    means = (np.zeros_like(U0), np.zeros_like(V0))
    means[0][:, 0] = 1
    means[1][:, 0] = np.where(counts > 0, sums / np.maximum(counts, 1), z.mean())
    return {LEARNED: [(U0, V0)], MEANS: [means], RANDOM: random, ZERO: [zero]}


@torch.inference_mode()
def _path(start: FactorPair, batch: RatingsBatch, eta: float, lam: float, T: int, safe: bool) -> FactorPair:
    """(T + 1, N, K), (T + 1, M, K) the factors after every step."""
    U0, V0 = (torch.tensor(factor, dtype=batch.x.dtype) for factor in start)
    step_size, precision = (torch.tensor(value, dtype=batch.x.dtype) for value in (eta, lam))
    steps = partial(map_steps, safe=True) if safe else fast_map_steps
    path = steps(U0, V0, batch, step_size, precision, T).path.numpy()
    return path[:, : batch.N], path[:, batch.N :]


def _lane(name: str, paths: list[Trajectory], run: Run) -> Lane:
    task = run.task
    scale = run.answer.limits
    with np.errstate(over="ignore", invalid="ignore"):  # steps that overshoot end in numbers that are not finite
        given = [_rmse(path, task.given, None)[0] for path in paths]
        hidden = [_rmse(path, task.hidden, scale) for path in paths] if task.hidden.nnz else []
    squares = np.mean([last for _, last in hidden], axis=0) if hidden else np.zeros(0)
    errors = np.array([rmse for rmse, _ in hidden]) if hidden else None
    return Lane(name, errors, np.array(given), squares, paths[0])


def _rmse(path: Trajectory, cells: Ratings, scale: RatingScale | ColumnLimits | None) -> tuple[np.ndarray, np.ndarray]:
    """(T + 1,) root mean squared errors on ``cells``, and (n,) the squared errors after the last step."""
    finite = [bool(np.isfinite(U).all() and np.isfinite(V).all()) for U, V in zip(path.U, path.V)]
    path = replace(path, U=path.U.astype(np.float64), V=path.V.astype(np.float64))
    sums = np.zeros(path.T + 1)
    last = []
    for E in deviations(path, cells, scale):
        sums += np.square(E).sum(axis=1)
        last.append(np.square(E[-1]))
    return np.where(finite, np.sqrt(sums / cells.nnz), np.nan), np.concatenate(last)


def longest_steps(path: Trajectory, ratings: Ratings, lam: float) -> np.ndarray | None:
    """(t + 1,) 2 / H, the longest step that does not overshoot, at every step of a path in standardised units.

    It ends where the factors are not finite or beyond 1e15; None for a matrix of more than ``LARGEST_COMPUTED`` cells.
    """
    N, M = ratings.shape
    if N * M > LARGEST_COMPUTED:
        return None
    mask = np.zeros((N, M))
    X = np.zeros((N, M))
    mask[ratings.rows, ratings.cols] = 1
    X[ratings.rows, ratings.cols] = path.standardization.apply(ratings.values.astype(np.float64))
    found = []
    start = None
    for U, V in zip(path.U.astype(np.float64), path.V.astype(np.float64)):
        if not (np.abs(U).max() < _EXTREME and np.abs(V).max() < _EXTREME):  # NaN ends here, too
            break
        largest, start = largest_curvature(U, V, mask, X, lam, start)
        found.append(2 / largest)
    return np.array(found)


def largest_curvature(
    U: np.ndarray, V: np.ndarray, mask: np.ndarray, X: np.ndarray, lam: float, start: np.ndarray | None = None
) -> tuple[float, np.ndarray]:
    """The largest eigenvalue of the objective's second derivative in (U; V), and a direction ((N + M) K,) that has it.

    ``mask`` (N, M) is 1 at the observed cells; ``X`` (N, M) has the ratings there, in standardised units. The
    search begins with the direction ``start``, such as that of the step before.
    """
    N, K = U.shape
    residual = mask * (U @ V.T) - X  # (N, M)

    def product(direction: np.ndarray) -> np.ndarray:
        dU, dV = np.split(direction.reshape(-1, K), [N])  # (N, K), (M, K)
        change = mask * (dU @ V.T + U @ dV.T)  # (N, M) of the residual, along the direction
        slopes = (change @ V + residual @ dV, change.T @ U + residual.T @ dU)
        return np.concatenate(slopes).ravel() + lam * direction.ravel()

    size = (N + len(V)) * K
    if start is None:
        start = np.random.default_rng(0).standard_normal(size)
    operator = LinearOperator((size, size), product, dtype=np.float64)
    values, vectors = eigsh(operator, 1, which="LA", v0=start, tol=_TOLERANCE)
    return float(values[0]), vectors[:, 0]


# -- the page ----------------------------------------------------------------------------------------------------

HEIGHT = 380  # pixels
TIMES_ETA = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)  # multiples of the learned eta
TIMES_LAMBDA = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0, 300.0)  # of the learned lambda; the last one diverges
ETA = "race_eta"
LAMBDA = "race_lambda"
SAFE = "race_safe"
SEED = "race_seed"
LEARNED_VALUES = {ETA: 1.0, LAMBDA: 1.0, SAFE: False}
FOR_THE_END = "film-nights"  # the checkpoint of Eq. (9)
EVERY_STEP = "film-nights-every-step"  # the one whose loss is the error after any step
FOR_EVERY_STEP = PRETRAINED / "inside" / f"{EVERY_STEP}.safetensors"
TRAINED = {FOR_THE_END: "for the end", EVERY_STEP: "for every step"}
RESCUED = "learned prior, safe steps"
NAMES = {LEARNED: "the learned prior", MEANS: "the column means", RANDOM: "random numbers", ZERO: "zero"}
_TRIES = {
    "Make the step 100 times as long": {ETA: 100.0},
    "No prior: λ = 0, 40 steps": {LAMBDA: 0.0, "steps": 40},  # after ten it has hardly begun to fit noise
    "Let the prior pull 300 times as hard": {LAMBDA: 300.0},
}
TOO_LONG = {"data": FULL_HOUSE, "model": "ml-1m", "keep": 50, "by": "at random", "seed": 1, "steps": DEFAULT.steps}
_KEPT = ("data", "block", "keep", "by", "seed", "model", "steps", "sweeps", ETA, LAMBDA, SAFE, SEED)
_MOVED = "race_moved"  # in the session: whether a button of this fragment has chosen another matrix
_BEFORE = "before_too_long"  # in the session: the choices before the example of a step that is too long


def paper_run(view: PageView) -> Run:
    """The view's run where it takes MAP steps, else one of the first checkpoint that does."""
    if view.run.step_size is not None:
        return view.run
    steps = [name for name, choice in checkpoint_choices().items() if not choice.takes_sweeps]
    name = next(name for name in steps if describe(name).is_usual)
    return view.once(("paper", name), lambda: run(view.run.task, name, DEFAULT.steps))


def draw(view: PageView) -> None:
    if st.session_state.pop(_MOVED, False):
        st.rerun()  # the whole page, as the sidebar has changed
    look.heading("Does it matter where the steps start?")
    run = paper_run(view)
    if run.method == FOR_THE_END and FOR_EVERY_STEP.is_file():
        run = _trained_for(view, run)
    elif run is not view.run:
        look.small(f"The chosen model has no step size, so here {in_sentence(run.method)} steps.")
    settings = _controls(run)
    answer, chart = st.empty(), st.empty()
    result, usual, rescued, pictures = view.once(("race", run.method, *settings), lambda: _result(run, *settings))
    with answer.container():
        look.finding(verdict(result, rescued))
        if sentence := beside_learned(result, usual):
            look.small(sentence)
    with chart:
        for place, picture in zip(st.columns([1.35, 1], gap="medium"), pictures):
            with place:
                picture.draw()
    look.small(why(result))
    if result.learned.hidden is not None:
        look.small(spread(result))
    with st.container(horizontal=True, gap="small"):
        for label, values in _TRIES.items():
            st.button(label, key=f"try {label}", on_click=_try, args=(values,))
        back = {"steps": DEFAULT.steps}
        st.button("Back to the learned values", key="race_back", on_click=_try, args=(back,), type="tertiary")
        if AppState.read(st.session_state).data != FULL_HOUSE:
            label = "A table on which the step is too long"
            st.button(label, icon=":material/straighten:", key="too_long", on_click=_to_too_long)


def _trained_for(view: PageView, end: Run) -> Run:
    """Draws the switch of what the prior was trained for; returns the run of that network."""
    every = view.once("every step", lambda: run(end.task, str(FOR_EVERY_STEP), end.T))
    chosen = address.choose("Prior trained", TRAINED, "race_trained")
    if end.hidden_errors is not None and every.hidden_errors is not None:
        guess, last = (rounded(float(end.hidden_errors[step])) for step in (0, -1))
        other_guess, other_last = (rounded(float(every.hidden_errors[step])) for step in (0, -1))
        look.small(
            f"Trained for the end, the guess is off by {guess} and the end by {last}: the prior is the best start, not "
            f"the best guess. Trained for every step: {other_guess} and {other_last}."
        )
    return every if chosen == EVERY_STEP else end


def _controls(run: Run) -> tuple[float, float, bool, int]:
    """Draws the controls; returns eta, lambda, whether steps are limited, and the seed of the random starts."""
    one, two, three, four = st.columns([1.3, 1.3, 1.1, 1.2], gap="medium", vertical_alignment="bottom")
    times = "{:g}".format
    label = "Step size η x learned"
    times_eta = one.select_slider(label, TIMES_ETA, 1.0, format_func=times, **address.control(ETA))
    label = "Pull of the prior λ x learned"
    times_lambda = two.select_slider(label, TIMES_LAMBDA, 1.0, format_func=times, **address.control(LAMBDA))
    seed = three.number_input("Seed of the random starts", 0, 9999, 1, **address.control(SEED))
    with four:
        help = "Shortens the step of every row and column that would overshoot"
        trained_so = trained_safe(run.method)
        if trained_so:
            help += ". This network was trained with them"
        safe = st.toggle("Safe steps", help=help, disabled=trained_so, **address.control(SAFE)) or trained_so
    assert run.step_size is not None and run.prior_precision is not None
    eta, lam = run.step_size * times_eta, run.prior_precision * times_lambda
    look.small(
        f"T = {run.T} steps (set in the sidebar), η = {written(eta)}, λ = {written(lam)}. Training found "
        f"η = {written(run.step_size)} and λ = {written(run.prior_precision)}."
    )
    return eta, lam, safe, seed


def _try(values: dict[str, float]) -> None:
    """Takes the learned values but for ``values``; the number of steps belongs to the sidebar."""
    st.session_state.update(LEARNED_VALUES | values | {_MOVED: "steps" in values})


def _result(run: Run, eta: float, lam: float, safe: bool, seed: int) -> tuple[Race, Race, Race | None, list[Picture]]:
    """The race, the learned prior with the learned values, and with safe steps where it diverges without them, and the
    figures."""
    result = race(run, step_size=eta, prior_precision=lam, safe=safe, seed=seed)
    usual = race(run, names=[LEARNED])
    rescued = None
    if result.learned.breaks:
        rescued = race(run, step_size=eta, prior_precision=lam, safe=True, names=[LEARNED])
    pictures = []
    if result.learned.hidden is not None:
        chart, table = curves_figure(result, rescued, height=HEIGHT)
        alt = alt_of_curves(result)
        pictures.append(Picture("Error on hidden cells", "RMSE per step", chart, "race", alt, table=table))
    if (longest := result.longest) is not None:
        from metamf.figures.lines import step_lengths

        chart = step_lengths(longest, eta, result.T, height=HEIGHT)
        alt = (
            f"Longest step that does not overshoot, from {written(longest[0])} at the start to {written(longest[-1])}, "
            f"next to the step taken, {written(eta)}."
        )
        lines = [[str(t), written(value)] for t, value in enumerate(longest)]
        table = look.table("Longest step that does not overshoot.", ["step", "longest"], lines)
        pictures.append(Picture("Longest safe step", "shaded: too long", chart, "lengths", alt, table=table))
    return result, usual, rescued, pictures


def curves_figure(found: Race, rescued: Race | None = None, *, height: int) -> tuple[go.Figure, str]:
    """The figure of the errors on hidden cells per step, and the table of its numbers as HTML."""
    from metamf.figures.lines import race_curves  # with Plotly

    errors = {lane.name: lane.hidden for lane in found.lanes if lane.hidden is not None}
    if rescued is not None and rescued.learned.hidden is not None:
        errors[RESCUED] = rescued.learned.hidden
    columns: dict[str, np.ndarray] = {}
    for name, of_starts in errors.items():
        columns[name] = of_starts.mean(axis=0)
        if len(of_starts) > 1:
            columns |= {"smallest": of_starts.min(axis=0), "largest": of_starts.max(axis=0)}
    lines = [
        [str(t), *(rounded(values[t]) if np.isfinite(values[t]) else "–" for values in columns.values())]
        for t in range(found.T + 1)
    ]
    caption = "RMSE on the hidden cells per step. For random starts: mean, smallest and largest."
    return race_curves(errors, height=height), look.table(caption, ["step", *columns], lines)


def verdict(found: Race, rescued: Race | None = None) -> str:
    """The sentences on which start wins, by how much, and whether by chance; or on steps that diverge, where
    ``rescued`` is the race of the learned prior with safe steps."""
    if found.learned.breaks:
        return f"{_broken(found)} {_others(found, rescued)}"
    if found.learned.hidden is None:
        return "No rating is hidden, so the starts cannot be compared. Show the model fewer ratings."
    over = found.lead
    assert over is not None  # zero always stays finite
    other = next(lane for lane in found.lanes if lane.name == over.over)
    text = (
        f"After {counted(found.T, 'step')}, the learned prior is off by {rounded(found.learned.last)}; the best other "
        f"start, {_start(other)}, by {rounded(other.last)}"
    )
    if over.ahead:
        return f"{text}."
    return f"{text}: {'here the learned prior does harm' if found.harms else 'no clear difference'}."


def beside_learned(found: Race, usual: Race) -> str:
    """The sentence on what another eta or lambda does to the errors on given and hidden cells; '' where they are the
    learned ones, or the steps diverge."""
    same = (found.step_size, found.prior_precision) == (usual.step_size, usual.prior_precision)
    if same or found.learned.breaks or found.learned.hidden is None:
        return ""
    pull = "Without the pull of the prior" if not found.prior_precision else "With these values"
    given, usual_given = (float(one.learned.given[0, -1]) for one in (found, usual))
    return (
        f"{pull}, the given cells end {rounded(given)} off instead of {rounded(usual_given)}, and the hidden ones "
        f"{rounded(found.learned.last)} instead of {rounded(usual.learned.last)}."
    )


def _broken(found: Race) -> str:
    given = found.learned.given[0]
    end = int(np.flatnonzero(np.isfinite(given))[-1])  # the last step with finite factors
    text = (
        f"The steps are too long: from the learned prior, the error on the given ratings grows from "
        f"{written(given[0])} to {written(given[end])} in {counted(end, 'step')}"
    )
    return f"{text}, and step {end + 1} overflows." if end < found.T else f"{text}."


def _others(found: Race, rescued: Race | None) -> str:
    """The best start where the learned prior diverges, and the result of safe steps."""
    if not found.order:
        return ""
    best = found.order[0]
    if rescued is not None and not rescued.learned.breaks:
        text = f"With safe steps, the error on the hidden cells falls to {rounded(rescued.learned.last)}."
        if best.last >= rescued.learned.last:
            return text
        return (
            f"{text} {_start(best).capitalize()} does even better with {rounded(best.last)}: no prior is needed here."
        )
    if best.name == ZERO:
        return f"Zero never moves and has an error of {rounded(best.last)} on the hidden cells."
    return f"The smallest error on the hidden cells is {rounded(best.last)}, of {_start(best)}."


def spread(found: Race) -> str:
    """The sentences on the spread of the random starts, and on why zero stays where it is."""
    text = "Zero factors never move: each gradient is a multiple of the other side."
    lane = next(lane for lane in found.lanes if lane.name == RANDOM)
    if lane.hidden is None or not np.isfinite(lane.last):
        return text
    last = lane.hidden[:, -1]
    return (
        f"The band holds {len(last)} random starts as large as the learned one; they end between "
        f"{rounded(last.min())} and {rounded(last.max())}. {text}"
    )


def why(found: Race) -> str:
    """The sentences on why the steps of the learned prior diverge, or do not."""
    eta = found.step_size
    longest = found.longest
    if found.safe:
        return (
            "A safe step for row n is the smaller of η and 1 / (2 L), where L is λ plus the sum of the squared factors "
            "of the columns it rated; columns likewise. Nothing overshoots, however large η is."
        )
    if longest is None:
        return "Too large to compute the longest safe step here."
    step = found.first_overshoot
    rule = "2 divided by the largest curvature of the objective"
    if step is None:
        return (
            f"η = {written(eta)} stays below the longest step that does not overshoot, which is at least "
            f"{written(longest.min())} ({rule}). The limit falls with the number of ratings per row or column, and "
            "with the size of the factors."
        )
    text = (
        f"In step {step}, η = {written(eta)} is {eta / longest[step - 1]:.1f} times the longest step that does not "
        f"overshoot, {written(longest[step - 1])} ({rule}). "
    )
    if not found.learned.breaks:
        return f"{text}It lands on the other side of the valley, but the factors shrink and later steps recover."
    return (
        f"{text}It lands higher up on the other side of the valley. The factors grow, the curvature grows with their "
        f"squares, and each step overshoots further: the limit falls to {written(longest[-1])}."
    )


def alt_of_curves(found: Race) -> str:
    ends = [
        f"{NAMES[lane.name]} {rounded(lane.last) if np.isfinite(lane.last) else 'diverged'}" for lane in found.lanes
    ]
    return f"Error on the hidden cells per step from four starts. After step {found.T}: {', '.join(ends)}."


def _start(lane: Lane) -> str:
    many = f" ({len(lane.given)} starts on average)" if len(lane.given) > 1 else ""
    return f"{NAMES[lane.name]}{many}"


def way_back() -> None:
    """Draws, on the example of a step that is too long, a note and a button back to the choices before it."""
    before = st.session_state.get(_BEFORE)
    if before is None:
        return
    if AppState.read(st.session_state).data != FULL_HOUSE:  # the visitor has left by another way
        del st.session_state[_BEFORE]
        return
    look.note(
        "Too long a step: each of these 200 guests rated nearly all of 300 dishes, and a step size that suits small "
        "tables overshoots."
    )
    st.button(f"Back to {before['data']}", icon=":material/undo:", key="too_long_back", on_click=_back)


def _to_too_long() -> None:
    session = st.session_state
    session[_BEFORE] = {key: session[key] for key in _KEPT if session.get(key) is not None}
    session.update(TOO_LONG | LEARNED_VALUES | {SEED: 1, _MOVED: True})


def _back() -> None:
    st.session_state.update(st.session_state.pop(_BEFORE))
