"""Accuracy of the bundled universal checkpoint on matrices that it was not trained on: estimates
and intervals.

    python -m benchmarks.accuracy.universal

Writes benchmarks/results/universal.csv, one tidy row per (data, where, method, metric). The
checkpoint was trained on the meta-training parts of split 0 of ML-1M and Jester (see its card): on
nothing of ML-100K, and of those two on other users and other items than in the meta-test parts
measured here.

Where:
    u1      the publisher's split of ML-100K: 80,000 ratings given, the other 20,000 predicted
    whole   one matrix, half of its ratings given: the meta-test parts of ML-1M and Jester (zeros kept), all of ML-100K
    uneven  the same matrices, but a row with c ratings gives 0 to c - 1 of them, small numbers as often as large ones
    blocks  200 blocks of 30 x 30 of the same matrices, half given
    unscaled    the same blocks, with an unknown rating scale
    tiny    400 blocks of 6 x 5, of an unknown scale

Methods: the universal model; damped biases; crossed random effects with variances of maximum
likelihood (of the given ratings; for blocks, of 200 blocks of the meta-training part of the same
data); ALS (not for blocks), its precision and biases chosen on a tenth of the given ratings, then
refitted to all of them. All but the first see the data at hand. All read a matrix in the
checkpoint's units, which know its rating scale (``metamf/ratings/units.py``), where it is known.

Metrics: rmse, in rating units, clipped to the scale (u1: of ``MetaMFImputer``). ratio of the mean
squared error to that of the given ratings' mean, each averaged over matrices. For methods with a
predictive variance the share of the ratings inside the intervals of 50, 80, 90 and 95 percent, the
intervals' mean widths, mean log likelihood (Gaussian) and CRPS, in units of each matrix's standard
deviation; ``cover_90_at_3-5`` is among ratings of rows with 3 to 5 given ones. Intervals that hold
too little are narrow for that reason alone: ``fair_width_90`` is the mean width of the same
intervals, all stretched or shrunk by the smallest factor with which they hold at least 90 percent
of these ratings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from benchmarks.rows import INTERVAL_LEVELS, RESULTS, append, command_line
from metamf import MetaMFImputer, Ratings, datasets
from metamf.baselines import METHODS, choose, fit_variances
from metamf.baselines.als import ALS
from metamf.baselines.biases import DampedBias, Mean
from metamf.baselines.crossed_effects import CrossedEffects
from metamf.checkpoints.bundled import find_checkpoint
from metamf.checkpoints.files import load_checkpoint
from metamf.files import sha256_of
from metamf.learning.episodes import (
    Episode,
    EpisodeBatch,
    divide_entries,
    held_out_blocks,
    split_rows_and_columns,
)
from metamf.network.universal.intervals import interval_scores, widths
from metamf.network.universal.network import Universal
from metamf.ratings.units import ScaleUnits

SMALLEST = 6, 5  # rows and columns
# ratings of a bucket whose coverage is reported: its standard error is then at most 5 points
FEWEST_IN_BUCKET = 100
# given ratings of a row, from
BUCKETS = {"0": 0, "1-2": 1, "3-5": 3, "6-10": 6, "11-20": 11, "21-50": 21, ">50": 51}


class HeldOutMatrices(NamedTuple):
    """Matrices with held-out entries to predict."""

    data: str
    where: str  # how entries are held out
    units: ScaleUnits  # that each matrix is standardised in
    episodes: list[Episode]  # the matrices, in rating units
    #: the data to estimate variances on, where the matrices are too small for that
    training: Ratings | None = None

    def batch(self, episodes: Iterable[Episode]) -> EpisodeBatch:
        return EpisodeBatch.of([episode.standardized(self.units) for episode in episodes])


class QueryEstimates(NamedTuple):
    """Predictions of query entries, in standardised units; the last two are None for a method
    without variances."""

    mean: Tensor  # (n_query,)
    deviation: Tensor | None = None  # (n_query,) predictive standard deviations
    #: by level, in these deviations: a number or (n_query,)
    half_widths: dict[float, float | Tensor] | None = None


def main() -> None:
    command_line(__doc__).parse_args()
    torch.set_num_threads(1)
    out, checkpoint = RESULTS / "universal.csv", find_checkpoint("universal")
    out.unlink(missing_ok=True)
    model, _ = load_checkpoint(checkpoint)
    units = model.scale_units
    versions = f"{sha256_of(checkpoint.read_bytes())[:12]}, torch {torch.__version__}"
    everything = (m for name in datasets.NAMES for m in held_out_matrices(name, units))
    for matrices, (method, estimate) in product(everything, methods_with(model).items()):
        if method == "als" and matrices.training is not None:
            continue
        batch = matrices.batch(matrices.episodes)
        metrics = scores(matrices, batch, estimate(matrices, batch))
        if matrices.where == "u1" and method == "universal":
            imputer, query = MetaMFImputer(str(checkpoint)), matrices.episodes[0].query
            found = imputer.fit(matrices.episodes[0].support).estimate(query.rows, query.cols)
            metrics["rmse"] = np.sqrt(np.mean((found - query.values) ** 2))
        key = {"data": matrices.data, "where": matrices.where, "method": method}
        rows = [{"metric": name, "value": value} for name, value in metrics.items()]
        append(out, *(key | row | {"versions": versions} for row in rows))
        print(*key.values(), f"{metrics['rmse']:.4f}", flush=True)


def held_out_matrices(name: str, units: ScaleUnits) -> Iterator[HeldOutMatrices]:
    training = None
    if name == "ml-100k":
        yield HeldOutMatrices(name, "u1", units, [Episode(*datasets.load_official_split())])
        matrix = datasets.load(name)
        training = split_rows_and_columns(matrix, 0).train
    else:
        split = split_rows_and_columns(datasets.load(name, zeros_are_missing=False), 0)
        matrix, training = split.test, split.train
    half = divide_entries(matrix, 0.5, np.random.default_rng([0, 0]))
    yield HeldOutMatrices(name, "whole", units, [half])
    uneven = divide_unevenly(matrix, np.random.default_rng([0, 1]))
    yield HeldOutMatrices(name, "uneven", units, [uneven])
    yield HeldOutMatrices(name, "blocks", units, held_out_blocks(matrix, 200, [0, 2]), training)
    matrix, training = (replace(part, scale=None) for part in (matrix, training))
    yield HeldOutMatrices(name, "unscaled", units, held_out_blocks(matrix, 200, [0, 2]), training)
    tiny = held_out_blocks(matrix, 400, [0, 2], SMALLEST)
    yield HeldOutMatrices(name, "tiny", units, tiny, training)


def divide_unevenly(ratings: Ratings, rng: np.random.Generator) -> Episode:
    """A row with c ratings gives floor(e^y) - 1 of them, y uniform from 0 to log(c + 1)."""
    given = np.floor(np.exp(rng.uniform(0, np.log(ratings.row_counts + 1)))).astype(int) - 1
    order = np.lexsort((rng.random(ratings.nnz), ratings.rows))
    place = np.empty(ratings.nnz, dtype=int)  # of each entry in the random order of its row
    place[order] = np.arange(ratings.nnz) - ratings.row_starts[ratings.rows]
    support = place < given[ratings.rows]
    return Episode(ratings.select(support), ratings.select(~support))


def methods_with(model: Universal) -> dict[str, Callable[..., QueryEstimates]]:
    return {
        "universal": partial(universal, model),
        "damped_bias": partial(of_the_library, DampedBias()),
        "crossed_effects": crossed_effects,
        "als": als,
    }


def universal(model: Universal, matrices: HeldOutMatrices, batch: EpisodeBatch) -> QueryEstimates:
    at = batch.query_row, batch.query_col
    with torch.inference_mode():
        adapted = model.adapt(batch.support)
        deviation = adapted.variance(*at).sqrt()
        known = matrices.episodes[0].support.scale is not None
        found = widths(model, adapted, batch.support, INTERVAL_LEVELS, known)[:, batch.query_matrix]
        half_widths = dict(zip(INTERVAL_LEVELS, found))
        return QueryEstimates(adapted.predict(*at), deviation, half_widths)


def of_the_library(
    method: nn.Module, matrices: HeldOutMatrices, batch: EpisodeBatch
) -> QueryEstimates:
    return QueryEstimates(method.adapt(batch.support).predict(batch.query_row, batch.query_col))


def crossed_effects(matrices: HeldOutMatrices, batch: EpisodeBatch) -> QueryEstimates:
    if matrices.training is None:
        config = fit_variances(batch.support)
    else:
        size = SMALLEST if matrices.where == "tiny" else (30, 30)
        blocks = held_out_blocks(matrices.training, 200, [0, 3], size)
        config = fit_variances(matrices.batch(blocks))
    at = batch.query_row, batch.query_col
    with torch.no_grad():
        adapted = CrossedEffects(config).adapt(batch.support)
        deviation = adapted.predict_variance(*at).sqrt()
    normal = torch.distributions.Normal(0.0, 1.0)
    half_widths = {p: normal.icdf(torch.tensor((1 + p) / 2)).item() for p in INTERVAL_LEVELS}
    return QueryEstimates(adapted.predict(*at), deviation, half_widths)


def als(matrices: HeldOutMatrices, batch: EpisodeBatch) -> QueryEstimates:
    rngs = (np.random.default_rng([0, 4]) for _ in matrices.episodes)
    held = [divide_entries(e.support, 0.9, rng) for e, rng in zip(matrices.episodes, rngs)]
    choice = choose(ALS, METHODS["als"].grid, matrices.batch(held))
    return of_the_library(ALS(choice.config), matrices, batch)


def scores(
    matrices: HeldOutMatrices, batch: EpisodeBatch, estimates: QueryEstimates
) -> dict[str, float]:
    error = (batch.query_x - estimates.mean).double()
    matrix = batch.query_matrix

    def per_matrix(squares):
        """(D,) the mean of ``squares`` over the query entries of each matrix."""
        sums = torch.zeros(len(batch.support)).double().index_add_(0, matrix, squares)
        return sums / torch.bincount(matrix, minlength=len(sums))

    support_mean = Mean().adapt(batch.support).predict(batch.query_row, batch.query_col)
    reference = per_matrix((batch.query_x - support_mean).double().square())
    metrics = {
        "rmse": rating_rmse(matrices, estimates.mean),
        "ratio": (per_matrix(error.square()).mean() / reference.mean()).item(),
    }
    if estimates.deviation is None:
        return metrics
    deviation = estimates.deviation.double()
    score = error / deviation
    metrics |= interval_scores(score, deviation, estimates.half_widths)
    given = batch.support.row_count[batch.query_row, 0]
    bucket = torch.bucketize(given, torch.tensor(list(BUCKETS.values())), right=True) - 1
    for level, half in estimates.half_widths.items():
        percent = round(100 * level)
        inside = (score.abs() <= half).double()
        factor = np.quantile((score.abs() / half).numpy(), level, method="higher")
        metrics[f"fair_width_{percent}"] = factor * metrics[f"width_{percent}"]
        for at, label in enumerate(BUCKETS):
            if (bucket == at).sum() >= FEWEST_IN_BUCKET:
                metrics[f"cover_{percent}_at_{label}"] = inside[bucket == at].mean().item()
    return metrics


def rating_rmse(matrices: HeldOutMatrices, mean: Tensor) -> float:
    """Root mean squared error over all query entries, in rating units; the estimates of a matrix
    are clipped to its scale, or without one to the range of the given ratings."""
    squares, start = 0.0, 0
    for episode in matrices.episodes:
        support, query = episode.support, episode.query
        estimate = matrices.units.of(support).undo(mean[start : start + query.nnz].double().numpy())
        ends = (support.scale.minimum, support.scale.maximum) if support.scale else support.values
        squares += ((estimate.clip(np.min(ends), np.max(ends)) - query.values) ** 2).sum()
        start += query.nnz
    return float(np.sqrt(squares / start))


if __name__ == "__main__":
    main()
