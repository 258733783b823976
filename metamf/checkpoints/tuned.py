"""The description of a network that was tuned to one matrix."""

from __future__ import annotations

import math
from dataclasses import asdict, replace

from metamf.checkpoints.info import CheckpointInfo
from metamf.learning.tuning import Tuning, TuningReport
from metamf.ratings.matrix import Ratings


def tuned_info(info: CheckpointInfo, ratings: Ratings, settings: Tuning, report: TuningReport) -> CheckpointInfo:
    """The description of a tuned network: its origin, and the outcome of the tuning."""
    matrix = {"rows": ratings.n_rows, "columns": ratings.n_cols, "entries": ratings.nnz}
    tuning = {"from": info.name, "matrix": matrix, "settings": asdict(settings), "report": asdict(report)}
    return replace(info, name=f"{info.name}-tuned", recipe=info.recipe | {"tuning": tuning}, errors={})


def with_width_factor(info: CheckpointInfo, factor: float) -> CheckpointInfo:
    """The description of a tuned network, with the factor by which the half-widths of its intervals are multiplied."""
    tuning = info.recipe.get("tuning")
    return info if tuning is None else replace(info, recipe=info.recipe | {"tuning": tuning | {"width_factor": factor}})


def tuning_seed_of(info: CheckpointInfo) -> int | None:
    """The seed with which a network was tuned, which says what of its matrix it never saw; None without tuning."""
    tuning = info.recipe.get("tuning")
    settings = tuning.get("settings") if isinstance(tuning, dict) else None
    seed = settings.get("seed") if isinstance(settings, dict) else None
    return seed if isinstance(seed, int) and seed >= 0 else None


def width_factor_of(info: CheckpointInfo) -> float:
    """Factor by which the half-widths of a network's intervals are multiplied; 1 for one that was not tuned."""
    tuning = info.recipe.get("tuning")
    factor = tuning.get("width_factor", 1.0) if isinstance(tuning, dict) else 1.0
    return float(factor) if isinstance(factor, int | float) and 0 < factor < math.inf else 1.0
