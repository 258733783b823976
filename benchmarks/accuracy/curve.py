"""The one curve: error on hidden ratings against the share of ratings given, for models, MF and simple methods.

    METAMF_DATA=FOLDER python -m benchmarks.accuracy.curve

Writes metamf/webapp/matrix/curve.csv, which the application draws: of each example matrix 30 draws of the given
ratings, and of each data set 60 held-out blocks of 30 x 30; the mean of their RMSE, in rating units, and the 10 % and
90 % quantiles. 'simple' is the simple method whose mean is smallest at this share. Takes some ten minutes on one core.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.rows import command_line
from metamf import datasets
from metamf.baselines import SIMPLE
from metamf.checkpoints.bundled import list_pretrained
from metamf.datasets.examples import FULL_HOUSE
from metamf.evaluate.methods import method
from metamf.evaluate.task import Matrix, divide
from metamf.learning.episodes import held_out_blocks, split_rows_and_columns

PATH = Path("metamf/webapp/matrix/curve.csv")
PERCENTS = 5, 10, 20, 35, 50, 75, 100  # of the ratings given
DRAWS, BLOCKS = 30, 60
METHODS = (*list_pretrained(), *SIMPLE, "mf")


def main() -> None:
    command_line(__doc__).parse_args()
    rows = [
        {"matrix": name, "percent": percent, **row}
        for name, draws in matrices()
        for percent in PERCENTS
        for row in at_share(draws, percent)
    ]
    with PATH.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def matrices() -> Iterator[tuple[str, list[tuple[Matrix, int]]]]:
    """The matrices with the seeds of their draws, by the name that the application knows."""
    for name, example in datasets.example_matrices().items():
        if name != FULL_HOUSE:  # too many cells for 30 draws of MF
            matrix = Matrix(name, "", example.matrix.ratings, example.matrix.truth)
            yield name, [(matrix, seed) for seed in range(1, DRAWS + 1)]
    for name, archive in datasets.ARCHIVES.items():
        test = split_rows_and_columns(datasets.load(name), 0).test  # that no bundled checkpoint has seen
        blocks = [held_out_blocks(test, 1, (0, k), support_share=1.0)[0].support for k in range(1, BLOCKS + 1)]
        yield f"{archive.title} block", [(Matrix(name, "", block), 1) for block in blocks]


def at_share(draws: list[tuple[Matrix, int]], percent: int) -> Iterator[dict[str, str | int]]:
    """The rows of one matrix at one share; none where nothing is hidden."""
    errors: dict[str, list[float]] = {key: [] for key in METHODS}
    for matrix, seed in draws:
        task = divide(matrix, percent / 100, "at random", seed)
        if not task.hidden.nnz:
            return
        scale = task.given.scale
        for key in METHODS:
            mean = method(key).predict(task.given, task.hidden.rows, task.hidden.cols, None).mean
            estimates = mean if scale is None else scale.clip(mean)
            errors[key].append(float(np.sqrt(np.mean((estimates - task.hidden.values) ** 2))))
    best = min(SIMPLE, key=lambda key: np.mean(errors[key]))
    for name, key in (*((key, key) for key in (*list_pretrained(), "mf", "mean")), ("simple", best)):
        low, high = np.quantile(errors[key], (0.1, 0.9))
        yield {
            "method": name,
            "key": key,
            "draws": len(errors[key]),
            "rmse": f"{np.mean(errors[key]):.4f}",
            "low": f"{low:.4f}",
            "high": f"{high:.4f}",
        }


if __name__ == "__main__":
    main()
