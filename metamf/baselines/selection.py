"""Hyper-parameters chosen on meta-validation episodes (the paper's Section 4.3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from metamf.learning.episodes import EpisodeBatch


@dataclass(frozen=True)
class ChosenConfig:
    """The configuration with the lowest error, and the errors of all that were tried.

    Attributes
    ----------
    config : the configuration with the lowest error
    errors : configuration -> mean squared error over query entries, in standardised units (squared); inf where an
        estimate was not finite
    """

    config: Any
    errors: dict[Any, float]


def choose(factory: Callable[[Any], nn.Module], grid: Sequence[Any], episodes: EpisodeBatch) -> ChosenConfig:
    """The configuration whose method predicts query entries best; of equally good ones the first.

    Parameters
    ----------
    factory : configuration -> method
    grid : the configurations to try
    episodes : the meta-validation episodes

    Raises
    ------
    ValueError
        if the grid is empty, or the episodes have no query entry.
    """
    if not len(grid) or not len(episodes.query_x):
        raise ValueError(
            f"a choice needs settings to try and query entries, "
            f"got {len(grid)} settings and {len(episodes.query_x)} query entries"
        )
    errors = {}
    with torch.no_grad():
        for config in grid:
            adapt: Any = factory(config).eval().adapt  # every method has it; nn.Module does not know
            estimate = adapt(episodes.support).predict(episodes.query_row, episodes.query_col)
            error = (estimate - episodes.query_x).square().mean().item()
            errors[config] = error if math.isfinite(error) else math.inf
    return ChosenConfig(min(errors, key=errors.__getitem__), errors)
