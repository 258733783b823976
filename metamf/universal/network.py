"""The extended model: any size, any density, any scale, with a variance for every cell.

What it keeps of the paper: exchangeable layers, Eq. (3), read the observed entries and produce prior means of the
factors; the factors are adapted to the matrix; the whole is meta-trained through the adaptation. What it changes:

1. Input: the entries, their residuals from shrunken row and column effects, and how often a row and a column was rated.
2. Layers: residual, with layer normalisation, so that four of them train.
3. Row and column effects are an extra coordinate of the factors; prior precisions and noise differ by row and column,
   around levels that each matrix tells of itself: the variances of its row effects, its column effects and the rest.
4. Adaptation: sweeps of variational Bayes, exact for one side given the other, instead of gradient steps. They cannot
   diverge, weigh evidence by its uncertainty, and leave a posterior covariance behind, from which intervals come.
"""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from metamf.model.exchangeable import ExchangeableLayer
from metamf.model.map_steps import Factors
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.threads import run_with_helpers
from metamf.ratings.units import ScaleUnits
from metamf.universal.effects import Effects, Variances, fitted_effects, shrunken_effects
from metamf.universal.intervals import CALIBRATED_AT, LEVELS
from metamf.universal.posterior import AdaptedUniversal, Context, Facts
from metamf.universal.streaming import Stream, read
from metamf.universal.variational import Prior, Side, update

MANY = 2**14  # entries that are read part by part, where no gradient is wanted
LITTLE_NOISE = 0.01  # variance, in standardised units, below which the sweeps lose their way in single precision
EXPECTED = 0.2, 0.2, 0.8  # variances of rows, columns and noise, before training


@dataclass(frozen=True)
class UniversalConfig:
    """``rank`` factors beside the two effects; ``steps`` sweeps, each updating rows and columns once.

    ``components``: each matrix's own variance components set the damping of its effects, their precision and the level
    of the noise; without them these are learned and alike for all matrices, which suffices for matrices of one domain.
    """

    channels: int = 48
    layers: int = 4
    hidden: int = 64
    rank: int = 12
    steps: int = 4
    effect_sweeps: int = 10
    components: bool = True

    def __post_init__(self):
        for name in ("channels", "layers", "hidden", "rank", "effect_sweeps"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")
        if self.steps < 1:
            raise ValueError(f"steps must be at least 1, got {self.steps}")


class ResidualLayer(nn.Module):
    """z + W silu(Eq. (3) of the normalised z); starts as the identity."""

    def __init__(self, channels: int):
        super().__init__()
        self.norm = nn.LayerNorm(channels)
        self.layer = ExchangeableLayer(channels, channels)
        self.out = nn.Linear(channels, channels)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, z: Tensor, batch: RatingsBatch, col: Tensor | None) -> tuple[Tensor, Tensor]:
        """(nnz, C) -> the same, and the terms of the columns, (M, C); ``col``: those that are given instead."""
        normed = self.norm(z)
        row, col = self.layer.row_and_column_terms(batch.by_row.sum(normed), batch.by_col.sum(normed), batch, col)
        terms = batch.by_row.gather(row) + batch.by_col.gather(col)  # (nnz, C)
        hidden = F.silu(terms.addmm_(normed, self.layer.entry))
        return (z + self.out.bias).addmm_(hidden, self.out.weight.T), col


class Universal(nn.Module):
    """``adapt`` reads matrices of any size; values in standardised units throughout."""

    def __init__(self, config: UniversalConfig = UniversalConfig()):
        super().__init__()
        self.config = config
        C, K = config.channels, config.rank
        cpu = {"device": "cpu"}  # what is computed here would, on "meta", import torch's compiler: a second
        features = 4
        if config.components:
            features += 3
            self.log_expected = nn.Parameter(torch.tensor(EXPECTED, **cpu).log())
            self.log_weight = nn.Parameter(torch.full((3,), math.log(3.0)))
        else:
            self.log_damping = nn.Parameter(torch.full((2,), math.log(3.0)))
        self.input = nn.Linear(6, C)
        self.layers = nn.ModuleList(ResidualLayer(C) for _ in range(config.layers))
        self.norm = nn.LayerNorm(C)
        self.row_head, self.col_head = (
            nn.Sequential(nn.Linear(C + features, config.hidden), nn.SiLU(), nn.Linear(config.hidden, K + 3))
            for _ in range(2)
        )
        self.factor_scale = nn.Parameter(torch.tensor(0.3))
        of_effect = 1 if config.components else 4  # with components: what their variance says
        self.log_precision = nn.Parameter(torch.tensor(2 * [K * [math.log(4)] + [math.log(of_effect)]]))
        self.log_noise = nn.Parameter(torch.tensor(0.0 if config.components else math.log(0.7)))
        levels = torch.arange(1, LEVELS + 1, **cpu) / (LEVELS + 1)
        normal = torch.special.ndtri((1 + levels) / 2)
        self.register_buffer("interval_widths", normal.repeat(2, len(CALIBRATED_AT), 1))  # scale known, unknown
        self.register_buffer("left_out_widths", self.interval_widths.clone())
        self.register_buffer("units", torch.tensor(astuple(ScaleUnits()), **cpu))

    @property
    def scale_units(self) -> ScaleUnits:
        """What a matrix with a known rating scale is standardised by."""
        return ScaleUnits(*self.units.tolist())

    def adapt(self, support: RatingsBatch, steps: int | None = None) -> AdaptedUniversal:
        """The posterior after ``steps`` sweeps (default: the configuration's), and the path of its means.

        Raises ValueError for fewer than one sweep.
        """
        sweeps = self.config.steps if steps is None else steps
        if sweeps < 1:
            raise ValueError(f"the universal model takes at least 1 step, got {sweeps}")
        if len(support.x) > MANY and not torch.is_grad_enabled() and support.x.device.type == "cpu":
            return run_with_helpers(lambda: self._adapt(support, sweeps))
        return self._adapt(support, sweeps)

    def _adapt(self, support: RatingsBatch, sweeps: int) -> AdaptedUniversal:
        effects, variances = self._effects(support)
        row_facts = self._facts(0, support, effects.row, variances)
        col_facts = self._facts(1, support, effects.col, variances)
        row_total, col_total, columns = self._read(support, row_facts, col_facts, None)
        row_prior, col_prior = self._prior(0, row_total, row_facts), self._prior(1, col_total, col_facts)
        x = support.x.unsqueeze(1) / support.by_row.gather(row_facts.unit)
        if not torch.is_grad_enabled() and (variances.noise < LITTLE_NOISE).any():
            row_prior, col_prior, x = row_prior.double(), col_prior.double(), x.double()
        rows, cols = row_prior.as_posterior(), col_prior.as_posterior()
        path = [(_row_factors(rows, row_facts), _col_factors(cols, col_facts))]
        for _ in range(sweeps):
            before = cols
            rows = update(row_prior, cols, col_prior, x, support.by_row, support.by_col)
            cols = update(col_prior, rows, row_prior, x, support.by_col, support.by_row)
            path.append((_row_factors(rows, row_facts), _col_factors(cols, col_facts)))
        U, V = path[-1]
        noise = self.log_noise, _log_noise(row_prior, row_facts), -col_prior.reliability[:, 0].log()
        context = Context(effects, variances, col_facts, columns, col_prior, before)
        factors = Factors(U, V, torch.stack([torch.cat(factors) for factors in path]))
        return AdaptedUniversal(factors, rows, cols, noise, context)

    def fold_in(self, rows: RatingsBatch, adapted: AdaptedUniversal) -> tuple[Tensor, Side, Tensor]:
        """New rows of a matrix that was adapted to, whose columns stay as they are: U (n, K + 2), posterior, log noise.

        ``rows``: one matrix, n x M. A row that the matrix held gets what it has there.
        """
        effects, variances, col_facts, columns, col_prior, before = adapted.context
        folded = shrunken_effects(rows, variances.noise / variances.row, None, 0, effects.col_before)
        facts = self._facts(0, rows, folded.row, variances)
        total, _, _ = self._read(rows, facts, col_facts, columns)
        prior = self._prior(0, total, facts)
        x = rows.x.unsqueeze(1) / rows.by_row.gather(facts.unit)
        if col_prior.mean.dtype == torch.float64:
            prior, x = prior.double(), x.double()
        side = update(prior, before, col_prior, x, rows.by_row, rows.by_col)
        return _row_factors(side, facts), side, _log_noise(prior, facts)

    def _effects(self, support: RatingsBatch) -> tuple[Effects, Variances]:
        """Of each matrix; without ``components`` its noise variance is one, and the others are what damping says."""
        sweeps = self.config.effect_sweeps
        if self.config.components:
            expected, weight = (Variances(*log.exp()) for log in (self.log_expected, self.log_weight))
            return fitted_effects(support, expected, weight, sweeps)
        d_r, d_c = self.log_damping.exp()
        one = support.x.new_ones(len(support), 1)
        return shrunken_effects(support, d_r, d_c, sweeps), Variances(one / d_r, one / d_c, one)

    def _facts(self, side: int, batch: RatingsBatch, effect: Tensor, variances: Variances) -> Facts:
        """Of the rows (side 0) or the columns (side 1) of ``batch``, whose matrices have these ``variances``."""
        count, cells, matrix = (
            (batch.row_count, batch.n_cols, batch.row_matrix),
            (batch.col_count, batch.n_rows, batch.col_matrix),
        )[side]
        features, precision = _features(effect, count, cells[matrix]), torch.ones_like(effect)
        if self.config.components:
            features = torch.cat([features, torch.cat(variances, 1).log()[matrix] / 4], 1)
            precision = (variances.noise / variances[side])[matrix]
        return Facts(effect, count, features, precision, variances.noise.sqrt()[matrix])

    def _read(self, batch: RatingsBatch, rows: Facts, cols: Facts, context: list[Tensor] | None):
        """(N, C), (M, C) sums over the entries of each row and column of what the layers make of them, and the terms
        of the columns in each layer."""
        of_x, of_residual, of_a, of_b, of_row_count, of_col_count = self.input.weight.T.unsqueeze(1)  # (1, C) each
        # what rows and columns contribute is computed once for each of them, not for each of their entries
        row = soft_clip(rows.effect) * of_a + rows.features[:, 1:2] * of_row_count  # (N, C)
        col = soft_clip(cols.effect) * of_b + cols.features[:, 1:2] * of_col_count + self.input.bias  # (M, C)
        weight = torch.cat([of_x, of_residual])  # (2, C)
        if len(batch.x) > MANY and not torch.is_grad_enabled():
            stream = Stream(batch, self.config.channels, self.norm.eps)
            sums = stream.enter(
                lambda part: _values(
                    batch.x[part],
                    rows.effect[batch.row[part]],
                    cols.effect[batch.col[part]],
                    rows.unit[batch.row[part]],
                ),
                row,
                col,
                weight,
            )
            return read(stream, sums, self.layers, self.norm, context)
        effects = batch.by_row.gather(rows.effect), batch.by_col.gather(cols.effect)  # (nnz, 1) each
        values = _values(batch.x, *effects, batch.by_row.gather(rows.unit))
        terms = batch.by_row.gather(row) + batch.by_col.gather(col)  # (nnz, C)
        z, columns = torch.addmm(terms, values, weight), []
        for index, layer in enumerate(self.layers):
            z, col = layer(z, batch, None if context is None else context[index])
            columns.append(col)
        z = self.norm(z)
        return batch.by_row.sum(z), batch.by_col.sum(z), columns

    def _prior(self, side: int, total: Tensor, facts: Facts) -> Prior:
        """Prior mean, precision and reliability of the rows (side 0) or the columns (side 1), in units of the noise."""
        K, unit = self.config.rank, facts.unit
        head = (self.row_head, self.col_head)[side]
        inputs = torch.cat([total / (facts.count + 1), soft_clip(facts.features[:, :1]), facts.features[:, 1:]], 1)
        factors, shift, precision, noise = head(inputs).split([K, 1, 1, 1], 1)
        mean = torch.cat([factors * self.factor_scale / unit.sqrt(), (shift + facts.effect) / unit], 1)
        of_factors, of_effect = (self.log_precision[side] + soft_clip(precision, 4)).exp().split([K, 1], 1)
        return Prior(mean, torch.cat([of_factors, of_effect * facts.precision], 1), (-soft_clip(noise, 2)).exp())


def soft_clip(values: Tensor, limit: float = 6.0) -> Tensor:
    """The identity near zero, never beyond ``limit``: outliers reach the network's input, but do not drown it."""
    return limit * torch.tanh(values / limit)


def _values(x: Tensor, row_effect: Tensor, col_effect: Tensor, unit: Tensor) -> Tensor:
    """(k,), then (k, 1) each -> (k, 2) of each entry: x, and x minus both effects in units of the noise, limited."""
    x = x.unsqueeze(1)
    return soft_clip(torch.cat([x, (x - row_effect - col_effect) / unit], 1))


def _features(effect: Tensor, count: Tensor, cells: Tensor) -> Tensor:
    """(n, 4) of each row or column: its effect, log count, root of the share observed, log of its length."""
    cells = cells.to(effect.dtype).unsqueeze(1)
    return torch.cat([effect, (count + 1).log() / 5, (count / cells).sqrt(), (cells + 1).log() / 5], 1)


def _row_factors(rows: Side, facts: Facts) -> Tensor:
    """(N, K + 2) U = (u, a, 1), back from units of the noise; with V below, U V^T = u . v + a + b."""
    u, a = rows.mean[:, :-1], rows.mean[:, -1:]
    return torch.cat([u * facts.unit.sqrt(), a * facts.unit, torch.ones_like(a)], 1)


def _col_factors(cols: Side, facts: Facts) -> Tensor:
    """(M, K + 2) V = (v, 1, b), back from units of the noise."""
    v, b = cols.mean[:, :-1], cols.mean[:, -1:]
    return torch.cat([v * facts.unit.sqrt(), torch.ones_like(b), b * facts.unit], 1)


def _log_noise(prior: Prior, facts: Facts) -> Tensor:
    """(N,) what rows add to the log of the noise variance of their cells: their matrix's, and their own."""
    return 2 * facts.unit[:, 0].log() - prior.reliability[:, 0].log()
