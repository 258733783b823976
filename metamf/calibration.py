"""Intervals: their widths from held-out matrices (conformal), and how honest they are."""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from torch import Tensor

from metamf.episodes import EpisodeBatch
from metamf.universal import CALIBRATED_AT, LEVELS


def calibrate(model, batches: Iterable[EpisodeBatch]) -> None:
    """Sets ``model.interval_widths``, (2, 99): the half-width of each level's interval, in predictive standard
    deviations, for small and for larger matrices (``CALIBRATED_AT``).

    Split conformal over matrices: the width of level p is the p-quantile of |x - estimate| / standard deviation over
    query entries of matrices that the model was not trained on. All matrices weigh alike, however many of their entries
    are asked for; one in between small and larger is divided among both, as its own width will be.
    """
    scores, weights = [], []
    for episodes in batches:
        score, _ = standardized_residuals(model, episodes)
        matrix = episodes.query_matrix
        counts = torch.bincount(matrix, minlength=len(episodes.support)).clamp(min=1)
        larger = _larger(episodes.support.matrix_count[:, 0])
        scores.append(score.abs())
        weights.append((torch.stack([1 - larger, larger]) / counts)[:, matrix])
    score, order = torch.cat(scores).sort()
    levels = torch.arange(1, LEVELS + 1, dtype=torch.double, device=score.device) / (LEVELS + 1)
    weight = torch.cat(weights, 1)[:, order].double()
    for widths, share in zip(model.interval_widths, weight.cumsum(1)):
        if share[-1] == 0:
            share = weight.sum(0).cumsum(0)  # no matrix of that size: those of the other one
        widths.copy_(score[torch.searchsorted(share / share[-1], levels).clamp_(max=len(score) - 1)])


def width(model, level: float, entries: Tensor | int) -> Tensor:
    """Half-widths of intervals of a level, in predictive standard deviations, in the shape of ``entries``: how many of
    the matrix are observed. Linear between the calibrated levels, and in the logarithm of the entries.

    Raises ValueError for a level outside the calibrated ones, 0.01 to 0.99, and for widths that fall as levels rise.
    """
    n = model.interval_widths.shape[1]
    if not 1 / (n + 1) <= level <= n / (n + 1):
        raise ValueError(f"interval levels lie between {1 / (n + 1):g} and {n / (n + 1):g}, got {level}")
    if (falling := (model.interval_widths.diff() < 0).nonzero()).numel():
        size, at = falling[0].tolist()
        wider, narrower = model.interval_widths[size, at : at + 2].tolist()
        raise ValueError(
            f"intervals of level {(at + 2) / (n + 1):g} are narrower than those of level {(at + 1) / (n + 1):g}, "
            f"{narrower:g} against {wider:g}: calibrate the model again"
        )
    position = level * (n + 1) - 1
    below = min(int(position), n - 2)
    small, larger = torch.lerp(*model.interval_widths[:, below : below + 2].unbind(1), position - below)
    return torch.lerp(small, larger, _larger(torch.as_tensor(entries, device=small.device)))


def _larger(entries: Tensor) -> Tensor:
    """How far matrices of so many entries are on the way from small to larger ones, 0 to 1."""
    small, larger = map(math.log, CALIBRATED_AT)
    return ((entries.clamp(min=1).log() - small) / (larger - small)).clamp(0, 1)


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
        half = width(model, level, episodes.support.matrix_count[:, 0])[episodes.query_matrix]
        report[f"cover_{round(100 * level)}"] = (score.abs() <= half).double().mean().item()
        report[f"width_{round(100 * level)}"] = (2 * half * deviation).mean().item()
    return report
