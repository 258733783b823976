"""Tuning as it is shipped (60 seconds) against the untouched network, on real data: whole, and each third of the rows.

    python -m benchmarks.accuracy.tuning

Writes benchmarks/results/tuning.csv, a row per matrix of which a fifth is hidden: both errors, the difference of the
squared errors with its standard error, and what was chosen. Matrices that are there are not computed again.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.rows import RESULTS, read, report
from metamf import MetaMFImputer, Ratings, datasets
from metamf.learning.episodes import divide_entries

PATH = RESULTS / "tuning.csv"


def matrices() -> Iterator[tuple[str, str, Ratings]]:
    """Name of the data, of its part, and the ratings."""
    for name in ("ml-100k", "ml-1m", "jester"):
        ratings = datasets.load(name)
        yield name, "whole", ratings
        order = np.random.default_rng(0).permutation(ratings.n_rows)
        for part, rows in enumerate(np.array_split(order, 3), 1):
            yield name, f"third {part}", ratings.submatrix(np.sort(rows), np.arange(ratings.n_cols))


def main() -> None:
    done = {(row["data"], row["part"]) for row in read(PATH)}
    for data, part, ratings in matrices():
        if (data, part) in done:
            continue
        episode = divide_entries(ratings, 0.8, np.random.default_rng(1))
        given, hidden = episode.support, episode.query
        tuned = MetaMFImputer("universal", tune="auto").fit(given)
        zero_shot, after = (
            (imputer.predict(hidden.rows, hidden.cols) - hidden.values) ** 2
            for imputer in (MetaMFImputer("universal").fit(given), tuned)
        )
        tuning, difference = tuned.tuning_, after - zero_shot
        row = {"data": data, "part": part, "zero_shot_rmse": zero_shot.mean() ** 0.5, "tuned_rmse": after.mean() ** 0.5}
        row |= {"difference_mse": difference.mean(), "spread": difference.std() / len(difference) ** 0.5}
        row |= {"steps": tuning.steps, "kept": tuning.kept, "rounds": tuning.rounds, "seconds": tuning.seconds}
        row = {name: f"{value:.5g}" if isinstance(value, float) else value for name, value in row.items()}
        report(PATH, row)


if __name__ == "__main__":
    main()
