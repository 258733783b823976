"""What a network that was tuned to one matrix says of itself."""

from __future__ import annotations

from dataclasses import asdict, replace

from metamf.checkpoints.info import CheckpointInfo
from metamf.learning.tuning import Tuning, TuningReport
from metamf.ratings.matrix import Ratings


def tuned_info(info: CheckpointInfo, ratings: Ratings, settings: Tuning, report: TuningReport) -> CheckpointInfo:
    """What a tuned network says of itself: where it comes from, and what tuning did."""
    matrix = {"rows": ratings.n_rows, "columns": ratings.n_cols, "entries": ratings.nnz}
    tuning = {"from": info.name, "matrix": matrix, "settings": asdict(settings), "report": asdict(report)}
    return replace(info, name=f"{info.name}-tuned", recipe=info.recipe | {"tuning": tuning}, errors={})
