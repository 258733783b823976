"""Intervals: their widths from held-out matrices and from the matrix itself (conformal), and how honest they are.

A width is the quantile of |x - estimate| / predictive standard deviation over cells that were not observed. Held-out
matrices tell it for their domains; of another domain, whose noise has another shape or is not what the model believes,
the observed entries tell more, each about as if it had been left out (``AdaptedUniversal.left_out``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import torch
from torch import Tensor

from metamf.episodes import EpisodeBatch
from metamf.ratings import RatingsBatch
from metamf.universal import CALIBRATED_AT, LEVELS

OWN, HALF = 0.7, 50  # the weight of a matrix's own entries where they are many; with how many they have half of it
LEAST = 0.01  # of the width that held-out matrices call for


def calibrate(model, batches: Iterable[EpisodeBatch]) -> None:
    """Sets the half-width of each level's interval, in predictive standard deviations.

    Split conformal over matrices: the width of level p is the p-quantile of |x - estimate| / standard deviation over
    query entries of matrices that the model was not trained on. All matrices weigh alike, however many of their entries
    are asked for. ``model.interval_widths``, (2, 99), has it for small and for larger matrices (``CALIBRATED_AT``); one
    in between is divided among both, as its own width will be. ``model.left_out_widths``, (99,): the same quantiles of
    what ``left_out`` says of the observed entries, by which those of other matrices are understood.
    """
    held_out, left_out = [], []
    for episodes in batches:
        with torch.no_grad():
            adapted, support = model.adapt(episodes.support), episodes.support
            score, _ = _residuals(adapted, episodes)
            matrix, of_support = episodes.query_matrix, support.row_matrix[support.row]
            larger = _larger(support.matrix_count[:, 0])
            shares = torch.stack([1 - larger, larger])
            held_out.append((score.abs(), shares[:, matrix] * _alike(matrix, len(support))))
            left_out.append((adapted.left_out(support), _alike(of_support, len(support))[None]))
    model.interval_widths.copy_(_quantiles(held_out))
    model.left_out_widths.copy_(_quantiles(left_out)[0])


def widths(model, adapted, support: RatingsBatch, levels: Sequence[float]) -> Tensor:
    """(levels, D) half-widths of the intervals of each matrix of ``support``, in predictive standard deviations.

    Raises ValueError for a level outside the calibrated ones, 0.01 to 0.99, and for widths that fall as levels rise.
    """
    for level in levels:
        if not 1 / (LEVELS + 1) <= level <= LEVELS / (LEVELS + 1):
            raise ValueError(f"interval levels lie between {1 / (LEVELS + 1)} and {LEVELS / (LEVELS + 1)}, got {level}")
    _check_rising(model)
    ends = torch.bincount(support.row_matrix[support.row], minlength=len(support)).cumsum(0)  # rows are in their order
    parts = np.split(adapted.left_out(support).double().cpu().numpy(), ends[:-1].tolist())
    found = [_widths(model, np.sort(part), levels) for part in parts]
    return torch.as_tensor(np.array(found).T, dtype=model.interval_widths.dtype, device=support.x.device)


def _widths(model, scores: np.ndarray, levels: Sequence[float]) -> np.ndarray:
    """Of one matrix, of whose entries these are the left-out scores, ascending: quantiles of a mixture, which takes
    notice of its own distribution the more, the more entries it has."""
    n, calibrated = len(scores), np.arange(1, LEVELS + 1) / (LEVELS + 1)
    larger = _larger(torch.tensor(float(n))).item()
    small, large = model.interval_widths.double().cpu().numpy()
    expected = small + (large - small) * larger
    usual = model.left_out_widths.double().cpu().numpy()
    # what a score is among those of held-out matrices, a width is among theirs
    own = np.where(scores > usual[-1], scores * (expected[-1] / usual[-1]),
                   np.interp(scores, _from_zero(usual), _from_zero(expected)))  # fmt: skip
    weight, ranks = OWN * n / (n + HALF), (np.arange(n) + 0.5) / max(n, 1)
    at = np.concatenate([own, expected])  # and the share of the mixture below each of these widths:
    of_own = np.interp(expected, _from_zero(own), _from_zero(ranks), right=1.0)
    below = weight * np.concatenate([ranks, of_own])
    below += (1 - weight) * np.interp(at, [0, *expected, 2 * expected[-1]], [0, *calibrated, 1])
    at, below = np.sort(at), np.sort(below)
    return np.maximum(np.interp(levels, below, at), LEAST * np.interp(levels, calibrated, expected))


def _from_zero(values: np.ndarray) -> np.ndarray:
    return np.concatenate([[0.0], values])


def _check_rising(model) -> None:
    if (falling := (model.interval_widths.diff() < 0).nonzero()).numel():
        size, at = falling[0].tolist()
        wider, narrower = model.interval_widths[size, at : at + 2].tolist()
        raise ValueError(
            f"intervals of level {(at + 2) / (LEVELS + 1):g} are narrower than those of level "
            f"{(at + 1) / (LEVELS + 1):g}, {narrower:g} against {wider:g}: calibrate the model again"
        )


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


def _larger(entries: Tensor) -> Tensor:
    """How far matrices of so many entries are on the way from small to larger ones, 0 to 1."""
    small, larger = map(math.log, CALIBRATED_AT)
    return ((entries.clamp(min=1).log() - small) / (larger - small)).clamp(0, 1)


def standardized_residuals(model, episodes: EpisodeBatch) -> tuple[Tensor, Tensor]:
    """(n_query,) residuals over predictive standard deviations, and those standard deviations."""
    with torch.no_grad():
        return _residuals(model.adapt(episodes.support), episodes)


def _residuals(adapted, episodes: EpisodeBatch) -> tuple[Tensor, Tensor]:
    deviation = adapted.variance(episodes.query_row, episodes.query_col).sqrt()
    estimate = adapted.predict(episodes.query_row, episodes.query_col)
    return (episodes.query_x - estimate) / deviation, deviation


def interval_report(model, episodes: EpisodeBatch, levels: Sequence[float] = (0.5, 0.8, 0.9, 0.95)) -> dict[str, float]:
    """Coverage and mean width (standardised units) of the intervals, mean Gaussian log likelihood and CRPS."""
    with torch.no_grad():
        adapted = model.adapt(episodes.support)
        score, deviation = _residuals(adapted, episodes)
        halves = widths(model, adapted, episodes.support, levels)[:, episodes.query_matrix]
    normal = torch.distributions.Normal(0.0, 1.0)
    crps = deviation * (score * (2 * normal.cdf(score) - 1) + 2 * normal.log_prob(score).exp() - torch.pi**-0.5)
    report = {
        "log_likelihood": (normal.log_prob(score) - deviation.log()).mean().item(),
        "crps": crps.mean().item(),
    }
    for level, half in zip(levels, halves):
        report[f"cover_{round(100 * level)}"] = (score.abs() <= half).double().mean().item()
        report[f"width_{round(100 * level)}"] = (2 * half * deviation).mean().item()
    return report
