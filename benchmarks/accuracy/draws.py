"""Whether intervals from twenty filled-in tables cover as often as they say, and those from one filled-in table.

    METAMF_DATA=FOLDER python -m benchmarks.accuracy.draws [--repeats 500]

*Likert*: 100 people x 12 questions that one trait moves, 1 to 5, 30 % missing at random. *Normal*: 100 x 5,
correlations of .5, three columns missing with odds that follow the first (MAR), about 35 %. Three statistics of the
second and third column, 95 % intervals: the mean of the second, the slope of the third on it, and their correlation as
Fisher's z. The truth is the mean over 5,000 complete tables; the bias is the mean difference from the complete tables
of the same repeats. Ways: the complete table, one filled-in table (``fit_transform``), and ``draws``.

*Ratings*: 100 x 20, 1 to 5, effects of rows and columns and three tastes; *Jester*: jokes of the people who rated all
of them. 10 or 30 % are given. The mean of each column over all people, by draws of the posterior.

Writes benchmarks/results/draws.csv.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import scipy.stats

from benchmarks.rows import RESULTS, command_line, report
from metamf import datasets, load_pretrained

PATH = RESULTS / "draws.csv"
STATISTICS = "mean", "slope", "z"
REPEATS_OF_RATINGS, GIVEN = 100, (0.3, 0.1)
TABLES, LEVEL = 5_000, 0.95
Scale = tuple[float, float]


def likert(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = np.clip(np.round(3 + 0.8 * rng.normal(size=(100, 1)) + 0.6 * rng.normal(size=(100, 12))), 1, 5)
    return X, rng.random(X.shape) < 0.7


def normal(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.multivariate_normal(np.zeros(5), 0.5 + 0.5 * np.eye(5), 100)
    given = np.ones(X.shape, dtype=bool)
    given[:, 1:4] = rng.random((100, 3)) > 1 / (1 + np.exp(0.6 - X[:, :1]))
    return X, given


WORLDS: dict[str, tuple[Callable, Scale | None]] = {"likert": (likert, (1, 5)), "normal": (normal, None)}


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--repeats", type=int, default=500)
    arguments = parser.parse_args()
    PATH.unlink(missing_ok=True)
    for world in WORLDS:
        for way, found in coverage(world, arguments.repeats).items():
            for statistic, (bias, covered) in zip(STATISTICS, found):
                figures = {"bias": f"{bias:.4f}", "coverage": f"{covered:.4f}"}
                report(
                    PATH, {"world": world, "way": way, "statistic": statistic, "repeats": arguments.repeats} | figures
                )
    for world in ("ratings", "jester"):
        for given in GIVEN:
            bias, covered = coverage_of_means(world, given, REPEATS_OF_RATINGS)
            about = {"world": f"{world}, {given:.0%} given", "way": "draws", "statistic": "mean of a column"}
            figures = {"repeats": REPEATS_OF_RATINGS, "bias": f"{bias:.4f}", "coverage": f"{covered:.4f}"}
            report(PATH, about | figures)


def statistics(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The three statistics of a table and their variances, (3,) each."""
    n = len(table)
    x = table[:, 1] - table[:, 1].mean()
    y = table[:, 2] - table[:, 2].mean()
    slope = x @ y / (x @ x)
    noise = ((y - slope * x) ** 2).sum() / (n - 2)
    z = np.arctanh(x @ y / np.sqrt((x @ x) * (y @ y)))
    return np.array([table[:, 1].mean(), slope, z]), np.array([x @ x / (n - 1) / n, noise / (x @ x), 1 / (n - 3)])


def coverage(world: str, repeats: int, drawn: int = 20, **parameters: Any) -> dict[str, np.ndarray]:
    """For each way (3, 2): bias and coverage of the three statistics; ``drawn`` tables are pooled in each repeat.

    ``parameters``: of the imputer.
    """
    draw, scale = WORLDS[world]
    truth = np.mean([statistics(draw(np.random.default_rng([44, r]))[0])[0] for r in range(TABLES)], axis=0)
    found: dict[str, list[np.ndarray]] = {"complete": [], "one table": [], "draws": []}
    for r in range(repeats):
        X, given = draw(np.random.default_rng([r, 5]))
        imputer = load_pretrained(scale=scale, **parameters)
        complete = statistics(X)
        filled = imputer.fit_transform(np.where(given, X, np.nan))
        for way, (estimate, variance) in (("complete", complete), ("one table", statistics(filled))):
            half = scipy.stats.t.ppf((1 + LEVEL) / 2, 98) * np.sqrt(variance)
            found[way].append(np.stack([estimate - complete[0], np.abs(estimate - truth) <= half], axis=1))
        pooled = imputer.draws(drawn, r, by="columns").pool(statistics, df=98, level=LEVEL)
        inside = (pooled.lower <= truth) & (truth <= pooled.upper)
        found["draws"].append(np.stack([pooled.estimate - complete[0], inside], axis=1))
    return {way: np.mean(each, axis=0) for way, each in found.items()}


def coverage_of_means(world: str, given: float, repeats: int) -> tuple[float, float]:
    """Bias and coverage of the means of columns over all people, in rating units."""
    found = []
    for r in range(repeats):
        rng = np.random.default_rng([r, 6])
        people = invented(rng) if world == "ratings" else jester()[:, rng.permutation(100)[:20]]
        X = people[rng.permutation(len(people))[:100]]
        imputer = load_pretrained(scale=(1, 5) if world == "ratings" else (-10, 10))
        draws = imputer.fit(np.where(rng.random(X.shape) < given, X, np.nan)).draws(20, r, by="posterior")
        pooled = draws.pool(lambda table: (table.mean(axis=0), table.var(axis=0, ddof=1) / len(table)), level=LEVEL)
        truth = people.mean(axis=0)
        inside = (pooled.lower <= truth) & (truth <= pooled.upper)
        found.append([(pooled.estimate - truth).mean(), inside.mean()])
    bias, covered = np.mean(found, axis=0)
    return bias, covered


def invented(rng: np.random.Generator, people: int = 20_000, columns: int = 20) -> np.ndarray:
    """Ratings 1 to 5 of many people."""
    effects = 0.5 * rng.normal(size=(people, 1)) + 0.5 * rng.normal(size=(1, columns))
    tastes = 0.4 * rng.normal(size=(people, 3)) @ rng.normal(size=(3, columns))
    return np.clip(np.round(3.2 + effects + tastes + 0.8 * rng.normal(size=(people, columns))), 1, 5)


@cache
def jester() -> np.ndarray:
    """(people, 100) the ratings of those who rated all jokes of Jester."""
    ratings = datasets.load("jester", zeros_are_missing=False)
    X = np.full(ratings.shape, np.nan)
    X[ratings.rows, ratings.cols] = ratings.values
    return X[~np.isnan(X).any(axis=1)]


if __name__ == "__main__":
    main()
