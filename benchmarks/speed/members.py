"""How long the members of the ensemble take, next to the estimate by which it is decided who gets them unasked.

    python -m benchmarks.speed.members  # writes benchmarks/results/members.csv

``fit`` of a table whose columns have units of their own, 30 % missing, on one core: with members less without any, in
seconds of processor time, which other work on the machine makes larger. ``metamf.answer.ensemble.seconds_of`` is the
estimate.
"""

from __future__ import annotations

import os
import time
import warnings

import numpy as np
import pandas as pd
import torch

from benchmarks.rows import RESULTS, command_line
from benchmarks.speed.guard import made_table
from metamf import MetaMFImputer
from metamf.answer.ensemble import MEMBERS, Members, seconds_of

SIZES = (
    (50, 50),
    (100, 80),
    (200, 30),
    (500, 20),
    (580, 60),
    (1_500, 20),
    (2_000, 10),
    (5_000, 20),
    (8_000, 5),
    (16_000, 3),
)


def main() -> None:
    command_line(__doc__).parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    frame = pd.DataFrame(row for shape in SIZES for row in rows_of(shape))
    frame.to_csv(RESULTS / "members.csv", index=False, float_format="%.3g")
    print(frame.to_string(index=False, float_format="%.3g"))


def rows_of(shape: tuple[int, int]) -> list[dict]:
    """A row for each kind of members of a table."""
    X = made_table(shape, "own units", np.random.default_rng(0))
    load = os.getloadavg()[0]
    alone = _seconds(X, None)
    return [
        {
            "rows": shape[0],
            "columns": shape[1],
            "members": members,
            "seconds": _seconds(X, members) - alone,
            "expected": seconds_of(members, shape),
            "load": load,
        }
        for members in MEMBERS
    ]


def _seconds(X: np.ndarray, members: Members | None) -> float:
    start = time.process_time()
    MetaMFImputer(standardize="columns", members=members).fit(X)
    return time.process_time() - start


if __name__ == "__main__":
    main()
