"""Twenty filled-in tables instead of one: draws of the missing cells, and Rubin's rules for what is
computed from them.

One filled-in table makes correlations, tests and regressions look surer than they are, since an
estimate has neither the noise of a rating nor the doubt about itself. Each draw has both, and the
tables differ as far as the data leave the missing cells open. A statistic Q with variance W of its
own is computed from each of the m tables, and pooled,

    Q = mean of Q_d,    T = mean of W_d + (1 + 1 / m) B,    B = variance of Q_d,

with a t distribution of Barnard and Rubin's degrees of freedom. Rubin (1987), "Multiple Imputation
for Nonresponse in Surveys"; Barnard and Rubin (1999), "Small-sample degrees of freedom with
multiple imputation".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
import scipy.special
import torch

from metamf.answer.adaptation import Adaptation
from metamf.answer.crossfit import normal_factor
from metamf.baselines.normal_draws import bootstrap_draws, truncated
from metamf.learning.episodes import canonical_lines
from metamf.network.tables.network import MOST_COLUMNS
from metamf.network.universal.network import AdaptedUniversal
from metamf.network.universal.posterior_draws import deviates
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import ColumnLimits, RatingScale
from metamf.ratings.units import By, SidedUnits

DrawsBy = Literal["auto", "columns", "posterior"]
LEVEL_OF_DRAWS = 0.9  # of the intervals whose deviations draws have
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
    """A statistic pooled over draws by Rubin's rules; numbers, or arrays of the shape of the
    statistic."""

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
    """``m`` filled-in tables that differ as the estimates are uncertain; given cells are the same
    in all."""

    ratings: Ratings  # the given entries, N x M
    rows: np.ndarray  # (n,) positions of the missing cells
    cols: np.ndarray
    values: np.ndarray  # (m, n) their values
    by: Literal["columns", "posterior"]  # what they were drawn from
    # makes a table in the form of the input of an array
    form: Callable[[np.ndarray], Any] = np.asarray

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
        """The m tables (N, M) as arrays, in rating units, each made when it is asked for."""
        for values in self.values:
            table = np.empty(self.ratings.shape)
            table[self.ratings.rows, self.ratings.cols] = self.ratings.values
            table[self.rows, self.cols] = values
            yield table

    def tables(self) -> list[Any]:
        """The m tables, arrays or data frames as the input was."""
        return [self.form(table) for table in self.arrays()]

    def long(self) -> pd.DataFrame:
        """All tables below each other, with a first column ``imputation``, 1 to m."""
        names = list(self.ratings.col_labels or range(self.ratings.n_cols))
        frames = []
        for number, array in enumerate(self.arrays(), 1):
            table = self.form(array)
            if not isinstance(table, pd.DataFrame):
                table = pd.DataFrame(table, columns=names)
            table.insert(0, "imputation", number, allow_duplicates=True)
            frames.append(table)
        return pd.concat(frames)

    def at(self, row: int, col: int) -> np.ndarray:
        """(m,) the draws of one cell, of integer positions; the same number m times for a given
        cell.

        IndexError for a position outside the matrix.
        """
        N, M = self.ratings.shape
        if not (0 <= row < N and 0 <= col < M):
            raise IndexError(f"cell ({row}, {col}) lies outside the {N} x {M} matrix")
        found = (self.rows == row) & (self.cols == col)
        if found.any():
            return self.values[:, found][:, 0]
        given = (self.ratings.rows == row) & (self.ratings.cols == col)
        return np.repeat(self.ratings.values[given], self.m).astype(np.float64)

    def pool(
        self, statistic: Callable[[Any], Any], df: float | None = None, level: float = 0.95
    ) -> Pooled:
        """A statistic of the complete table, pooled by Rubin's rules.

        Parameters
        ----------
        statistic : callable
            A table, as ``tables`` yields it, -> (estimate, variance): two numbers, or two arrays of
            one shape, such as the coefficients of a regression and their squared standard errors.
        df : float, optional
            Degrees of freedom that the statistic would have in a complete table; by default N - 1.
        level : float
            The level of the interval.

        Raises
        ------
        ValueError
            If ``statistic`` returns something else, or a variance is negative.
        """
        found = [_checked(statistic(self.form(table))) for table in self.arrays()]
        if len({estimate.shape for estimate, _ in found}) > 1:
            raise ValueError(
                "statistic returned estimates of different shapes from different tables"
            )
        complete = self.ratings.n_rows - 1 if df is None else df
        estimates, variances = (np.stack(part) for part in zip(*found))
        return pooled(estimates, variances, complete, level)


def pooled(estimates: np.ndarray, variances: np.ndarray, df: float, level: float = 0.95) -> Pooled:
    """Rubin's rules for estimates (m, ...) and their variances, with ``df`` degrees of freedom in a
    complete table."""
    m = len(estimates)
    if m < 2 or not df > 0 or not 0 < level < 1:
        raise ValueError(
            f"pooling needs two tables, df > 0 and a level between 0 and 1, got {m}, {df} and "
            f"{level}"
        )
    estimate = estimates.mean(axis=0)
    within = variances.mean(axis=0)
    between = (1 + 1 / m) * estimates.var(axis=0, ddof=1)
    total = within + between
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(total > 0, between / total, 0.0)  # of the variance, by missing cells
        observed = (df + 1) / (df + 3) * df * (1 - share)
        found = 1 / (share**2 / (m - 1) + 1 / observed)
        rise = np.where(within > 0, between / within, np.inf)
        information = np.where(np.isinf(rise), 1.0, (rise + 2 / (found + 3)) / (rise + 1))
        information = np.where(share > 0, information, 0.0)
        error = np.sqrt(total)
        quantile = scipy.special.stdtrit(np.maximum(found, 1e-3), (1 + level) / 2)
        half = np.where(error > 0, quantile * error, 0.0)
    parts = [estimate, error, found, estimate - half, estimate + half, information]
    numbers = [float(x) if np.ndim(x) == 0 else x for x in parts]
    return Pooled(*numbers, level, m)  # type: ignore[arg-type,call-arg]


def _checked(found: Any) -> tuple[np.ndarray, np.ndarray]:
    """The estimate and the variance that a statistic returned."""
    try:
        estimate, variance = (np.asarray(part, dtype=np.float64) for part in found)
    except (TypeError, ValueError):
        raise ValueError(
            f"statistic must return a pair (estimate, variance) of numbers, got {found!r}"
        ) from None
    if estimate.shape != variance.shape:
        raise ValueError(
            f"estimate and variance must have one shape, got {estimate.shape} and {variance.shape}"
        )
    if not (np.isfinite(estimate).all() and np.isfinite(variance).all() and (variance >= 0).all()):
        raise ValueError(
            f"statistic must return finite numbers and no negative variance, got {found!r}"
        )
    return estimate, variance


def drawn(
    adaptation: Adaptation,
    m: int,
    seed: int,
    shift: float = 0.0,
    by: DrawsBy = "auto",
    rounded: bool = False,
    form: Callable[[np.ndarray], Any] = np.asarray,
) -> Draws:
    """``m`` draws of the missing cells of a matrix that a model was adapted to, as
    ``MetaMFImputer.draws`` says.

    Random numbers are taken by rows in the order of their contents, so the order of the rows makes
    no difference.
    """
    ratings = adaptation.ratings
    N, M = ratings.shape
    X = ratings.to_dense()
    rows, cols = np.nonzero(np.isnan(X))
    check_draws(m, by, len(rows))
    if by == "auto":
        by = "columns" if _relations_can_be_drawn(adaptation) else "posterior"
    step = _steps(X, ratings.scale) if rounded else np.zeros(M)
    low, high = (np.broadcast_to(end, X.shape) for end in _limits(adaptation, by, X))
    moved = shift * adaptation.standardization.spread_at(*np.ogrid[:N, :M])
    ends = low - step / 2 - moved, high + step / 2 - moved
    order = canonical_lines(ratings)[0]
    rng = np.random.default_rng([seed, 44])
    draw = _by_columns if by == "columns" else _by_posterior
    values = np.empty((m, len(rows)))
    for d, table in enumerate(draw(adaptation, X, *ends, order, m, rng) if len(rows) else ()):
        table = table + moved
        if rounded:
            table = _on_steps(table, step, low, high, ratings.scale)
        if adaptation.unknown is not None:
            table = np.where(adaptation.unknown, np.nan, table)
        values[d] = table[rows, cols]
    return Draws(ratings, rows, cols, values, by, form)


def check_draws(m: Any, by: Any = "auto", missing: int = 0) -> None:
    """Raises ValueError for a number of draws, or a way to draw, that cannot be."""
    if not isinstance(m, Integral) or isinstance(m, bool) or int(m) < 2:
        raise ValueError(
            f"the number of draws must be a whole number from 2 on, got {m!r}: 20 are usual"
        )
    if by not in get_args(DrawsBy):
        raise ValueError(f"by must be one of {get_args(DrawsBy)}, got {by!r}")
    if int(m) * missing > MOST_NUMBERS:
        fewer = MOST_NUMBERS // missing
        raise ValueError(
            f"{m} draws of {missing:,} missing cells do not fit into memory: take {fewer} at most"
        )


def _relations_can_be_drawn(adaptation: Adaptation) -> bool:
    """Whether a table has columns of its own units, or rows enough to know how its columns vary
    together."""
    ratings = adaptation.ratings
    N, M = ratings.shape
    if not 2 <= M <= MOST_COLUMNS:
        return False
    full = N >= FEWEST_ROWS * M and ratings.nnz >= LEAST_GIVEN * N * M
    own_units = adaptation.unit_rule.by is By.COLUMN
    return full or own_units or not adaptation.checkpoint.info.gives_intervals


def _limits(adaptation: Adaptation, by: str, X: np.ndarray) -> tuple[Any, Any]:
    """Lowest and highest value of a draw, of shapes that broadcast to the matrix."""
    ratings = adaptation.ratings
    ends: tuple[Any, Any] = -np.inf, np.inf
    if by == "columns" and ratings.scale is None:
        some = ratings.col_counts > 0
        given = ~np.isnan(X)
        low = np.min(X, axis=0, initial=np.inf, where=given)
        high = np.max(X, axis=0, initial=-np.inf, where=given)
        spread = np.where(low < high, SidedUnits(By.COLUMN).of(ratings).std, 0.0)
        lower = np.where(some, low - spread, np.nanmin(X))
        ends = (
            np.where((low > 0) & (lower < 0), 0.0, lower),
            np.where(some, high + spread, np.nanmax(X)),
        )
    elif isinstance(adaptation.scale, ColumnLimits):
        ends = adaptation.scale.lower, adaptation.scale.upper
    elif adaptation.scale is not None:
        ends = adaptation.scale.minimum, adaptation.scale.maximum
    known = ratings.limits
    return ends if known is None else (known.clip(ends[0]), known.clip(ends[1]))


def _on_steps(
    table: np.ndarray,
    step: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    scale: RatingScale | None,
) -> np.ndarray:
    """The nearest steps within the limits, counted from the lowest rating of a known scale, or else
    from zero."""
    origin = 0.0 if scale is None else scale.minimum
    unit = np.where(step > 0, step, 1.0)
    first = np.ceil((low - origin) / unit - 1e-9)
    last = np.floor((high - origin) / unit + 1e-9)
    return np.where(
        step > 0, origin + unit * np.clip(np.round((table - origin) / unit), first, last), table
    )


def _steps(X: np.ndarray, scale: RatingScale | None) -> np.ndarray:
    """(M,) the steps of the columns: those of the scale, or the largest of 1, .1, ... of which all
    entries of a column are multiples; 0 for none."""
    if scale is not None and scale.step is not None:
        return np.full(X.shape[1], scale.step)
    step = np.zeros(X.shape[1])
    for power in range(-4, 1):
        scaled = X * 10.0**-power
        whole = np.isclose(scaled, np.round(scaled), rtol=0, atol=1e-6) | np.isnan(X)
        step = np.where(whole.all(axis=0), 10.0**power, step)
    return step


def _by_columns(
    adaptation: Adaptation,
    X: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    order: np.ndarray,
    m: int,
    rng: np.random.Generator,
) -> Iterator[np.ndarray]:
    """Draws (N, M) of X, with NaN in its gaps, by a normal distribution over the columns and a
    bootstrap of the rows, which are taken in ``order``; between limits (N, M)."""
    ratings = adaptation.ratings
    units = SidedUnits(By.COLUMN).of(ratings)
    N, M = X.shape
    known = np.empty((N, 0))
    if ratings.row_features is not None:
        spread = np.maximum(ratings.row_features.std(axis=0), 1e-12)
        known = (ratings.row_features - ratings.row_features.mean(axis=0)) / spread
    z, low, high = (
        np.hstack([(values - units.mean) / units.std, more])[order]
        for values, more in ((X, known), (lower, 0 * known), (upper, 0 * known))
    )
    place = np.argsort(order)
    for table in bootstrap_draws(z, m, low, high, rng):
        yield table[place, :M] * units.std + units.mean


def _by_posterior(
    adaptation: Adaptation,
    X: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    order: np.ndarray,
    m: int,
    rng: np.random.Generator,
) -> Iterator[np.ndarray]:
    """Draws (N, M) of the network's posterior. A cell has a truncated normal distribution whose
    mean is its estimate; the deviates of the posterior are its quantiles."""
    posterior = adaptation.adapted
    if not isinstance(posterior, AdaptedUniversal):
        raise ValueError(
            f"checkpoint {adaptation.checkpoint.info.name!r} gives no draws: use "
            "checkpoint='universal'"
        )
    deviation = _deviations(adaptation, posterior)
    mean = np.clip(np.nan_to_num(adaptation.answer(None, True).mean), lower, upper)
    centre = centres(mean, deviation, lower, upper)
    for deviate in deviates(posterior, m, order, rng):
        yield truncated(centre, deviation, lower, upper, scipy.special.ndtr(deviate))


def _deviations(adaptation: Adaptation, posterior: AdaptedUniversal) -> np.ndarray:
    """(N, M) the standard deviations of the draws: those of the posterior, or of the intervals
    where a table model stands next to the network."""
    if adaptation.mixture is not None:
        half_width = adaptation.answer(LEVEL_OF_DRAWS, False).half_width
        assert half_width is not None  # of universal, which gives intervals
        return half_width / normal_factor(LEVEL_OF_DRAWS)
    N, M = adaptation.ratings.shape
    spread = adaptation.standardization.spread_at(*np.ogrid[:N, :M])
    with torch.inference_mode():
        variance = posterior.variance_matrix().double().cpu().numpy()
    return spread * np.sqrt(variance) * adaptation.width_factor


def centres(
    mean: np.ndarray, deviation: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> np.ndarray:
    """The centres at which normal distributions, truncated to ``lower`` ... ``upper``, have the
    given means, by bisection; ``FARTHEST`` deviations outside of the limits at most."""
    low = np.where(np.isfinite(lower), lower, mean) - FARTHEST * deviation
    high = np.where(np.isfinite(upper), upper, mean) + FARTHEST * deviation
    unit = np.maximum(deviation, 1e-300)
    for _ in range(50):
        centre = (low + high) / 2
        a = (lower - centre) / unit
        b = (upper - centre) / unit
        flipped = a > 0  # computed in the lower tail
        mass = scipy.special.ndtr(np.where(flipped, -a, b)) - scipy.special.ndtr(
            np.where(flipped, -b, a)
        )
        density = (np.exp(-(a**2) / 2) - np.exp(-(b**2) / 2)) / np.sqrt(2 * np.pi)
        found = centre + deviation * density / np.maximum(mass, 1e-300)
        low = np.where(found < mean, centre, low)
        high = np.where(found < mean, high, centre)
    return (low + high) / 2
