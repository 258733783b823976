"""Widths of intervals: those that held-out matrices call for, mixed with those of the matrix's own
entries.

A score is |x - estimate| in predictive standard deviations, and the half-width of the interval of
level p is the p-quantile of a distribution of scores. There are two such distributions:

- F_cal, of held-out cells of matrices with about as many observed entries (split conformal
  prediction: Vovk, Gammerman and Shafer 2005; Lei et al. 2018), tabulated by ``calibrate``;
- F_own, of the observed entries of the matrix itself, each approximately as if it had been left
  out.

The half-width w of a matrix with n observed entries solves F(w) = a F_own(w) + (1 - a) F_cal(w) =
p, with the weight a = 0.7 n / (n + 50), so that a matrix of another domain, whose noise has another
shape, gets widths of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from metamf.learning.episodes import EpisodeBatch
from metamf.ratings.batch import RatingsBatch

TABULATED_LEVELS = 99  # number of levels of intervals in the tables
LEVELS = np.arange(1, TABULATED_LEVELS + 1) / (TABULATED_LEVELS + 1)  # 0.01 ... 0.99
CALIBRATED_AT = 6, 16, 40, 100, 300  # observed entries of the matrices of the table
#: The weight a: its limit for many entries, and the number of entries that have half of that.
#: Chosen by hand, after the coverage on test parts and on data sets of R had been seen
#: (docs/universal.md, "When not to believe an interval").
LARGEST_OWN_WEIGHT = 0.7
HALF_OF_IT_AT = 50
NARROWEST = 0.01  # share of the width that held-out matrices call for, so that no interval vanishes


def widths(
    model: Any,
    adapted: Any,
    support: RatingsBatch,
    levels: Sequence[float],
    known: bool = True,
) -> Tensor:
    """Returns half-widths of the intervals of each matrix, (len(levels), D), in predictive standard
    deviations.

    ``adapted`` is what ``model`` (``Universal``) found of the D matrices ``support``, in
    standardised units; ``known`` is whether they were standardised by a known rating scale.
    ValueError for a level outside of 0.01 to 0.99, or if the model's widths fall as levels rise.
    """
    for level in levels:
        if not LEVELS[0] <= level <= LEVELS[-1]:
            raise ValueError(
                f"interval levels lie between {LEVELS[0]} and {LEVELS[-1]}, got {level}"
            )
    if (falling := (model.interval_widths.diff() < 0).nonzero()).numel():
        *where, at = falling[0].tolist()
        wider, narrower = model.interval_widths[*where, at : at + 2].tolist()
        raise ValueError(
            f"intervals of level {LEVELS[at + 1]:g} are narrower than those of level "
            f"{LEVELS[at]:g}, {narrower:g} against {wider:g}: calibrate the model again"
        )
    entries = torch.bincount(support.row_matrix[support.row], minlength=len(support)).tolist()
    scores = adapted.left_out(support).double().cpu()  # in the order of the rows
    tables = (model.interval_widths, model.left_out_widths)
    held_out, left_out = (table[0 if known else 1].double().cpu().numpy() for table in tables)
    found = []
    for n, own in zip(entries, scores.split(entries)):
        at_size = size_weights(torch.tensor([float(n)]))[:, 0].numpy()  # (S,)
        calibrated = at_size @ held_out  # (99,)
        own = own_widths(np.sort(own.numpy()), at_size @ left_out, calibrated)
        narrowest = NARROWEST * np.interp(levels, LEVELS, calibrated)
        found.append(np.maximum(mixture_quantiles(own, calibrated, levels), narrowest))
    return torch.as_tensor(
        np.array(found).T, dtype=model.interval_widths.dtype, device=support.x.device
    )


def own_widths(scores: np.ndarray, usual: np.ndarray, calibrated: np.ndarray) -> np.ndarray:
    """The widths (n,) that correspond to left-out scores.

    A score (n, ascending) that stands at level p among the left-out scores of held-out matrices
    (quantiles ``usual``, (99,)) becomes the width that their held-out cells have at level p
    (``calibrated``, (99,)). Beyond the highest level it is scaled as there.
    """
    within = np.interp(scores, [0, *usual], [0, *calibrated])
    return np.where(scores > usual[-1], scores * (calibrated[-1] / usual[-1]), within)


def mixture_quantiles(
    own: np.ndarray, calibrated: np.ndarray, levels: Sequence[float]
) -> np.ndarray:
    """The widths w with F(w) = a F_own(w) + (1 - a) F_cal(w) = p, for each level p.

    F is evaluated at all n + 99 widths and is linear in between. F_own has the levels (i + 1/2) / n
    at the n own widths (ascending); F_cal is 0 at 0, has its 99 levels at the calibrated widths,
    and is 1 at twice the largest.
    """
    n = len(own)
    a = LARGEST_OWN_WEIGHT * n / (n + HALF_OF_IT_AT)
    own_levels = (np.arange(n) + 0.5) / max(n, 1)
    w = np.concatenate([own, calibrated])
    F_own = np.interp(calibrated, [0, *own], [0, *own_levels], right=1.0)
    F = a * np.concatenate([own_levels, F_own])
    F += (1 - a) * np.interp(w, [0, *calibrated, 2 * calibrated[-1]], [0, *LEVELS, 1])
    return np.interp(levels, np.sort(F), np.sort(w))


def size_weights(entries: Tensor) -> Tensor:
    """Numbers (D,) of observed entries -> the weights (S, D) of the S sizes ``CALIBRATED_AT``,
    which add up to 1 and are linear in the logarithm of the number."""
    at = torch.tensor(CALIBRATED_AT, dtype=torch.double, device=entries.device).log()
    x = entries.double().clamp(CALIBRATED_AT[0], CALIBRATED_AT[-1]).log()
    # (S - 1, D) how far x lies along each gap
    beyond = ((x - at[:-1, None]) / at.diff()[:, None]).clamp(0, 1)
    one = torch.ones_like(x)[None]
    none = torch.zeros_like(x)[None]
    return torch.cat([one, beyond]) - torch.cat([beyond, none])


Batches = Iterable[EpisodeBatch]


def calibrate(model: Any, known: Sequence[Batches], unknown: Sequence[Batches]) -> None:
    """Sets the tables of widths of a model, ``interval_widths`` and ``left_out_widths``, (2, S, 99)
    each.

    ``interval_widths`` has quantiles of the scores of query entries, the largest over the domains,
    so that intervals cover in each of them. ``left_out_widths`` has quantiles of the left-out
    scores of the observed entries, the mean over the domains; by these the left-out scores of other
    matrices are translated into widths. All matrices have the same weight, whatever the number of
    their entries. There is one row for each of the S numbers of observed entries in
    ``CALIBRATED_AT``; a matrix in between counts for both, as it will get its own widths from both.
    Index 0 is for ``known``, batches of each domain that are standardised by a known rating scale,
    index 1 for those by their observed entries alone.
    """
    for index, domains in enumerate((known, unknown)):
        held_out, left_out = zip(*(_both_quantiles(model, batches) for batches in domains))
        model.interval_widths[index] = torch.stack(held_out).amax(0)
        model.left_out_widths[index] = torch.stack(left_out).mean(0)


@torch.no_grad()
def _both_quantiles(model: Any, batches: Batches) -> tuple[Tensor, Tensor]:
    """Quantiles (S, 99) of the scores of one domain: of its query entries, and of its observed
    entries if left out."""
    held_out = []
    left_out = []
    for episodes in batches:
        support = episodes.support
        adapted = model.adapt(support)
        residuals, _ = _residuals(adapted, episodes)
        by_size = size_weights(support.matrix_count[:, 0])  # (S, D)
        held_out.append((residuals.abs(), _weights(by_size, episodes.query_matrix)))
        of_entries = _weights(by_size, support.row_matrix[support.row])
        left_out.append((adapted.left_out(support), of_entries))
    return _quantiles(held_out), _quantiles(left_out)


def _quantiles(parts: list[tuple[Tensor, Tensor]]) -> Tensor:
    """Weighted quantiles (S, 99), from parts of scores (n,) and of their S weights (S, n).

    A size without a matrix gets the quantiles of all sizes together.
    """
    score, order = torch.cat([score for score, _ in parts]).sort()
    weight = torch.cat([weight for _, weight in parts], 1)[:, order].double()
    weight = torch.where(weight.sum(1, keepdim=True) > 0, weight, weight.sum(0))
    below = weight.cumsum(1)
    levels = torch.tensor(LEVELS, device=score.device).repeat(len(below), 1)
    at = torch.searchsorted(below / below[:, -1:], levels)
    return score[at.clamp_(max=len(score) - 1)]


def _weights(by_size: Tensor, matrix: Tensor) -> Tensor:
    """Weights (S, n) of entries of the matrices ``matrix`` (n,) such that all entries of a matrix
    together have its weights, ``by_size`` (S, D)."""
    each = torch.bincount(matrix, minlength=by_size.shape[1]).clamp(min=1).reciprocal()  # (D,)
    return by_size[:, matrix] * each[matrix]


def _residuals(adapted: Any, episodes: EpisodeBatch) -> tuple[Tensor, Tensor]:
    """The scores (n,) of the query entries, signed, and their predictive standard deviations."""
    deviation = adapted.variance(episodes.query_row, episodes.query_col).sqrt()
    estimate = adapted.predict(episodes.query_row, episodes.query_col)
    return (episodes.query_x - estimate) / deviation, deviation


def interval_report(model: Any, episodes: EpisodeBatch) -> dict[str, float]:
    """``interval_scores`` of the query entries, in standardised units, with intervals by
    ``widths``."""
    levels = 0.5, 0.8, 0.9, 0.95
    with torch.no_grad():
        adapted = model.adapt(episodes.support)
        score, deviation = _residuals(adapted, episodes)
        halves = widths(model, adapted, episodes.support, levels)[:, episodes.query_matrix]
    return interval_scores(score, deviation, dict(zip(levels, halves)))


def interval_scores(
    score: Tensor, deviation: Tensor, half_widths: Mapping[float, float | Tensor]
) -> dict[str, float]:
    """Honesty and sharpness of predictive distributions, on average over n held-out values.

    ``score`` (n,) are residuals over predictive standard deviations, ``deviation`` (n,), in the
    units of the values; ``half_widths`` (a number or (n,), by level) are in predictive standard
    deviations. Returns ``log_likelihood``, Gaussian; ``crps``, the continuous ranked probability
    score of a Gaussian (Gneiting and Raftery 2007, Eq. 21), in the units of the values; and those
    of ``coverage``.
    """
    normal = torch.distributions.Normal(0.0, 1.0)
    crps = deviation * (
        score * (2 * normal.cdf(score) - 1) + 2 * normal.log_prob(score).exp() - torch.pi**-0.5
    )
    found = {
        "log_likelihood": (normal.log_prob(score) - deviation.log()).mean().item(),
        "crps": crps.mean().item(),
    }
    return found | coverage(score, half_widths, deviation)


def coverage(
    error: Tensor, half_widths: Mapping[float, float | Tensor], unit: float | Tensor = 1.0
) -> dict[str, float]:
    """For each level p in percent ``cover_p``, the share of n held-out values inside the interval
    around their estimate, and ``width_p``, its mean width.

    ``error`` (n,) are values minus estimates, ``half_widths`` (a number or (n,), by level) are in
    its units, and ``unit`` (a number or (n,)) is the size of such a unit in those in which widths
    are returned.
    """
    found = {}
    for level, half in half_widths.items():
        found[f"cover_{round(100 * level)}"] = (error.abs() <= half).double().mean().item()
        found[f"width_{round(100 * level)}"] = torch.as_tensor(2 * half * unit).mean().item()
    return found
