"""What an error on hidden ratings cannot show: people who rate what they like.

    METAMF_DATA=FOLDER python -m benchmarks.accuracy.selection

Of 1,000 people who rated all jokes of Jester, ratings are kept with a probability whose log odds rise with the rating,
by ``slope`` per spread of all ratings. ``universal`` estimates the others: that error is the true one. The check is
that of "Your table", which hides a tenth of the kept ratings. Writes benchmarks/results/selection.csv: both errors
(root mean squared) and the mean error on the others, in spreads of all ratings.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import scipy.optimize
import scipy.special

from benchmarks.rows import RESULTS, command_line, report
from metamf import MetaMFImputer, Ratings, datasets
from metamf.answer.holdout import holdout_steps
from metamf.answer.methods import method

PATH = RESULTS / "selection.csv"
PEOPLE, DRAWS, KEPT, SLOPES = 1_000, range(3), (0.5, 0.2), (0, 1, 2)


def main() -> None:
    command_line(__doc__).parse_args()
    PATH.unlink(missing_ok=True)
    ratings = datasets.load("jester", zeros_are_missing=False)
    whole = np.flatnonzero(np.bincount(ratings.rows, minlength=ratings.n_rows) == ratings.n_cols)
    for draw, kept, slope in product(DRAWS, KEPT, SLOPES):
        rng = np.random.default_rng([draw, 13])
        people = ratings.submatrix(np.sort(rng.choice(whole, PEOPLE, replace=False)), np.arange(ratings.n_cols))
        figures = zip(("check", "true", "bias"), measured(people, slope, kept, rng))
        about = {"data": "jester", "draw": draw, "kept": kept, "slope": slope}
        report(PATH, about | {name: f"{value:.5g}" for name, value in figures})


def measured(ratings: Ratings, slope: float, kept: float, rng: np.random.Generator) -> tuple[float, float, float]:
    """The error by the check, that on the ratings that are not kept, and its mean."""
    spread = ratings.values.std()
    odds = slope * (ratings.values - ratings.values.mean()) / spread
    level = scipy.optimize.brentq(lambda level: scipy.special.expit(odds + level).mean() - kept, -20, 20)
    chosen = rng.random(len(odds)) < scipy.special.expit(odds + level)
    given, others = ratings.select(chosen), ratings.select(~chosen)
    error = MetaMFImputer("universal").fit(given).estimate(others.rows, others.cols) - others.values
    *_, last = holdout_steps(given, [method("universal")], 0.9, rng=rng)
    return last.report.errors[0].rmse.mean() / spread, np.sqrt(np.mean(error**2)) / spread, error.mean() / spread


if __name__ == "__main__":
    main()
