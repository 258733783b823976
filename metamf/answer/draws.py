"""Twenty filled-in tables instead of one: draws of the missing cells, and Rubin's rules for what is computed from them.

One filled-in table makes correlations, tests and regressions look surer than they are, since an estimate has neither
the noise of a rating nor the doubt about itself. Each draw has both, and the tables differ as far as the data leave the
missing cells open. A statistic Q with variance W of its own is computed from each of the m tables, and pooled,

    Q = mean of Q_d,    T = mean of W_d + (1 + 1 / m) B,    B = variance of Q_d,

with a t distribution of Barnard and Rubin's degrees of freedom. Rubin (1987), "Multiple Imputation for Nonresponse in
Surveys"; Barnard and Rubin (1999), "Small-sample degrees of freedom with multiple imputation".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
import scipy.special
import scipy.stats
import torch

from metamf.answer.adaptation import Adaptation
from metamf.answer.ensemble import MOST_COLUMNS
from metamf.baselines.normal_draws import bootstrap_draws, truncated
from metamf.network.universal.network import AdaptedUniversal
from metamf.network.universal.posterior_draws import deviates
from metamf.ratings.limits import ColumnLimits
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import By, SidedUnits

DrawsBy = Literal["auto", "columns", "posterior"]
FARTHEST = 30.0  # probabilities beyond are hardly floats
MOST_NUMBERS = 100_000_000  # of all draws together; 800 MB
# rows per column, and share of given cells, of a table whose relations can be drawn
FEWEST_ROWS = 2
LEAST_GIVEN = 0.5
PURPOSES = {
    "columns": "any analysis: means, correlations, regressions, tests",
    "posterior": "cells, means and rankings; relations between columns are understated",
}


@dataclass(frozen=True)
class Pooled:
    """A statistic pooled over draws by Rubin's rules; numbers, or arrays of the shape of the statistic."""

    estimate: Any
    standard_error: Any
    df: Any  # degrees of freedom, Barnard and Rubin's
    lower: Any  # ends of the interval
    upper: Any
    missing_information: Any  # fraction of the information that is missing, 0 to 1
    level: float
    m: int


@dataclass(frozen=True, eq=False)
class Draws:
    """``m`` filled-in tables that differ as the estimates are uncertain; given cells are the same in all."""

    ratings: Ratings  # the given entries, N x M
    rows: np.ndarray  # (n,) positions of the missing cells
    cols: np.ndarray
    values: np.ndarray  # (m, n) their values
    by: Literal["columns", "posterior"]  # what they were drawn from
    form: Callable[[np.ndarray], Any] = np.asarray  # makes a table in the form of the input of an array

    def __repr__(self) -> str:
        N, M = self.ratings.shape
        if not len(self.rows):
            return f"Draws(m={self.m}, {N} x {M}: no cell is missing, so each is the table itself)"
        return f"Draws(m={self.m}, {N} x {M}, {len(self.rows)} cells missing, for {self.purpose})"

    @property
    def m(self) -> int:
        """The number of tables."""
        return len(self.values)

    @property
    def purpose(self) -> str:
        """What the tables are for."""
        return PURPOSES[self.by]

    def beside(self, ratings: Ratings) -> Draws:
        """The same draws next to other given entries: what is given there is no longer drawn."""
        missing = np.ones(self.ratings.shape, dtype=bool)
        missing[ratings.rows, ratings.cols] = False
        kept = missing[self.rows, self.cols]
        rows = self.rows[kept]
        cols = self.cols[kept]
        return replace(self, ratings=ratings, rows=rows, cols=cols, values=self.values[:, kept])

    def arrays(self) -> Iterator[np.ndarray]:
        """The m tables (N, M) as arrays, in rating units."""
        table = np.empty(self.ratings.shape)
        table[self.ratings.rows, self.ratings.cols] = self.ratings.values
        for values in self.values:
            table[self.rows, self.cols] = values
            yield table.copy()

    def tables(self) -> Iterator[Any]:
        """The m tables, arrays or data frames as the input was."""
        return map(self.form, self.arrays())

    def long(self) -> pd.DataFrame:
        """All tables below each other, with a first column ``imputation``, 1 to m."""
        names = self.ratings.col_labels or range(self.ratings.n_cols)
        frames = []
        for number, table in enumerate(self.tables(), 1):
            frame = table.copy() if isinstance(table, pd.DataFrame) else pd.DataFrame(table, columns=list(names))
            frame.insert(0, "imputation", number, allow_duplicates=True)
            frames.append(frame)
        return pd.concat(frames)

    def at(self, row: int, col: int) -> np.ndarray:
        """(m,) the draws of one cell, of integer positions; the same number m times for a given cell.

        IndexError for a position outside the matrix.
        """
        N, M = self.ratings.shape
        if not (0 <= row < N and 0 <= col < M):
            raise IndexError(f"cell ({row}, {col}) lies outside the {N} x {M} matrix")
        found = np.flatnonzero((self.rows == row) & (self.cols == col))
        if len(found):
            return self.values[:, found[0]]
        given = (self.ratings.rows == row) & (self.ratings.cols == col)
        return np.repeat(self.ratings.values[given], self.m).astype(np.float64)

    def pool(self, statistic: Callable[[Any], Any], df: float | None = None, level: float = 0.95) -> Pooled:
        """A statistic of the complete table, pooled by Rubin's rules.

        Parameters
        ----------
        statistic : callable
            A table, as ``tables`` yields it, -> (estimate, variance): two numbers, or two arrays of one shape, such as
            the coefficients of a regression and their squared standard errors.
        df : float, optional
            Degrees of freedom that the statistic would have in a complete table; by default N - 1.
        level : float
            The level of the interval.

        Raises
        ------
        ValueError
            If ``statistic`` returns something else, or a variance is negative.
        """
        found = [_checked(statistic(table)) for table in self.tables()]
        if len({estimate.shape for estimate, _ in found}) > 1:
            raise ValueError("statistic returned estimates of different shapes from different tables")
        complete = self.ratings.n_rows - 1 if df is None else df
        return pooled(np.stack([each[0] for each in found]), np.stack([each[1] for each in found]), complete, level)


def pooled(estimates: np.ndarray, variances: np.ndarray, df: float, level: float = 0.95) -> Pooled:
    """Rubin's rules for estimates (m, ...) and their variances, with ``df`` degrees of freedom in a complete table."""
    m = len(estimates)
    if m < 2 or not df > 0 or not 0 < level < 1:
        raise ValueError(f"pooling needs two tables, df > 0 and a level between 0 and 1, got {m}, {df} and {level}")
    estimate = estimates.mean(axis=0)
    within = variances.mean(axis=0)
    between = (1 + 1 / m) * estimates.var(axis=0, ddof=1)
    total = within + between
    share = np.divide(between, total, out=np.zeros_like(total), where=total > 0)  # of the variance, by missing cells
    observed = (df + 1) / (df + 3) * df * (1 - share)
    with np.errstate(divide="ignore"):
        found = 1 / (share**2 / (m - 1) + 1 / observed)
    rise = np.divide(between, within, out=np.full_like(total, np.inf), where=within > 0)
    information = np.where(np.isinf(rise), 1.0, (np.nan_to_num(rise) + 2 / (found + 3)) / (np.nan_to_num(rise) + 1))
    information = np.where(share > 0, information, 0.0)
    error = np.sqrt(total)
    with np.errstate(invalid="ignore"):
        half = np.where(error > 0, scipy.stats.t.ppf((1 + level) / 2, np.maximum(found, 1e-3)) * error, 0.0)
    parts = [estimate, error, found, estimate - half, estimate + half, information]
    estimate, error, found, lower, upper, information = (float(x) if np.ndim(x) == 0 else x for x in parts)
    return Pooled(estimate, error, found, lower, upper, information, level, m)


def _checked(found: Any) -> tuple[np.ndarray, np.ndarray]:
    """The estimate and the variance that a statistic returned."""
    try:
        estimate, variance = (np.asarray(part, dtype=np.float64) for part in found)
    except (TypeError, ValueError):
        raise ValueError(f"statistic must return a pair (estimate, variance) of numbers, got {found!r}") from None
    if estimate.shape != variance.shape:
        raise ValueError(f"estimate and variance must have one shape, got {estimate.shape} and {variance.shape}")
    if not (np.isfinite(estimate).all() and np.isfinite(variance).all() and (variance >= 0).all()):
        raise ValueError(f"statistic must return finite numbers and no negative variance, got {found!r}")
    return estimate, variance


def drawn(
    adaptation: Adaptation,
    m: int,
    seed: int,
    *,
    shift: float = 0.0,
    by: DrawsBy = "auto",
    rounded: bool = False,
    form: Callable[[np.ndarray], Any] = np.asarray,
) -> Draws:
    """``m`` draws of the missing cells of a matrix that a model was adapted to, as ``MetaMFImputer.draws`` says.

    Random numbers are taken by rows in the order of their contents, so the order of the rows makes no difference.
    """
    ratings = adaptation.ratings
    N, M = ratings.shape
    missing = np.ones(ratings.shape, dtype=bool)
    missing[ratings.rows, ratings.cols] = False
    rows, cols = np.nonzero(missing)
    check_draws(m, by, len(rows))
    if by == "auto":
        by = "columns" if _relations_can_be_drawn(adaptation) else "posterior"
    X = np.full(ratings.shape, np.nan)
    X[ratings.rows, ratings.cols] = ratings.values
    features = ratings.row_features if ratings.row_features is not None else np.empty((N, 0))
    order = np.lexsort(np.nan_to_num(np.hstack([X, features]), nan=np.inf).T[::-1])
    rng = np.random.default_rng([seed, 44])
    step = _steps(X, ratings.scale) if rounded else np.zeros(M)
    low, high = (np.broadcast_to(end, X.shape) for end in _limits(adaptation, by, X))
    spread = np.broadcast_to(adaptation.standardization.spread_block(slice(None), slice(None)), X.shape)
    lower = low - step / 2 - shift * spread
    upper = high + step / 2 - shift * spread
    draw = _by_columns if by == "columns" else _by_posterior
    gaps = _Gaps(adaptation, X, features, order, lower, upper)
    values = np.empty((m, len(rows)))
    for d, table in enumerate(draw(gaps, m, rng) if len(rows) else ()):
        table = table + shift * spread
        if rounded:
            table = _on_steps(table, step, low, high, ratings.scale)
        values[d] = table[rows, cols]
    return Draws(ratings, rows, cols, values, by, form)


def check_draws(m: Any, by: Any = "auto", missing: int = 0) -> None:
    """Raises ValueError for a number of draws, or a way to draw, that cannot be."""
    if not isinstance(m, Integral) or isinstance(m, bool) or int(m) < 2:
        raise ValueError(f"the number of draws must be a whole number from 2 on, got {m!r}: 20 are usual")
    if by not in get_args(DrawsBy):
        raise ValueError(f"by must be one of {get_args(DrawsBy)}, got {by!r}")
    if int(m) * missing > MOST_NUMBERS:
        fewer = MOST_NUMBERS // missing
        raise ValueError(f"{m} draws of {missing:,} missing cells do not fit into memory: take {fewer} at most")


def _relations_can_be_drawn(adaptation: Adaptation) -> bool:
    """Whether a table has columns of its own units, or rows enough to know how its columns vary together."""
    ratings = adaptation.ratings
    N, M = ratings.shape
    if not 2 <= M <= MOST_COLUMNS:
        return False
    full = N >= FEWEST_ROWS * M and ratings.nnz >= LEAST_GIVEN * N * M
    return full or adaptation.unit_rule.by is By.COLUMN or not adaptation.checkpoint.info.gives_intervals


def _limits(adaptation: Adaptation, by: str, X: np.ndarray) -> tuple[Any, Any]:
    """Lowest and highest value of a draw, of shapes that broadcast to the matrix."""
    scale = adaptation.scale
    if by == "posterior" or isinstance(adaptation.ratings.scale, RatingScale):
        if scale is None:
            return -np.inf, np.inf
        return (scale.lower, scale.upper) if isinstance(scale, ColumnLimits) else (scale.minimum, scale.maximum)
    some = ~np.isnan(X).all(axis=0)
    low = np.min(X, axis=0, initial=np.inf, where=~np.isnan(X))
    high = np.max(X, axis=0, initial=-np.inf, where=~np.isnan(X))
    spread = np.where(low < high, SidedUnits(By.COLUMN).of(adaptation.ratings).std, 0.0)
    lower = np.where(some, low - spread, np.nanmin(X))
    lower = np.where((low > 0) & (lower < 0), 0.0, lower)
    return lower, np.where(some, high + spread, np.nanmax(X))


def _on_steps(
    table: np.ndarray, step: np.ndarray, low: np.ndarray, high: np.ndarray, scale: RatingScale | None
) -> np.ndarray:
    """The nearest steps within the limits, counted from the lowest rating of a known scale, or else from zero."""
    origin = 0.0 if scale is None else scale.minimum
    unit = np.where(step > 0, step, 1.0)
    first = np.ceil((low - origin) / unit - 1e-9)
    last = np.floor((high - origin) / unit + 1e-9)
    return np.where(step > 0, origin + unit * np.clip(np.round((table - origin) / unit), first, last), table)


def _steps(X: np.ndarray, scale: RatingScale | None) -> np.ndarray:
    """(M,) the steps of the columns: those of the scale, or the largest of 1, .1, ... of which all entries of a column
    are multiples; 0 for none."""
    if scale is not None and scale.step is not None:
        return np.full(X.shape[1], scale.step)
    step = np.zeros(X.shape[1])
    for power in range(-4, 1):
        scaled = X * 10.0**-power
        whole = np.isclose(scaled, np.round(scaled), rtol=0, atol=1e-6) | np.isnan(X)
        step = np.where(whole.all(axis=0), 10.0**power, step)
    return step


@dataclass(frozen=True, eq=False)
class _Gaps:
    """A table whose gaps are drawn, and the limits of what is drawn."""

    adaptation: Adaptation
    X: np.ndarray  # (N, M) NaN in the gaps
    features: np.ndarray  # (N, P) of the rows
    order: np.ndarray  # (N,) of the rows, by what they hold
    lower: np.ndarray  # (N, M)
    upper: np.ndarray


def _by_columns(gaps: _Gaps, m: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Draws (N, M) by a normal distribution over the columns and a bootstrap of the rows."""
    units = SidedUnits(By.COLUMN).of(gaps.adaptation.ratings)
    features = gaps.features
    N, P = features.shape
    known = (features - features.mean(axis=0)) / np.maximum(features.std(axis=0), 1e-12)
    z = np.hstack([(gaps.X - units.mean) / units.std, known])[gaps.order]
    ends = ((end - units.mean) / units.std for end in (gaps.lower, gaps.upper))
    low, high = (np.hstack([end, np.zeros((N, P))])[gaps.order] for end in ends)
    place = np.argsort(gaps.order)
    for table in bootstrap_draws(z, m, low, high, rng):
        yield table[place, : gaps.X.shape[1]] * units.std + units.mean


def _by_posterior(gaps: _Gaps, m: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Draws (N, M) of the network's posterior. A cell has a truncated normal distribution whose mean is its estimate;
    the deviates of the posterior are its quantiles."""
    adaptation = gaps.adaptation
    posterior = adaptation.adapted
    if not isinstance(posterior, AdaptedUniversal):
        raise ValueError(f"checkpoint {adaptation.checkpoint.info.name!r} gives no draws: use checkpoint='universal'")
    result = adaptation.answer(None, True)
    spread = adaptation.standardization.spread_block(slice(None), slice(None))
    with torch.inference_mode():
        deviation = spread * posterior.variance_matrix().sqrt().double().cpu().numpy() * adaptation.width_factor
    centre = centres(np.clip(result.mean, gaps.lower, gaps.upper), deviation, gaps.lower, gaps.upper)
    for deviate in deviates(posterior, m, gaps.order, rng):
        yield truncated(centre, deviation, gaps.lower, gaps.upper, scipy.special.ndtr(deviate))


def centres(mean: np.ndarray, deviation: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """The centres at which normal distributions, truncated to ``lower`` ... ``upper``, have the given means, by
    bisection; ``FARTHEST`` deviations outside of the limits at most."""
    low = np.where(np.isfinite(lower), lower, mean) - FARTHEST * deviation
    high = np.where(np.isfinite(upper), upper, mean) + FARTHEST * deviation
    unit = np.maximum(deviation, 1e-300)
    for _ in range(50):
        centre = (low + high) / 2
        a = (lower - centre) / unit
        b = (upper - centre) / unit
        flipped = a > 0  # computed in the lower tail
        mass = scipy.special.ndtr(np.where(flipped, -a, b)) - scipy.special.ndtr(np.where(flipped, -b, a))
        density = (np.exp(-(a**2) / 2) - np.exp(-(b**2) / 2)) / np.sqrt(2 * np.pi)
        found = centre + deviation * density / np.maximum(mass, 1e-300)
        low = np.where(found < mean, centre, low)
        high = np.where(found < mean, high, centre)
    return (low + high) / 2
