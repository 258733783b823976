"""Calibration of the intervals on held-out matrices, and reports of how well intervals keep what they promise.

Split conformal prediction (Vovk, Gammerman and Shafer 2005; Lei et al. 2018) over matrices: the width of level p is the
p-quantile of |x - estimate| / predictive standard deviation over cells that were not observed, of matrices that the
model was not trained on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import torch
from torch import Tensor

from metamf.episodes import EpisodeBatch
from metamf.universal.intervals import TABULATED_LEVELS, size_weights, widths

Batches = Iterable[EpisodeBatch]


def calibrate(model, known: Sequence[Batches], unknown: Sequence[Batches]) -> None:
    """Sets the tables of widths of a model, ``interval_widths`` and ``left_out_widths``, (2, S, 99) each.

    ``interval_widths`` has quantiles of the scores of query entries, the largest over the domains, so that intervals
    cover in each of them. ``left_out_widths`` has quantiles of the left-out scores of the observed entries, the mean
    over the domains; by these the left-out scores of other matrices are translated into widths. All matrices have the
    same weight, whatever the number of their entries. There is one row for each of the S numbers of observed entries in
    ``CALIBRATED_AT``; a matrix in between counts for both, as it will get its own widths from both.

    Parameters
    ----------
    model : the model to calibrate, in place
    known : batches of each domain, standardised by a known rating scale, for index 0
    unknown : batches of each domain, standardised by their observed entries alone, for index 1
    """
    for index, domains in enumerate((known, unknown)):
        held_out, left_out = zip(*(_both_quantiles(model, batches) for batches in domains))
        model.interval_widths[index] = torch.stack(held_out).amax(0)
        model.left_out_widths[index] = torch.stack(left_out).mean(0)


@torch.no_grad()
def _both_quantiles(model, batches: Batches) -> tuple[Tensor, Tensor]:
    """Quantiles (S, 99) of the scores of one domain: of its query entries, and of its observed entries if left out."""
    held_out, left_out = [], []
    for episodes in batches:
        adapted, support = model.adapt(episodes.support), episodes.support
        residuals, _ = _residuals(adapted, episodes)
        by_size = size_weights(support.matrix_count[:, 0])  # (S, D)
        held_out.append((residuals.abs(), _weights(by_size, episodes.query_matrix)))
        left_out.append((adapted.left_out(support), _weights(by_size, support.row_matrix[support.row])))
    return _quantiles(held_out), _quantiles(left_out)


def _quantiles(parts: list[tuple[Tensor, Tensor]]) -> Tensor:
    """Weighted quantiles (S, 99), from parts of scores (n,) and of their S weights (S, n).

    A size without a matrix gets the quantiles of all sizes together.
    """
    score, order = torch.cat([score for score, _ in parts]).sort()
    weight = torch.cat([weight for _, weight in parts], 1)[:, order].double()
    weight = torch.where(weight.sum(1, keepdim=True) > 0, weight, weight.sum(0))
    below = weight.cumsum(1)
    levels = torch.arange(1, TABULATED_LEVELS + 1, dtype=torch.double, device=score.device) / (TABULATED_LEVELS + 1)
    at = torch.searchsorted(below / below[:, -1:], levels.expand(len(below), -1).contiguous())
    return score[at.clamp_(max=len(score) - 1)]


def _weights(by_size: Tensor, matrix: Tensor) -> Tensor:
    """Weights (S, n) of entries such that all entries of a matrix together have the weights of that matrix.

    Parameters
    ----------
    by_size : (S, D) weights of the matrices
    matrix : (n,) the matrix of each entry
    """
    each = torch.bincount(matrix, minlength=by_size.shape[1]).clamp(min=1).reciprocal()  # (D,)
    return by_size[:, matrix] * each[matrix]


def _residuals(adapted, episodes: EpisodeBatch) -> tuple[Tensor, Tensor]:
    deviation = adapted.variance(episodes.query_row, episodes.query_col).sqrt()
    estimate = adapted.predict(episodes.query_row, episodes.query_col)
    return (episodes.query_x - estimate) / deviation, deviation


def interval_report(
    model, episodes: EpisodeBatch, levels: Sequence[float] = (0.5, 0.8, 0.9, 0.95), known: bool = True
) -> dict[str, float]:
    """``interval_scores`` of the query entries, in standardised units.

    Parameters
    ----------
    model : a network with ``adapt`` and the tables of widths
    episodes : matrices with observed and query entries
    levels : levels of the intervals
    known : whether the matrices were standardised by a known rating scale
    """
    with torch.no_grad():
        adapted = model.adapt(episodes.support)
        score, deviation = _residuals(adapted, episodes)
        halves = widths(model, adapted, episodes.support, levels, known)[:, episodes.query_matrix]
    return interval_scores(score, deviation, dict(zip(levels, halves)))


def interval_scores(score: Tensor, deviation: Tensor, half_widths: Mapping[float, float | Tensor]) -> dict[str, float]:
    """Honesty and sharpness of predictive distributions, on average over n held-out values.

    Parameters
    ----------
    score : (n,) residuals over predictive standard deviations
    deviation : (n,) predictive standard deviations, in the units of the values
    half_widths : level -> half-width of the interval of that level in predictive standard deviations, a number or (n,)

    Returns
    -------
    dict
        ``log_likelihood``, Gaussian; ``crps``, the continuous ranked probability score of a Gaussian (Gneiting and
        Raftery 2007, Eq. 21), in the units of the values; for each level p in percent ``cover_p``, the share of values
        inside the interval, and ``width_p``, its mean width in the units of the values
    """
    normal = torch.distributions.Normal(0.0, 1.0)
    crps = deviation * (score * (2 * normal.cdf(score) - 1) + 2 * normal.log_prob(score).exp() - torch.pi**-0.5)
    found = {
        "log_likelihood": (normal.log_prob(score) - deviation.log()).mean().item(),
        "crps": crps.mean().item(),
    }
    return found | coverage(score, half_widths, deviation)


def coverage(
    error: Tensor, half_widths: Mapping[float, float | Tensor], unit: float | Tensor = 1.0
) -> dict[str, float]:
    """Coverage and mean width of intervals around estimates of n held-out values.

    Parameters
    ----------
    error : (n,) values minus estimates
    half_widths : level -> half-width of the interval of that level, a number or (n,), in the units of ``error``
    unit : size of a unit of ``error`` in the units in which widths are returned, a number or (n,)

    Returns
    -------
    dict
        for each level p in percent ``cover_p``, the share of values inside the interval, and ``width_p``, its mean
        width
    """
    found = {}
    for level, half in half_widths.items():
        found[f"cover_{round(100 * level)}"] = (error.abs() <= half).double().mean().item()
        found[f"width_{round(100 * level)}"] = (2 * half * unit).mean().item()
    return found
