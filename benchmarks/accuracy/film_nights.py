"""Film nights that no training has drawn: errors, bias and tastes, where ratings are given at
random and by liking.

    python -m benchmarks.accuracy.film_nights
    METAMF_DATA=FOLDER python -m benchmarks.accuracy.film_nights --jester

Writes benchmarks/results/film-nights.csv: for each world (as the app shows it, and one in which
everybody is a star harder to please), way of being given and share of the cells, the mean over the
draws of the RMSE on all ratings that are not given, its 10 % and 90 % quantiles, the bias (estimate
minus truth) and the correlation of estimated and true tastes, after row and column means are taken
away. Nothing is chosen: the nights are those of the seeds from 1000 on. The best simple method is
the best of those that are fitted to one table, MF among them. With --jester: blocks of Jester's
complete rows, of people and jokes that no network has seen. And metamf/webapp/run/curve.csv: what
of it the app shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from benchmarks import rows
from metamf.answer.division import SELECTIONS
from metamf.baselines import METHODS
from metamf.baselines.factorization import factorize_by_steps
from metamf.checkpoints.bundled import (
    BASELINES_FOLDER,
    describe,
    list_pretrained,
    load_trained,
    open_checkpoint,
)
from metamf.datasets.film_nights import SHOWN, STARS, film_night
from metamf.datasets.synthetic import standardized, weighted_draw
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import Standardization

RESULTS, CURVE = rows.RESULTS / "film-nights.csv", Path("metamf/webapp/run/curve.csv")
IN_CURVE = "matrix", "given", "percent", "method", "key", "draws", "rmse", "low", "high", "bias"
SEEDS = range(1000, 1200)
PERCENTS = 30, 15, 50, 8, 20, 75  # of the cells; the share that the app opens with first
GIVEN = {"at random": 0.0, "what people like": 1.0}
WORLDS = {"Film night": SHOWN, "Hard to please": replace(SHOWN, shift=-1.0)}
JESTER = "Jester block"
SIMPLE = "mean", "damped_bias", "crossed_effects", "soft_impute", "als", "normal"
CHECKPOINTS = "film-nights", "ml-1m", "universal"
JESTER_CHECKPOINTS = "jester-chosen", "jester", "universal"


@dataclass(frozen=True)
class Case:
    """A matrix of which everything is known."""

    truth: np.ndarray  # (N, M)
    given: np.ndarray  # (N, M) mask
    tastes: np.ndarray | None
    scale: RatingScale

    @property
    def ratings(self) -> Ratings:
        return Ratings.from_dense(np.where(self.given, self.truth, np.nan), scale=self.scale)


Estimates = list[np.ndarray]  # (N, M) of each case, in rating units, within the scale


def main() -> None:
    parser = rows.command_line(__doc__)
    parser.add_argument("--jester", action="store_true", help="measure on Jester's complete rows")
    on_jester = parser.parse_args().jester
    torch.set_num_threads(1)
    measured = {JESTER} if on_jester else set(WORLDS)
    rows.rewrite(RESULTS, *(r for r in rows.read(RESULTS) if r["matrix"] not in measured))
    checkpoints = JESTER_CHECKPOINTS if on_jester else CHECKPOINTS
    for condition, cases in jester() if on_jester else nights():
        key = dict(zip(("matrix", "given", "percent"), condition))
        found = of_methods(cases, checkpoints)
        rows.report(RESULTS, *(key | row for row in found))
    drawn = {*list_pretrained(), "simple", "mf", "training_mean"}
    kept = [r for r in rows.read(RESULTS) if r["method"] in drawn and r["given"] in SELECTIONS]
    kept.sort(key=lambda row: (row["matrix"], row["given"], float(row["percent"])))
    rows.rewrite(CURVE, *({name: row[name] for name in IN_CURVE} for row in kept))


def nights() -> Iterator[tuple[tuple[str, str, int], list[Case]]]:
    """Worlds, ways of being given and shares, with their cases; of the harder world one share."""
    for percent in PERCENTS:
        for world in WORLDS if percent == PERCENTS[0] else ["Film night"]:
            for how, liking in GIVEN.items():
                drawn = [film_night(seed, WORLDS[world]) for seed in SEEDS]
                masks = [night.given(percent / 100, liking) for night in drawn]
                cases = [Case(n.truth, mask, n.tastes, STARS) for n, mask in zip(drawn, masks)]
                yield (world, how, percent), cases


def jester() -> Iterator[tuple[tuple[str, str, int], list[Case]]]:
    """The same of blocks of Jester's complete rows."""
    from metamf.recipes.drawn import JOKES_BLOCK, complete_jokes

    test = complete_jokes()[2]
    X, scale = test.to_dense(), test.scale or RatingScale(-10, 10)
    for how, liking in GIVEN.items():
        for percent in PERCENTS:
            cases = []
            for seed in SEEDS:
                rng = np.random.default_rng(seed)
                chosen = [rng.choice(n, k, replace=False) for n, k in zip(X.shape, JOKES_BLOCK)]
                block = X[np.ix_(*chosen)]
                noise = rng.gumbel(size=block.shape)
                given = weighted_draw(liking * standardized(block), percent / 100, noise)
                cases.append(Case(block, given, None, scale))
            yield (JESTER, how, percent), cases


def of_methods(cases: Sequence[Case], checkpoints: Sequence[str]) -> Iterator[dict]:
    """The row of every method, all on the same cases, among them the training mean of the first
    checkpoint."""
    world = checkpoints[0]

    def row(method: str, estimates: Estimates) -> dict:
        return {"method": method, "key": method} | measure(cases, estimates)

    for name in checkpoints:
        yield row(name, checkpoint_estimates(name, cases))
    about = describe(world)
    for key in ("eml", "maml"):
        if (BASELINES_FOLDER / f"{key}-{world}.safetensors").is_file():
            trained = load_trained(key, world)
            yield row(key, estimates_of(trained.adapt, lambda _: about.standardization, cases))
    level = about.training_mean
    yield row("training_mean", [np.full(case.truth.shape, level) for case in cases])
    simple = []
    for key in SIMPLE:
        found = estimates_of(METHODS[key].build().adapt, own_units, cases)
        simple.append(row(key, found))
    simple.append(row("mf", [mf_estimate(case) for case in cases]))
    yield from simple
    yield min(simple, key=lambda row: float(row["rmse"])) | {"method": "simple"}


def checkpoint_estimates(name: str, cases: Sequence[Case]) -> Estimates:
    """The estimates of a bundled checkpoint."""
    opened = open_checkpoint(name)
    return estimates_of(
        lambda support: opened.network.adapt(support, step_rule="auto"),
        lambda ratings: opened.units(ratings).of(ratings),
        cases,
    )


def own_units(ratings: Ratings) -> Standardization:
    return Standardization.of(ratings.values)


def mf_estimate(case: Case) -> np.ndarray:
    """The estimate of MF by ten of the model's steps from random numbers, as the app has it."""
    return case.scale.clip(factorize_by_steps(case.ratings).estimate())


@torch.no_grad()
def estimates_of(adapt: Callable, units_of: Callable, cases: Sequence[Case]) -> Estimates:
    """The estimates of all cells of each case by what ``adapt`` makes of a batch in the units
    ``units_of(ratings)``, in rating units and within the scale."""
    given = [case.ratings for case in cases]
    units = [units_of(ratings) for ratings in given]
    batch = [one.with_values(unit.apply(one.values)) for one, unit in zip(given, units)]
    sizes = np.array([case.truth.shape for case in cases])
    firsts = np.cumsum(sizes, axis=0) - sizes
    cells = [np.indices(size).reshape(2, -1) + first[:, None] for size, first in zip(sizes, firsts)]
    row, col = torch.from_numpy(np.concatenate(cells, axis=1))
    z = adapt(RatingsBatch.of(batch)).predict(row, col).numpy().astype(np.float64)
    parts = np.split(z, np.cumsum(sizes.prod(axis=1))[:-1])
    return [
        case.scale.clip(unit.undo(part)).reshape(case.truth.shape)
        for case, unit, part in zip(cases, units, parts)
    ]


def measure(cases: Sequence[Case], estimates: Estimates) -> dict[str, str | int]:
    """Errors on what is not given, over the cases."""
    errors, biases, tastes = [], [], []
    for case, estimate in zip(cases, estimates):
        off = (estimate - case.truth)[~case.given]
        errors.append(np.sqrt(np.mean(np.square(off))))
        biases.append(off.mean())
        if case.tastes is not None and np.ptp(centred(estimate)) > 1e-9:
            pair = [centred(X).ravel() for X in (estimate, case.tastes)]
            tastes.append(np.corrcoef(*pair)[0, 1])
    low, high = np.quantile(errors, (0.1, 0.9))
    values = {"rmse": np.mean(errors), "low": low, "high": high, "bias": np.mean(biases)}
    shown = {name: f"{value:.4f}" for name, value in values.items()}
    return {"draws": len(errors)} | shown | {"tastes": f"{np.mean(tastes):.4f}" if tastes else ""}


def centred(X: np.ndarray) -> np.ndarray:
    """What is left of X without its row means and column means."""
    return X - X.mean(axis=0) - X.mean(axis=1, keepdims=True) + X.mean()


if __name__ == "__main__":
    main()
