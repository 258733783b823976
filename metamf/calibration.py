"""Intervals: their widths from held-out matrices (conformal), and how honest they are."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from metamf.episodes import EpisodeBatch


def calibrate(model, batches: Iterable[EpisodeBatch]) -> None:
    """Sets ``model.interval_widths``: the half-width of each level's interval, in predictive standard deviations.

    Split conformal over matrices: the width of level p is the p-quantile of |x - estimate| / standard deviation over
    query entries of matrices that the model was not trained on. All matrices weigh alike, however large.
    """
    scores, weights = [], []
    for episodes in batches:
        score, _ = standardized_residuals(model, episodes)
        matrix = episodes.query_matrix
        counts = torch.bincount(matrix, minlength=len(episodes.support)).clamp(min=1)
        scores.append(score.abs())
        weights.append(counts.reciprocal()[matrix])
    score, order = torch.cat(scores).sort()
    share = torch.cat(weights)[order].double().cumsum(0)
    levels = torch.arange(1, len(model.interval_widths) + 1, dtype=torch.double) / (len(model.interval_widths) + 1)
    at = torch.searchsorted(share / share[-1], levels.to(share.device)).clamp_(max=len(score) - 1)
    model.interval_widths.copy_(score[at])


def width(model, level: float) -> float:
    """Half-width of the interval of a level, in predictive standard deviations, between the calibrated levels linear.

    Raises ValueError for a level outside the calibrated ones, 0.01 to 0.99, and for widths that fall as levels rise.
    """
    n = len(model.interval_widths)
    if not 1 / (n + 1) <= level <= n / (n + 1):
        raise ValueError(f"interval levels lie between {1 / (n + 1):g} and {n / (n + 1):g}, got {level}")
    if (falling := (model.interval_widths.diff() < 0).nonzero()).numel():
        at = int(falling[0])
        wider, narrower = model.interval_widths[at : at + 2].tolist()
        raise ValueError(
            f"intervals of level {(at + 2) / (n + 1):g} are narrower than those of level {(at + 1) / (n + 1):g}, "
            f"{narrower:g} against {wider:g}: calibrate the model again"
        )
    position = level * (n + 1) - 1
    below = min(int(position), n - 2)
    low, high = model.interval_widths[below : below + 2].tolist()
    return low + (high - low) * (position - below)


def standardized_residuals(model, episodes: EpisodeBatch) -> tuple[Tensor, Tensor]:
    """(n_query,) residuals over predictive standard deviations, and those standard deviations."""
    with torch.no_grad():
        adapted = model.adapt(episodes.support)
        deviation = adapted.variance(episodes.query_row, episodes.query_col).sqrt()
        estimate = adapted.predict(episodes.query_row, episodes.query_col)
    return (episodes.query_x - estimate) / deviation, deviation


def interval_report(model, episodes: EpisodeBatch, levels: Iterable[float] = (0.5, 0.8, 0.9, 0.95)) -> dict[str, float]:
    """Coverage and mean width (standardised units) of the intervals, mean Gaussian log likelihood and CRPS."""
    score, deviation = standardized_residuals(model, episodes)
    normal = torch.distributions.Normal(0.0, 1.0)
    crps = deviation * (score * (2 * normal.cdf(score) - 1) + 2 * normal.log_prob(score).exp() - torch.pi**-0.5)
    report = {
        "log_likelihood": (normal.log_prob(score) - deviation.log()).mean().item(),
        "crps": crps.mean().item(),
    }
    for level in levels:
        half = width(model, level)
        report[f"cover_{round(100 * level)}"] = (score.abs() <= half).double().mean().item()
        report[f"width_{round(100 * level)}"] = (2 * half * deviation).mean().item()
    return report
