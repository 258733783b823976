"""Widths of intervals: those that held-out matrices call for, mixed with those of the matrix's own entries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from metamf.ratings.batch import RatingsBatch

LEVELS = 99  # of intervals, 0.01 ... 0.99
CALIBRATED_AT = 6, 16, 40, 100, 300  # observed entries (or fewer, or more) of the matrices of interval_widths


OWN, HALF = 0.7, 50  # the weight of a matrix's own entries where they are many; with how many they have half of it
LEAST = 0.01  # of the width that held-out matrices call for


def widths(model, adapted, support: RatingsBatch, levels: Sequence[float], known: bool = True) -> Tensor:
    """(levels, D) half-widths of the intervals of each matrix of ``support``, in predictive standard deviations.

    ``known``: whether their rating scales have a say in their units.

    Raises ValueError for a level outside the calibrated ones, 0.01 to 0.99, and for widths that fall as levels rise.
    """
    for level in levels:
        if not 1 / (LEVELS + 1) <= level <= LEVELS / (LEVELS + 1):
            raise ValueError(f"interval levels lie between {1 / (LEVELS + 1)} and {LEVELS / (LEVELS + 1)}, got {level}")
    _check_rising(model)
    ends = torch.bincount(support.row_matrix[support.row], minlength=len(support)).cumsum(0)  # rows are in their order
    parts = np.split(adapted.left_out(support).double().cpu().numpy(), ends[:-1].tolist())
    found = [_widths(model, np.sort(part), levels, 0 if known else 1) for part in parts]
    return torch.as_tensor(np.array(found).T, dtype=model.interval_widths.dtype, device=support.x.device)


def _widths(model, scores: np.ndarray, levels: Sequence[float], index: int) -> np.ndarray:
    """Of one matrix, of whose entries these are the left-out scores, ascending: quantiles of a mixture, which takes
    notice of its own distribution the more, the more entries it has."""
    n, calibrated = len(scores), np.arange(1, LEVELS + 1) / (LEVELS + 1)
    shares = _shares(torch.tensor([float(n)]))[:, 0].numpy()
    expected = shares @ model.interval_widths[index].double().cpu().numpy()
    usual = shares @ model.left_out_widths[index].double().cpu().numpy()
    # what a score is among those of held-out matrices, a width is among theirs
    own = np.where(
        scores > usual[-1],
        scores * (expected[-1] / usual[-1]),
        np.interp(scores, _from_zero(usual), _from_zero(expected)),
    )
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
        *where, at = falling[0].tolist()
        wider, narrower = model.interval_widths[*where, at : at + 2].tolist()
        raise ValueError(
            f"intervals of level {(at + 2) / (LEVELS + 1):g} are narrower than those of level "
            f"{(at + 1) / (LEVELS + 1):g}, {narrower:g} against {wider:g}: calibrate the model again"
        )


def _shares(entries: Tensor) -> Tensor:
    """(D,) numbers of observed entries -> (S, D) how much the widths at each of ``CALIBRATED_AT`` have to say of such a
    matrix: linear in the logarithm."""
    at = torch.tensor(CALIBRATED_AT, dtype=torch.double, device=entries.device).log()
    x = entries.double().clamp(CALIBRATED_AT[0], CALIBRATED_AT[-1]).log()
    beyond = ((x - at[:-1, None]) / at.diff()[:, None]).clamp(0, 1)  # (S - 1, D) of each gap, how far along it
    one, none = torch.ones_like(x)[None], torch.zeros_like(x)[None]
    return torch.cat([one, beyond]) - torch.cat([beyond, none])
