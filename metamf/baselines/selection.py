"""Hyper-parameters chosen on meta-validation episodes (the paper's Section 4.3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from metamf.episodes import EpisodeBatch


@dataclass(frozen=True)
class Choice:
    """The setting with the lowest error, and the mean squared error on query entries of every setting tried."""

    config: Any
    errors: dict[Any, float]  # setting -> error, in standardised units; inf where an estimate was not finite


def choose(factory: Callable[[Any], nn.Module], grid: Sequence[Any], episodes: EpisodeBatch) -> Choice:
    """The setting of ``grid`` whose method predicts the query entries of ``episodes`` best; ``factory``: setting ->
    method. Of equally good settings the first one is taken.

    Raises
    ------
    ValueError
        for an empty grid, or episodes without any query entry.
    """
    if not len(grid) or not len(episodes.query_x):
        raise ValueError(f"nothing to choose from: {len(grid)} settings, {len(episodes.query_x)} query entries")
    errors = {}
    with torch.no_grad():
        for config in grid:
            method = factory(config).eval()
            estimate = method.adapt(episodes.support).predict(episodes.query_row, episodes.query_col)
            error = (estimate - episodes.query_x).square().mean().item()
            errors[config] = error if math.isfinite(error) else math.inf
    return Choice(min(errors, key=errors.get), errors)
