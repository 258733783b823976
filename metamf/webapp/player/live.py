"""What a page needs to run the paper's network by itself: weights, and tables with all that can be
given of them.

It travels once, apart from the run that is drawn, which names it by its ``id``: the share of the
ratings, the way in which they are given, the night, an edit and the number of steps then need no
visit to the server (``js/live.js``).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np

from metamf.answer.division import SELECTIONS, Matrix, order_of_giving
from metamf.baselines.factorization import random_factors
from metamf.checkpoints.bundled import describe, find_checkpoint, open_checkpoint
from metamf.ratings.matrix import Ratings
from metamf.webapp.player.payload import text_of

MOST_CELLS = (
    900  # of a table whose run takes a page less than 50 ms, next to the one without its edits
)
LONGEST_SIDE = 60  # rows or columns of such a table
SETTINGS = ("rank", "steps", "safe_steps", "row_features", "col_features")  # of the configuration


def runs_in_page(checkpoint: str) -> bool:
    """Returns whether a page can run a checkpoint: the paper's network with gradient steps."""
    return describe(checkpoint).kind == "metamf" and _config(checkpoint)["steps_rule"] == "gradient"


def is_live(checkpoint: str, ratings: Ratings) -> bool:
    """Returns whether a page runs a checkpoint on a matrix within 50 ms."""
    N, M = ratings.shape
    small = N * M <= MOST_CELLS and max(N, M) <= LONGEST_SIDE
    return small and runs_in_page(checkpoint)


def live_of(
    checkpoint: str, tables: Iterable[dict[str, Any]], measured: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Returns weights and ``tables`` (``table_of``) as JSON values; ``measured`` has errors over
    many nights by the way of giving: ``percent``, and at each the ``model`` and matrix
    factorization, ``mf``."""
    parts = {
        "weights": weights_of(checkpoint),
        "start": [text_of(random_factors(LONGEST_SIDE, k)) for k in (0, 1)],
        "tables": list(tables),
        "measured": measured,
    }
    said = json.dumps([parts["tables"], measured, parts["weights"]])
    return {"id": hashlib.blake2b(said.encode(), digest_size=8).hexdigest()} | parts


def table_of(matrix: Matrix, seed: int, groups: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Returns a matrix as JSON values: ratings and truth as base64 of float32, NaN where there is
    none, the order in which its rated cells are given in each way, names, and groups of rows and
    columns that are next to each other."""
    ratings = matrix.ratings
    n, m = ratings.shape
    at = ratings.rows * m + ratings.cols
    values = np.full(n * m, np.nan)
    values[at] = ratings.values
    scale = ratings.scale
    rows, cols = (
        labels and list(map(str, labels)) for labels in (ratings.row_labels, ratings.col_labels)
    )
    return {
        "seed": seed,
        "n": n,
        "m": m,
        "rows": rows,
        "cols": cols,
        "groups": groups,
        "scale": scale and [scale.minimum, scale.maximum, scale.step],
        "values": text_of(values),
        "truth": text_of(matrix.truth),
        "orders": {by: at[order_of_giving(ratings, by, seed)].tolist() for by in SELECTIONS},
    }


def weights_of(checkpoint: str) -> dict[str, Any]:
    """Returns the parameters of a checkpoint as JSON values: ``names`` are [name, shape] of each,
    and ``values`` base64 of all of them in turn, little-endian float32."""
    return _weights(checkpoint, find_checkpoint(checkpoint).stat().st_mtime_ns)


@cache
def _weights(checkpoint: str, modified: int) -> dict[str, Any]:
    network, info = open_checkpoint(checkpoint)
    state = {name: tensor.numpy() for name, tensor in network.state_dict().items()}
    units = info.standardization
    scale = info.scale
    return {
        "config": {name: _config(checkpoint)[name] for name in SETTINGS},
        "names": [[name, list(array.shape)] for name, array in state.items()],
        "values": text_of(np.concatenate([array.ravel() for array in state.values()])),
        "units": units and [units.mean, units.std],
        "scale": scale and [scale.minimum, scale.maximum],
    }


def _config(checkpoint: str) -> dict[str, Any]:
    return vars(open_checkpoint(checkpoint)[0].config)
