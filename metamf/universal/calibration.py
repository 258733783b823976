"""Intervals: their widths from held-out matrices and from the matrix itself (conformal), and how honest they are.

A width is the quantile of |x - estimate| / predictive standard deviation over cells that were not observed. Held-out
matrices tell it for their domains; of another domain, whose noise has another shape or is not what the model believes,
the observed entries tell more, each about as if it had been left out (``AdaptedUniversal.left_out``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import torch
from torch import Tensor

from metamf.episodes import EpisodeBatch
from metamf.universal.intervals import LEVELS, _shares, widths

Domains = Sequence[Iterable[EpisodeBatch]]


def calibrate(model, known: Domains, unknown: Domains) -> None:
    """Sets the half-width of each level's interval, in predictive standard deviations, from matrices of each domain:
    ``known`` are those whose rating scale is, ``unknown`` those in the units of their observed entries alone.

    Split conformal over matrices: the width of level p is the p-quantile of |x - estimate| / standard deviation over
    query entries of matrices that the model was not trained on, in the domain where that is largest: so it covers in
    each of them. All matrices weigh alike, however many of their entries are asked for. ``model.interval_widths``,
    (2, S, 99), has it for both and for S numbers of observed entries (``CALIBRATED_AT``); a matrix in between is
    divided among two, as its own width will be. ``model.left_out_widths``, (2, S, 99): such quantiles of what
    ``left_out`` says of the observed entries, on average over the domains, by which those of other matrices are
    understood.
    """
    for index, domains in enumerate((known, unknown)):
        held_out, left_out = zip(*(_both_quantiles(model, batches) for batches in domains))
        model.interval_widths[index] = torch.stack(held_out).amax(0)
        model.left_out_widths[index] = torch.stack(left_out).mean(0)


@torch.no_grad()
def _both_quantiles(model, batches: Iterable[EpisodeBatch]) -> tuple[Tensor, Tensor]:
    """(S, 99) each, of one domain: of the query entries, and of the observed ones as if left out."""
    held_out, left_out = [], []
    for episodes in batches:
        adapted, support = model.adapt(episodes.support), episodes.support
        score, _ = _residuals(adapted, episodes)
        matrix, of_support = episodes.query_matrix, support.row_matrix[support.row]
        shares = _shares(support.matrix_count[:, 0])  # (S, D)
        held_out.append((score.abs(), shares[:, matrix] * _alike(matrix, len(support))))
        left_out.append((adapted.left_out(support), shares[:, of_support] * _alike(of_support, len(support))))
    return _quantiles(held_out), _quantiles(left_out)


def _quantiles(scores: list[tuple[Tensor, Tensor]]) -> Tensor:
    """(W, 99) of scores (n,), for each of W weights (W, n); both come in parts."""
    score, order = torch.cat([part for part, _ in scores]).sort()
    weight = torch.cat([part for _, part in scores], 1)[:, order].double()
    weight = torch.where(weight.sum(1, keepdim=True) > 0, weight, weight.sum(0))  # no matrix of a size: all of them
    share = weight.cumsum(1)
    levels = torch.arange(1, LEVELS + 1, dtype=torch.double, device=score.device) / (LEVELS + 1)
    at = torch.searchsorted(share / share[:, -1:], levels.expand(len(share), -1).contiguous())
    return score[at.clamp_(max=len(score) - 1)]


def _alike(matrix: Tensor, D: int) -> Tensor:
    """(n,) weights of entries of D matrices, by which all matrices weigh alike."""
    return torch.bincount(matrix, minlength=D).clamp(min=1).reciprocal()[matrix]


def standardized_residuals(model, episodes: EpisodeBatch) -> tuple[Tensor, Tensor]:
    """(n_query,) residuals over predictive standard deviations, and those standard deviations."""
    with torch.no_grad():
        return _residuals(model.adapt(episodes.support), episodes)


def _residuals(adapted, episodes: EpisodeBatch) -> tuple[Tensor, Tensor]:
    deviation = adapted.variance(episodes.query_row, episodes.query_col).sqrt()
    estimate = adapted.predict(episodes.query_row, episodes.query_col)
    return (episodes.query_x - estimate) / deviation, deviation


def interval_report(
    model, episodes: EpisodeBatch, levels: Sequence[float] = (0.5, 0.8, 0.9, 0.95), known: bool = True
) -> dict[str, float]:
    """Coverage and mean width (standardised units) of the intervals, mean Gaussian log likelihood and CRPS."""
    with torch.no_grad():
        adapted = model.adapt(episodes.support)
        score, deviation = _residuals(adapted, episodes)
        halves = widths(model, adapted, episodes.support, levels, known)[:, episodes.query_matrix]
    return interval_scores(score, deviation, dict(zip(levels, halves)))


def interval_scores(score: Tensor, deviation: Tensor, half_widths: Mapping[float, float | Tensor]) -> dict[str, float]:
    """How honest and how sharp predictive distributions are, on average over n held-out values.

    Parameters
    ----------
    score : (n,) residuals over predictive standard deviations
    deviation : (n,) those standard deviations, in the units of the values
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
    for level, half in half_widths.items():
        found[f"cover_{round(100 * level)}"] = (score.abs() <= half).double().mean().item()
        found[f"width_{round(100 * level)}"] = (2 * half * deviation).mean().item()
    return found
