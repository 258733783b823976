"""The example matrices of the app: what every method makes of them, for what their descriptions say.

    python -m benchmarks.accuracy.examples
    python -m benchmarks.accuracy.examples --seeds 2 --out /tmp/examples.csv
    python -m benchmarks.accuracy.examples --only normal

Half of the ratings of an example are given, drawn at random as on the page Compare, again and again with other seeds;
all methods see the same ones. Rows go to benchmarks/results/examples.csv: the root mean squared error on all other
cells, in rating units, of every bundled checkpoint with its own number of rounds (and of the paper's with 40 steps), of
every method of ``METHODS`` as on that page, and of MF with one factor. ``claims`` says what the descriptions rest on.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import torch

from benchmarks.rows import RESULTS
from metamf.baselines import SIMPLE
from metamf.baselines.mf_path import MFSettings, factorize
from metamf.checkpoints.bundled import data_set_for, list_pretrained, takes_sweeps
from metamf.datasets.examples import FULL_HOUSE, example_matrices
from metamf.evaluate.comparison import BASELINES, meta_learned, of_baseline
from metamf.evaluate.run import run
from metamf.evaluate.task import Matrix, Task, divide
from metamf.files import write_atomically

KEEP, SEEDS = 0.5, 10
STEPS, SWEEPS, MANY = 10, 4, 40
PAPER = "ml-1m"
ONE_FACTOR = MFSettings(rank=1, weight_decay=0.3)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--out", type=Path, default=RESULTS / "examples.csv")
    parser.add_argument("--only", nargs="+", choices=BASELINES, help="measure these; other rows of the file stay")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    baselines, rows = options.only or BASELINES, []
    if options.only:
        kept = pd.read_csv(options.out)
        rows += kept[~kept.method.isin(options.only)].to_dict("records")
    for name in example_matrices():
        if name != FULL_HOUSE:  # which shows steps that diverge, and is said to show nothing else
            new = [row for seed in range(1, options.seeds + 1) for row in rows_of(name, seed, baselines)]
            rows += [row for row in new if not options.only or row["method"] in options.only]
            print(pd.DataFrame(rows).query("example == @name").groupby("method").rmse.mean().round(3).to_string())
    frame = pd.DataFrame(rows)
    write_atomically(options.out, frame.to_csv(index=False, float_format="%.4f").encode())
    print(claims(frame).round(3).to_string())


def task_of(name: str, seed: int) -> Task:
    """An example with half of its ratings given."""
    chosen = example_matrices()[name]
    return divide(Matrix(name, "", chosen.matrix.ratings, chosen.matrix.truth), KEEP, "at random", seed)


def rows_of(name: str, seed: int, baselines=tuple(BASELINES)) -> Iterator[dict]:
    """The errors of all methods on an example: rows with example, seed, method and rmse."""
    task = task_of(name, seed)
    runs = {key: run(task, key, SWEEPS if takes_sweeps(key) else STEPS) for key in list_pretrained()}
    found = {key: float(answer.hidden_errors.rmse[-1]) for key, answer in runs.items()}
    found[f"{PAPER}, prior"] = float(runs[PAPER].hidden_errors.rmse[0])
    found[f"{PAPER}, {MANY} steps"] = float(run(task, PAPER, MANY).hidden_errors.rmse[-1])
    found["mf, one factor"] = float(factorize(task.given, ONE_FACTOR).rmse(task.hidden)[-1])
    for key in baselines:
        data = data_set_for(key, PAPER) if meta_learned(key) else None
        found[key] = of_baseline(key, task, runs[PAPER].imputation.scale, data).rmse
    for method, rmse in found.items():
        yield {"example": name, "seed": seed, "method": method, "rmse": rmse}


def claims(rows: pd.DataFrame) -> pd.DataFrame:
    """Figures that the descriptions rest on, by example and seed.

    Returns
    -------
    DataFrame
        Ratios of errors: paper over the best simple method, over the best method that sees this matrix alone, over the
        mean, and over its own prior; MF with one factor over the paper's model.
    """
    errors = rows.pivot(index=["example", "seed"], columns="method", values="rmse")
    alone = [key for key in BASELINES if not meta_learned(key) and key in errors]
    additive = [key for key in SIMPLE if key != "mf"]
    return pd.DataFrame(
        {
            "paper / best of mean and effects": errors[PAPER] / errors[additive].min(axis=1),
            "paper / best that sees this alone": errors[PAPER] / errors[alone].min(axis=1),
            "paper / mean": errors[PAPER] / errors["mean"],
            "paper / its prior": errors[PAPER] / errors[f"{PAPER}, prior"],
            "40 steps / 10 steps": errors[f"{PAPER}, {MANY} steps"] / errors[PAPER],
            "MF with one factor / paper": errors["mf, one factor"] / errors[PAPER],
        }
    )


if __name__ == "__main__":
    main()
