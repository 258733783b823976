"""The one curve: error on hidden ratings against the share of ratings given, for models, MF and simple methods.

    METAMF_DATA=FOLDER python -m benchmarks.accuracy.curve

Writes metamf/webapp/explore/curve.csv, which the application draws: of each example matrix 30 draws of the given
ratings, and of each data set 24 draws of five held-out blocks of 30 x 30, which hide about as many ratings; the mean of
their RMSE, in rating units, and the 10 % and 90 % quantiles. 'simple' is the simple method whose mean is smallest at
this share. Takes some fifteen minutes on one core.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.rows import command_line
from metamf import datasets
from metamf.answer.division import Matrix, Task, divide
from metamf.answer.methods import method
from metamf.baselines import SIMPLE
from metamf.checkpoints.bundled import list_pretrained
from metamf.datasets.archives import FEATURES
from metamf.datasets.examples import FULL_HOUSE
from metamf.learning.episodes import held_out_blocks, split_rows_and_columns
from metamf.ratings.limits import clipped
from metamf.ratings.matrix import Ratings

PATH = Path("metamf/webapp/explore/curve.csv")
PERCENTS = 5, 10, 20, 35, 50, 75, 100  # of the ratings given
DRAWS, BLOCK_DRAWS, BLOCKS = 30, 24, 5
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


Draw = list[tuple[Matrix, int]]  # matrices, each with the seed of its given ratings; their errors are pooled


def matrices() -> Iterator[tuple[str, list[Draw]]]:
    """The draws of each example matrix and data set, by the name that the application knows."""
    for name, example in datasets.example_matrices().items():
        if name != FULL_HOUSE:  # too many cells for 30 draws of MF
            matrix = Matrix(name, "", example.matrix.ratings, example.matrix.truth)
            yield name, [[(matrix, seed)] for seed in range(1, DRAWS + 1)]
    for name, archive in datasets.ARCHIVES.items():
        ratings = datasets.load(name, features=() if name == "jester" else FEATURES)
        test = split_rows_and_columns(ratings, 0).test  # that no bundled checkpoint has seen
        draws = range(1, BLOCK_DRAWS + 1)
        yield f"{archive.title} block", [[(Matrix(name, "", block), 1) for block in held_out(test, k)] for k in draws]


def held_out(test: Ratings, draw: int) -> list[Ratings]:
    """The blocks of a draw, all of whose ratings are in the support."""
    return [batch.support for batch in held_out_blocks(test, BLOCKS, (0, draw), support_share=1.0)]


def at_share(draws: list[Draw], percent: int) -> Iterator[dict[str, str | int]]:
    """The rows of one matrix at one share; none where nothing is hidden."""
    errors: dict[str, list[float]] = {key: [] for key in METHODS}
    for draw in draws:
        tasks = [divide(matrix, percent / 100, "at random", seed) for matrix, seed in draw]
        if not any(task.hidden.nnz for task in tasks):
            return
        for key in METHODS:
            squares = np.concatenate([squared_errors(key, task) for task in tasks])
            errors[key].append(float(np.sqrt(squares.mean())))
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


def squared_errors(key: str, task: Task) -> np.ndarray:
    """A method's squared errors on the hidden ratings of a task, within its scale; checkpoints that were trained with
    features, and no others, are told them."""
    given = task.given if key.endswith("-genres") else replace(task.given, col_features=None)
    mean = method(key).predict(given, None).estimates.at(task.hidden.rows, task.hidden.cols)
    return np.square(clipped(mean, task.given.scale) - task.hidden.values)


if __name__ == "__main__":
    main()
