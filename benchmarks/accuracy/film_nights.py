"""Film nights that no training has drawn: errors, bias and tastes, where ratings are given at random and by liking.

    python -m benchmarks.accuracy.film_nights [--draws 200] [--mf-draws 40]
    METAMF_DATA=FOLDER python -m benchmarks.accuracy.film_nights --jester

Writes benchmarks/results/film-nights.csv: for each world (as the app shows it, and one in which everybody is a star
harder to please), way of being given and share of the cells, the mean over the draws of the RMSE on all ratings that
are not given, its 10 % and 90 % quantiles, the bias (estimate minus truth) and the correlation of estimated and true
tastes, after row and column means are taken away. And film-nights-steps.csv: the same after every step. Nothing is
chosen: the nights are those of the seeds from 1000 on. MF has the settings that ``chosen_settings`` chooses on what is
given. With --jester: blocks of Jester's complete rows, of people and jokes that no network has seen.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from benchmarks import rows
from metamf.baselines import METHODS
from metamf.baselines.mf import chosen_settings, factorize
from metamf.checkpoints.bundled import BASELINES_FOLDER, describe, load_trained, open_checkpoint
from metamf.datasets.film_nights import SHOWN, STARS, film_night
from metamf.datasets.synthetic import standardized, weighted_draw
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import Standardization

RESULTS, STEPS = rows.RESULTS / "film-nights.csv", rows.RESULTS / "film-nights-steps.csv"
FIRST_SEED = 1000
PERCENTS = 30, 15, 50, 8, 20, 75  # of the cells; the share that the app opens with first
GIVEN = {"at random": 0.0, "what people like": 1.0, "what people like, strongly": 2.0}
WORLDS = {"Film night": SHOWN, "Hard to please": replace(SHOWN, shift=-1.0)}
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
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--mf-draws", type=int, default=40, help="of MF, whose settings are chosen on each draw")
    parser.add_argument("--jester", action="store_true", help="measure on Jester's complete rows instead")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    measured = {"Jester block"} if arguments.jester else set(WORLDS)
    kept = [row for row in rows.read(RESULTS) if row["matrix"] not in measured]
    RESULTS.unlink(missing_ok=True)
    if kept:
        rows.append(RESULTS, *kept)
    for of_condition in jester(arguments) if arguments.jester else nights(arguments):
        rows.report(RESULTS, *of_condition)


def nights(arguments: argparse.Namespace) -> Iterator[list[dict]]:
    """The rows of film nights, condition by condition; writes those of the steps, too."""
    STEPS.unlink(missing_ok=True)
    for world, how, percent in conditions():
        cases = []
        for seed in range(FIRST_SEED, FIRST_SEED + arguments.draws):
            night = film_night(seed, WORLDS[world])
            cases.append(Case(night.truth, night.given(percent / 100, GIVEN[how]), night.tastes, STARS))
        key = {"matrix": world, "given": how, "percent": percent}
        yield [key | row for row in of_methods(cases, CHECKPOINTS, arguments.mf_draws, "film-nights")]
        if world == "Film night":
            by_step = checkpoint_estimates("film-nights", cases, every_step=True)
            rows.append(STEPS, *(key | {"step": t} | measure(cases, step) for t, step in enumerate(by_step)))


def conditions() -> Iterator[tuple[str, str, int]]:
    """Worlds, ways of being given and shares; of the harder world one share."""
    for percent in PERCENTS:
        for how in GIVEN:
            yield "Film night", how, percent
        if percent == PERCENTS[0]:
            yield from (("Hard to please", how, percent) for how in GIVEN)


def jester(arguments: argparse.Namespace) -> Iterator[list[dict]]:
    """The rows of blocks of Jester's complete rows."""
    from metamf.recipes.drawn import JOKES_BLOCK, complete_jokes

    test = complete_jokes()[2]
    X, scale = test.to_dense(), test.scale or RatingScale(-10, 10)
    for how in GIVEN:
        for percent in PERCENTS:
            cases = []
            for seed in range(FIRST_SEED, FIRST_SEED + arguments.draws):
                rng = np.random.default_rng(seed)
                people, jokes = (rng.choice(n, want, replace=False) for n, want in zip(X.shape, JOKES_BLOCK))
                block = X[np.ix_(people, jokes)]
                log_odds = GIVEN[how] * standardized(block)
                given = weighted_draw(log_odds, percent / 100, rng.gumbel(size=block.shape))
                cases.append(Case(block, given, None, scale))
            key = {"matrix": "Jester block", "given": how, "percent": percent}
            yield [key | row for row in of_methods(cases, JESTER_CHECKPOINTS, arguments.mf_draws, "jester-chosen")]


def of_methods(cases: Sequence[Case], checkpoints: Sequence[str], mf_draws: int, world: str) -> Iterator[dict]:
    """The row of every method, all on the same cases; ``world``: the checkpoint whose training mean is one of them."""
    for name in checkpoints:
        yield {"method": name, "key": name} | measure(cases, checkpoint_estimates(name, cases)[0])
    for key in ("eml", "maml"):
        if (BASELINES_FOLDER / f"{key}-{world}.safetensors").is_file():
            yield {"method": key, "key": key} | measure(cases, trained_estimates(key, world, cases))
    level = describe(world).training_mean
    constant = [np.full(case.truth.shape, level) for case in cases]
    yield {"method": "training_mean", "key": "training_mean"} | measure(cases, constant)
    simple = {key: measure(cases, baseline_estimates(key, cases)) for key in SIMPLE}
    best = min(simple, key=lambda key: float(simple[key]["rmse"]))
    yield from ({"method": key, "key": key} | row for key, row in simple.items())
    yield {"method": "simple", "key": best} | simple[best]
    if mf_draws:
        few = cases[:mf_draws]
        yield {"method": "mf", "key": "mf"} | measure(few, [mf_estimate(case) for case in few])


def checkpoint_estimates(name: str, cases: Sequence[Case], every_step: bool = False) -> list[Estimates]:
    """The estimates of a bundled checkpoint after its last step, or after every one from the prior means on."""
    opened = open_checkpoint(name)
    given = [case.ratings for case in cases]
    units = [opened.units(ratings).of(ratings) for ratings in given]
    support = standardised(given, units)
    with torch.inference_mode():
        found = opened.network.adapt(support, step_rule="auto")
        if not every_step:
            return [in_ratings(found.predict, cases, units)]
        steps = []
        for w in found.path:
            U, V = w[: support.N], w[support.N :]
            steps.append(in_ratings(lambda row, col, U=U, V=V: torch.linalg.vecdot(U[row], V[col]), cases, units))
        return steps


def trained_estimates(key: str, data: str, cases: Sequence[Case]) -> Estimates:
    """The estimates of a baseline as it was meta-trained on the data of a checkpoint, in its units."""
    info = describe(data)
    assert info.standardization is not None
    units = [info.standardization] * len(cases)
    with torch.no_grad():
        found = load_trained(key, data).adapt(standardised([case.ratings for case in cases], units))
        return in_ratings(found.predict, cases, units)


def baseline_estimates(key: str, cases: Sequence[Case]) -> Estimates:
    """The estimates of a method that is fitted to each matrix, with its default settings."""
    given = [case.ratings for case in cases]
    units = [Standardization.of(ratings.values) for ratings in given]
    with torch.no_grad():
        found = METHODS[key].build().adapt(standardised(given, units))
        return in_ratings(found.predict, cases, units)


def mf_estimate(case: Case) -> np.ndarray:
    """The estimate of MF with the settings chosen on the given ratings, as the app's sentence has it."""
    given = case.ratings
    return case.scale.clip(factorize(given, chosen_settings(given)).estimate())


def standardised(given: Sequence[Ratings], units: Sequence[Standardization]) -> RatingsBatch:
    return RatingsBatch.of([one.with_values(unit.apply(one.values)) for one, unit in zip(given, units)])


def in_ratings(
    predict: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    cases: Sequence[Case],
    units: Sequence[Standardization],
) -> Estimates:
    """The estimates of all cells of each case, in rating units and within the scale."""
    sizes = np.array([case.truth.shape for case in cases])
    first_row, first_col = (np.cumsum(sizes, axis=0) - sizes).T
    cells = [np.indices(case.truth.shape).reshape(2, -1) for case in cases]
    row = np.concatenate([rows + first for (rows, _), first in zip(cells, first_row)])
    col = np.concatenate([cols + first for (_, cols), first in zip(cells, first_col)])
    z = predict(torch.from_numpy(row), torch.from_numpy(col)).numpy().astype(np.float64)
    parts = np.split(z, np.cumsum(sizes.prod(axis=1))[:-1])
    return [case.scale.clip(unit.undo(part)).reshape(case.truth.shape) for case, unit, part in zip(cases, units, parts)]


def measure(cases: Sequence[Case], estimates: Estimates) -> dict[str, str | int]:
    """Errors on what is not given, over the cases."""
    errors, biases, tastes = [], [], []
    for case, estimate in zip(cases, estimates):
        off = (estimate - case.truth)[~case.given]
        errors.append(np.sqrt(np.mean(np.square(off))))
        biases.append(off.mean())
        if case.tastes is not None and np.ptp(centred(estimate)) > 1e-9:
            tastes.append(np.corrcoef(centred(estimate).ravel(), centred(case.tastes).ravel())[0, 1])
    low, high = np.quantile(errors, (0.1, 0.9))
    values = {"rmse": np.mean(errors), "low": low, "high": high, "bias": np.mean(biases)}
    found: dict[str, str | int] = {"draws": len(errors)} | {name: f"{value:.4f}" for name, value in values.items()}
    return found | {"tastes": f"{np.mean(tastes):.4f}" if tastes else ""}


def centred(X: np.ndarray) -> np.ndarray:
    """What is left of X without its row means and column means."""
    return X - X.mean(axis=0) - X.mean(axis=1, keepdims=True) + X.mean()


if __name__ == "__main__":
    main()
