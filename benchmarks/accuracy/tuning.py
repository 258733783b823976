"""Tuning for one matrix against the untouched network, on real data.

    METAMF_DATA=FOLDER python -m benchmarks.accuracy.tuning

Writes benchmarks/results/tuning.csv, a row per matrix, division into given and hidden ratings, and tuning: both errors,
the difference of the squared errors with its standard error, and what was chosen. First, as it is shipped (60 seconds),
the whole data set and each third of its rows with a fifth hidden; then ML-1M with a tenth hidden, five divisions,
without a time limit: the steps that 60 seconds have room for on an idle machine ("auto"), and more of them. Rows that
are there are not computed again.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from benchmarks.rows import RESULTS, command_line, read, report
from metamf import MetaMFImputer, Ratings, datasets
from metamf.learning.episodes import divide_entries

PATH = RESULTS / "tuning.csv"
DIVISIONS = range(1, 6)  # of ML-1M with a tenth hidden
MORE_STEPS = 640  # four times as many as "auto" plans


class Case(NamedTuple):
    """A division of ratings into given and hidden ones, and how long the network is tuned to the given ones."""

    data: str
    part: str
    hidden: float  # share
    division: int  # its seed
    tune: int | str
    seconds: float | None = None  # time limit


def cases() -> Iterator[tuple[Case, Ratings]]:
    for name in datasets.NAMES:
        ratings = datasets.load(name)
        yield Case(name, "whole", 0.2, 1, "auto", 60.0), ratings
        order = np.random.default_rng(0).permutation(ratings.n_rows)
        for part, rows in enumerate(np.array_split(order, 3), 1):
            third = ratings.submatrix(np.sort(rows), np.arange(ratings.n_cols))
            yield Case(name, f"third {part}", 0.2, 1, "auto", 60.0), third
    ratings = datasets.load("ml-1m")
    for tune, division in product(("auto", MORE_STEPS), DIVISIONS):
        yield Case("ml-1m", "whole", 0.1, division, tune), ratings


def main() -> None:
    command_line(__doc__).parse_args()
    done = {tuple(row[name] for name in Case._fields) for row in read(PATH)}
    for case, ratings in cases():
        key = {name: "" if value is None else value for name, value in case._asdict().items()}
        if tuple(map(str, key.values())) in done:
            continue
        episode = divide_entries(ratings, 1 - case.hidden, np.random.default_rng(case.division))
        given, hidden = episode.support, episode.query
        tuned = MetaMFImputer("universal", tune=case.tune, tune_seconds=case.seconds).fit(given)
        zero_shot, after = (
            (imputer.predict(hidden.rows, hidden.cols) - hidden.values) ** 2
            for imputer in (MetaMFImputer("universal").fit(given), tuned)
        )
        tuning, difference = tuned.tuning_, after - zero_shot
        row = {"zero_shot_rmse": zero_shot.mean() ** 0.5, "tuned_rmse": after.mean() ** 0.5}
        row |= {"difference_mse": difference.mean(), "spread": difference.std() / len(difference) ** 0.5}
        row |= {"steps": tuning.steps, "kept": tuning.kept, "rounds": tuning.rounds, "took": tuning.seconds}
        report(PATH, key | {name: f"{value:.5g}" if isinstance(value, float) else value for name, value in row.items()})


if __name__ == "__main__":
    main()
