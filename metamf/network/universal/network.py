"""The extended model: any size, any density, any scale, with a variance for every cell.

What it keeps of the paper: exchangeable layers, Eq. (4), read the observed entries and produce
prior means of the factors; the factors are adapted to the matrix; the whole is meta-trained through
the adaptation. What it changes:

1. Input: the entries, their residuals from shrunken row and column effects, and the counts of each
row and column.
2. Layers: residual, with layer normalisation, so that four of them train.
3. Row and column effects are an extra coordinate of the factors. Prior precisions and noise differ
by row and column,
   around levels that are estimated for each matrix: the variances of its row effects, its column
   effects and its noise.
4. Adaptation: sweeps of variational Bayes, exact for one side given the other, instead of gradient
steps. They cannot
   diverge, weigh evidence by its uncertainty, and give a posterior covariance, from which the
   intervals come.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import NamedTuple, cast

import numpy as np
import torch
from torch import Tensor, nn

from metamf.learning.episodes import EpisodeBatch
from metamf.learning.objectives import calibrated_errors
from metamf.network.map_steps import Factors
from metamf.network.protocol import Adapted, Network, StepRule
from metamf.network.universal.effects import (
    Effects,
    Statistics,
    VarianceComponents,
    fitted_effects,
    new_row_effects,
    statistics_of,
)
from metamf.network.universal.intervals import CALIBRATED_AT, TABULATED_LEVELS, widths
from metamf.network.universal.links import Link, link_of, shifts
from metamf.network.universal.reading import (
    Reading,
    ResidualLayer,
    in_parts,
    read_entries,
    soft_clip,
)
from metamf.network.universal.variational import (
    Posterior,
    Prior,
    estimate_variance,
    estimate_variance_matrix,
    update,
)
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.segments import Segments
from metamf.ratings.threads import run_with_helpers
from metamf.ratings.units import ScaleUnits

# In training unpopular rows and columns are without entries, so the network expects little of them;
# in use they may be new, and then the average of the others is nearer. The counts of the others
# tell which: the more of them have at most ``FEW`` entries, the less likely is a new one. At a
# share of ``HALF_NEW`` both weigh the same.
FEW = 2
HALF_NEW = 0.15
# log of the factor by which a score is too large at leverage 1 on meta-validation rows
OVERSTATED = 0.8
LARGEST_LEVERAGE = 0.95  # so that no entry's residual is magnified without bound
ROWS = 0  # the sides of a matrix, in what is learned of both
COLS = 1


class Others(NamedTuple):
    """What is expected of a row, or of a column, without entries, from the others of its matrix."""

    mean: Tensor  # (n, K + 1) their average, weighed by their entries
    weight: Tensor  # (n, 1) of that average; the rest is the network's own expectation

    @classmethod
    def of(cls, side: Posterior, count: Tensor, by_matrix: Segments) -> Others:
        """That of each matrix of a batch, from the posterior and the ``count`` (n, 1) of
        entries."""
        mean = by_matrix.sum(side.mean * count) / by_matrix.sum(count).clamp(min=1)
        few, some = (
            by_matrix.sum(which.to(count.dtype))
            for which in ((0 < count) & (count <= FEW), count > 0)
        )
        return cls(mean, 1 / (1 + ((few + 0.5) / (some + 1.5) / HALF_NEW).square()))

    def expected(self, side: Posterior, count: Tensor) -> Posterior:
        """The posterior of rows, or columns, in which those without entries are moved towards the
        others."""
        moved = self.weight * self.mean + (1 - self.weight) * side.mean
        return side._replace(mean=torch.where(count > 0, side.mean, moved))


class Context(NamedTuple):
    """The part of a matrix that was adapted to which new rows are read with."""

    effects: Effects
    variances: VarianceComponents  # of the effects and the noise
    col_stats: Statistics
    other_rows: Others
    col_prior: Prior
    cols_before: Posterior  # of the columns, with which the rows were last updated
    row_link: Link | None = None  # of one matrix whose rows have features


@dataclass(frozen=True, eq=False, kw_only=True)
class AdaptedUniversal(Adapted):
    """The posterior of a batch of matrices: U = (u, a, 1) and V = (v, 1, b), so that U V^T is the
    estimate."""

    rows: Posterior
    cols: Posterior
    # (), (N,), (M,), whose sum is the log of the noise variance of a cell
    log_noise: tuple[Tensor, Tensor, Tensor]
    context: Context  # in which new rows are folded in

    def variance(self, row: Tensor, col: Tensor) -> Tensor:
        """Predictive variances (n,) of ratings at the positions ``row``, ``col`` (n,) of the batch.

        They are the cell's noise variance, times 1 plus the variance of the estimate in units of
        the noise. The model of ``variational`` has the noise level of the matrix as that unit; here
        it is the cell's own, times the learned factor exp(``log_noise``), since that is how the
        network was meta-trained and calibrated.
        """
        base, row_noise, col_noise = self.log_noise
        noise = (base + row_noise.index_select(0, row) + col_noise.index_select(0, col)).exp()
        return noise * (1 + estimate_variance(self.rows, self.cols, row, col))

    def left_out(self, support: RatingsBatch) -> Tensor:
        """Scores (nnz,) of the observed entries of ``support``, approximately as if each had been
        left out.

        A score is |x - estimate| in predictive standard deviations. Given the other side and the
        priors, an update is a linear Gaussian regression. In it the leverage h of an entry, its
        share in its own estimate, is the variance of the estimate times the precision of the entry;
        the left-out residual is e / (1 - h), as in PRESS (Allen 1974), and its variance s^2 / (1 -
        h), with the residual e and the noise variance s^2. So the score is |e| / (s sqrt(1 - h)).
        Here both sides have a share in h, and the priors have seen the entry; the factor
        exp(-``OVERSTATED`` h^2) corrects for that.
        """
        base, row_noise, col_noise = self.log_noise
        of_cell = row_noise.index_select(0, support.row) + col_noise.index_select(0, support.col)
        unit = self.context.variances.noise[support.row_matrix[support.row], 0]
        h = estimate_variance(self.rows, self.cols, support.row, support.col) * unit / of_cell.exp()
        h = h.clamp(max=LARGEST_LEVERAGE)
        residual = (support.x - self.predict(support.row, support.col)).abs()
        return (
            residual / ((base + of_cell).exp() * (1 - h)).sqrt() * (-OVERSTATED * h.square()).exp()
        )

    def variance_matrix(
        self, rows: slice | Tensor = slice(None), cols: slice | Tensor = slice(None)
    ) -> Tensor:
        """Predictive variances (n, m) of ratings at all cells of one matrix, or at those of some
        rows and columns."""
        base, row_noise, col_noise = self.log_noise
        noise = (base + row_noise[rows].unsqueeze(1) + col_noise[cols]).exp()
        sides = (
            Posterior(side.mean[part], side.cov[part])
            for side, part in ((self.rows, rows), (self.cols, cols))
        )
        return noise * (1 + estimate_variance_matrix(*sides))


#: Noise variance, in standardised units squared, below which the sweeps compute in double
#: precision, since in single precision they do not converge.
LITTLE_NOISE = 0.01
#: Variances of row effects, column effects and noise that a matrix is expected to have, in
#: standardised units squared: the start of training.
EXPECTED = 0.2, 0.2, 0.8


@dataclass(frozen=True)
class UniversalConfig:
    """The settings of the network, by default those of the bundled checkpoint; ValueError if a
    number is below 1."""

    channels: int = 48  # C, of every layer
    layers: int = 4  # L, residual exchangeable layers
    hidden: int = 64  # units of the two heads
    rank: int = 12  # K, factors besides the two effects
    steps: int = 4  # sweeps, each of which updates the rows and the columns once
    effect_sweeps: int = 10  # of the row and column effects before the network reads the entries

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}")


class Universal(Network):
    """The extended model. ``adapt`` reads matrices of any size; values are in standardised units
    throughout."""

    config: UniversalConfig
    interval_widths: Tensor  # (2, S, 99), see ``metamf.network.universal.intervals``
    left_out_widths: Tensor  # (2, S, 99)
    units: Tensor  # (4,) the numbers of ``scale_units``
    double_up_to = 2**19  # double precision takes three times as long

    def __init__(self, config: UniversalConfig = UniversalConfig()):
        super().__init__()
        self.config = config
        C = config.channels
        K = config.rank
        # to compute these on "meta" would import torch's compiler, which takes a second
        cpu = torch.device("cpu")
        self.log_expected = nn.Parameter(torch.tensor(EXPECTED, device=cpu).log())
        self.log_weight = nn.Parameter(torch.full((3,), math.log(3.0)))
        self.input = nn.Linear(6, C)
        self.layers = nn.ModuleList(ResidualLayer(C) for _ in range(config.layers))
        self.norm = nn.LayerNorm(C)
        self.row_head, self.col_head = (
            nn.Sequential(
                nn.Linear(C + 7, config.hidden), nn.SiLU(), nn.Linear(config.hidden, K + 3)
            )
            for _ in range(2)
        )
        self.factor_scale = nn.Parameter(torch.tensor(0.3))
        # of rows and columns; of the effect in units of the precision that the variances give
        self.log_precision = nn.Parameter(torch.tensor(2 * [K * [math.log(4)] + [0.0]]))
        self.log_noise = nn.Parameter(torch.tensor(0.0))
        levels = torch.arange(1, TABULATED_LEVELS + 1, device=cpu) / (TABULATED_LEVELS + 1)
        normal = torch.special.ndtri((1 + levels) / 2)
        # scale known, unknown
        self.register_buffer("interval_widths", normal.repeat(2, len(CALIBRATED_AT), 1))
        self.register_buffer("left_out_widths", self.interval_widths.clone())
        self.register_buffer("units", torch.tensor(astuple(ScaleUnits()), device=cpu))

    @property
    def scale_units(self) -> ScaleUnits:
        """The units in which a matrix with a known rating scale is standardised."""
        return ScaleUnits(*self.units.tolist())

    def objective(self, episodes: EpisodeBatch) -> tuple[Tensor, Tensor]:
        return calibrated_errors(self, episodes)

    def adapt(
        self, support: RatingsBatch, steps: int | None = None, step_rule: StepRule | None = None
    ) -> AdaptedUniversal:
        """The posterior of every matrix of a batch, and the path of its means; sweeps have no step
        size.

        ``steps``, if given, replaces ``config.steps``; ValueError if it is below 1.
        """
        sweeps = self.config.steps if steps is None else steps
        if sweeps < 1:
            raise ValueError(f"the universal model takes at least 1 step, got {sweeps}")
        if in_parts(support) and support.x.device.type == "cpu":
            return run_with_helpers(lambda: self._adapt(support, sweeps))
        return self._adapt(support, sweeps)

    def _adapt(self, support: RatingsBatch, sweeps: int) -> AdaptedUniversal:
        expected = VarianceComponents(*self.log_expected.exp())
        weight = VarianceComponents(*self.log_weight.exp())
        effects, variances = fitted_effects(support, expected, weight, self.config.effect_sweeps)
        row_stats = statistics_of(
            effects.row,
            variances.row,
            variances,
            support.row_count,
            support.n_cols,
            support.row_matrix,
        )
        col_stats = statistics_of(
            effects.col,
            variances.col,
            variances,
            support.col_count,
            support.n_rows,
            support.col_matrix,
        )
        reading = self._read(support, row_stats, col_stats)
        row_prior = self._prior(ROWS, reading.row_sum, row_stats)
        col_prior = self._prior(COLS, reading.col_sum, col_stats)
        x = support.x.unsqueeze(1) / support.by_row.gather(row_stats.noise_deviation)  # (nnz, 1)
        if not torch.is_grad_enabled() and (variances.noise < LITTLE_NOISE).any():
            row_prior = row_prior.double()
            col_prior = col_prior.double()
            x = x.double()
        of_rows = (support.row_count, support.rows_by_matrix)
        of_cols = (support.col_count, support.cols_by_matrix)
        rows = _with_empty(row_prior.as_posterior(), *of_rows)
        cols = _with_empty(col_prior.as_posterior(), *of_cols)
        path = [_factors(rows, row_stats, ROWS), _factors(cols, col_stats, COLS)]
        for _ in range(sweeps):
            cols_before = cols
            rows = _with_empty(
                update(row_prior, cols, col_prior, x, support.by_row, support.by_col), *of_rows
            )
            cols = _with_empty(
                update(col_prior, rows, row_prior, x, support.by_col, support.by_row), *of_cols
            )
            path += [_factors(rows, row_stats, ROWS), _factors(cols, col_stats, COLS)]
        other_rows = Others.of(rows, *of_rows)
        row_link = None
        if support.row_features is not None and len(support) == 1:
            row_link = link_of(support.row_features, rows, row_prior.precision)
        rows = _with_link(rows, row_prior, support.row_features, *of_rows)
        cols = _with_link(cols, col_prior, support.col_features, *of_cols)
        path[-2:] = U, V = _factors(rows, row_stats, ROWS), _factors(cols, col_stats, COLS)
        return AdaptedUniversal(
            Factors(U, V, torch.cat(path).view(sweeps + 1, support.N + support.M, -1)),
            "exact",
            reading.column_terms,
            rows=rows,
            cols=cols,
            log_noise=(
                self.log_noise,
                2 * row_stats.noise_deviation[:, 0].log() - row_prior.reliability[:, 0].log(),
                -col_prior.reliability[:, 0].log(),
            ),
            context=Context(
                effects, variances, col_stats, other_rows, col_prior, cols_before, row_link
            ),
        )

    def half_widths(
        self,
        adapted: Adapted,
        support: RatingsBatch,
        levels: Sequence[float],
        scale_weighs_in: bool,
    ) -> np.ndarray:
        with torch.inference_mode():
            return widths(self, adapted, support, levels, scale_weighs_in).cpu().numpy()

    def fold_in(self, rows: RatingsBatch, adapted: Adapted) -> Tensor:
        assert isinstance(adapted, AdaptedUniversal)
        context = adapted.context
        variances = context.variances
        effect = new_row_effects(rows, variances.noise / variances.row, context.effects.col_before)
        stats = statistics_of(
            effect, variances.row, variances, rows.row_count, rows.n_cols, rows.row_matrix
        )
        reading = self._read(rows, stats, context.col_stats, adapted.columns)
        prior = self._prior(ROWS, reading.row_sum, stats)
        x = rows.x.unsqueeze(1) / rows.by_row.gather(stats.noise_deviation)  # (nnz, 1)
        if context.col_prior.mean.dtype == torch.float64:
            prior = prior.double()
            x = x.double()
        posterior = update(
            prior, context.cols_before, context.col_prior, x, rows.by_row, rows.by_col
        )
        posterior = context.other_rows.expected(posterior, rows.row_count)
        if context.row_link is not None and rows.row_features is not None:
            posterior = _moved(posterior, rows.row_count, context.row_link.shift(rows.row_features))
        return _factors(posterior, stats, ROWS)

    def _read(
        self,
        batch: RatingsBatch,
        rows: Statistics,
        cols: Statistics,
        context: list[Tensor] | None = None,
    ) -> Reading:
        layers = cast(list[ResidualLayer], self.layers)
        return read_entries(batch, rows, cols, self.input, layers, self.norm, context)

    def _prior(self, side: int, total: Tensor, stats: Statistics) -> Prior:
        """Prior mean, precision and reliability of the rows or of the columns, in units of the
        noise, from the sums ``total`` (n, C) over their entries of what the layers made of them."""
        K = self.config.rank
        unit = stats.noise_deviation
        head = (self.row_head, self.col_head)[side]
        inputs = [
            total / (stats.count + 1),  # (n, C)
            soft_clip(stats.effect),
            stats.log_count,
            stats.others,  # (n, 5)
        ]
        factors, shift, precision, noise = head(torch.cat(inputs, 1)).split([K, 1, 1, 1], 1)
        mean = torch.cat(
            [factors * self.factor_scale / unit.sqrt(), (shift + stats.effect) / unit], 1
        )
        alpha = (self.log_precision[side] + soft_clip(precision, 4)).exp()  # (n, K + 1)
        of_factors, of_effect = alpha.split([K, 1], 1)
        alpha = torch.cat([of_factors, of_effect * stats.effect_precision], 1)
        return Prior(mean, alpha, (-soft_clip(noise, 2)).exp())


def _with_empty(side: Posterior, count: Tensor, by_matrix: Segments) -> Posterior:
    """Moves the rows, or columns, without entries of each matrix of a batch towards the others."""
    others = (by_matrix.gather(part) for part in Others.of(side, count, by_matrix))
    return Others(*others).expected(side, count)


def _with_link(
    side: Posterior, prior: Prior, features: Tensor | None, count: Tensor, by_matrix: Segments
) -> Posterior:
    """Moves the rows, or columns, without entries by what their features say, if there are any."""
    if features is None or (count > 0).all():
        return side
    return _moved(side, count, shifts(features, side, prior, by_matrix))


def _moved(side: Posterior, count: Tensor, shift: Tensor) -> Posterior:
    return side._replace(mean=torch.where(count > 0, side.mean, side.mean + shift))


def _factors(posterior: Posterior, stats: Statistics, side: int) -> Tensor:
    """U = (u, a, 1), (N, K + 2), of the rows, or V = (v, 1, b), (M, K + 2), of the columns, in
    standardised units, so that U V^T = u . v + a + b."""
    factors = posterior.mean[:, :-1] * stats.noise_deviation.sqrt()
    effect = posterior.mean[:, -1:] * stats.noise_deviation
    one = torch.ones_like(effect)
    return torch.cat([factors, effect, one] if side == ROWS else [factors, one, effect], 1)
