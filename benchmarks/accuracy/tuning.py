"""Tuning for one matrix against the untouched network, on real data.

    METAMF_DATA=FOLDER python -m benchmarks.accuracy.tuning

Writes benchmarks/results/tuning.csv, a row per matrix, division into given and hidden ratings, and tuning: both errors,
the difference of the squared errors with its standard error, and what was chosen. First every data set with a fifth
hidden, as it is shipped (60 seconds); then ML-1M with a tenth hidden, five divisions, without a time limit: the steps
that 60 seconds have room for on an idle machine ("auto"), and more of them. Rows that are there are not computed again.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from benchmarks.rows import RESULTS, command_line, read, report
from metamf import MetaMFImputer, Ratings, datasets
from metamf.learning.episodes import divide_entries

PATH = RESULTS / "tuning.csv"
COLUMNS = "data", "hidden", "division", "tune", "seconds"  # share; its seed; how, and the time limit
DIVISIONS = range(1, 6)  # of ML-1M with a tenth hidden
MORE_STEPS = 640  # four times as many as "auto" plans


def cases() -> Iterator[tuple[tuple, Ratings]]:
    """The values of ``COLUMNS``, and the ratings to divide."""
    for name in datasets.NAMES:
        yield (name, 0.2, 1, "auto", 60.0), datasets.load(name)
    ratings = datasets.load("ml-1m")
    for tune, division in product(("auto", MORE_STEPS), DIVISIONS):
        yield ("ml-1m", 0.1, division, tune, ""), ratings


def main() -> None:
    command_line(__doc__).parse_args()
    done = {tuple(row[name] for name in COLUMNS) for row in read(PATH)}
    for case, ratings in cases():
        if tuple(map(str, case)) in done:
            continue
        _, share, division, tune, seconds = case
        episode = divide_entries(ratings, 1 - share, np.random.default_rng(division))
        given, hidden = episode.support, episode.query
        tuned = MetaMFImputer("universal", tune=tune, tune_seconds=seconds or None).fit(given)
        zero_shot, after = (
            (imputer.estimate(hidden.rows, hidden.cols) - hidden.values) ** 2
            for imputer in (MetaMFImputer("universal").fit(given), tuned)
        )
        tuning, difference = tuned.tuning_, after - zero_shot
        row = {"zero_shot_rmse": zero_shot.mean() ** 0.5, "tuned_rmse": after.mean() ** 0.5}
        row |= {"difference_mse": difference.mean(), "spread": difference.std() / len(difference) ** 0.5}
        row |= {"steps": tuning.steps, "kept": tuning.kept, "rounds": tuning.rounds, "took": tuning.seconds}
        row = {name: f"{value:.5g}" if isinstance(value, float) else value for name, value in row.items()}
        report(PATH, dict(zip(COLUMNS, case)) | row)


if __name__ == "__main__":
    main()
