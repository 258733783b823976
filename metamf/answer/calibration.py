"""Calibration of the widths of intervals by hidden entries of the matrix.

Some of a matrix's own entries are hidden from a pretrained model. Its errors there, over the half-widths of its
intervals, show whether the intervals are too narrow or too wide; its estimates there weigh it against the other members
of an ensemble (``metamf.answer.ensemble``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import torch

from metamf.answer.hidden_check import HeldOut
from metamf.learning.tuning import check_part
from metamf.network.protocol import Network, StepRule
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardization

CHECKED_LEVELS = 0.5, 0.8, 0.9, 0.95  # levels of the intervals that are checked
HALF_FACTOR = 50.0  # number of hidden entries at which half of their factor is applied
SMALLEST_FACTOR = 1e-3  # so that no interval vanishes


@torch.inference_mode()
def held_out(
    network: Network,
    ratings: Ratings,
    units: Standardization,
    seeds: Sequence[int],
    *,
    steps: int | None,
    step_rule: StepRule,
    scale_weighs_in: bool,
) -> Iterator[HeldOut]:
    """One division of the entries for each seed; for the seed of a tuning, the part that tuning never saw is hidden.

    ``ratings`` are in the standardised ``units`` of the whole matrix; ``scale_weighs_in``: whether its rating scale has
    a part in these. The other parameters are those of ``MetaMFImputer``.
    """
    for seed in seeds:
        division = check_part(ratings, seed)
        if division is None:
            return
        batch = RatingsBatch.of([division.support], network.dtype, network.device)
        adapted = network.adapt(batch, steps, step_rule)
        at = division.query.rows, division.query.cols
        z = adapted.predict(*(torch.tensor(positions, device=network.device) for positions in at))
        widths = None
        factors = {level: network.half_width(adapted, batch, level, scale_weighs_in) for level in CHECKED_LEVELS}
        if None not in factors.values():
            deviation = units.spread_at(*at) * adapted.deviation_at(*at)
            widths = {level: deviation * factor for level, factor in factors.items() if factor is not None}
        given, hidden = (
            part.with_values(units.undo_at(part.values.astype(np.float64), part.rows, part.cols))
            for part in (division.support, division.query)
        )
        yield HeldOut(given, hidden, units.undo_at(z.double().cpu().numpy(), *at), half_widths=widths)


def width_factor(parts: Sequence[HeldOut]) -> float:
    """The factor of a network's half-widths, by the entries hidden from it; 1 for a model without intervals."""
    known = [(np.abs(part.estimates - part.hidden.values), part.half_widths) for part in parts if part.half_widths]
    if not known:
        return 1.0
    return factor_of({level: np.concatenate([e / half[level] for e, half in known]) for level in CHECKED_LEVELS})


def factor_of(ratios: Mapping[float, np.ndarray]) -> float:
    """The factor of half-widths with which the hidden entries lie inside as often as they should.

    The geometric mean over the levels, drawn towards one where few entries are hidden.

    ``ratios`` : level -> (n,) absolute errors of the hidden entries over the half-widths of their intervals.
    """
    logs = [np.log(max(float(np.quantile(ratio, level)), SMALLEST_FACTOR)) for level, ratio in ratios.items()]
    n = len(next(iter(ratios.values())))
    return float(np.exp(n / (n + HALF_FACTOR) * np.mean(logs)))
