"""The errors of methods on hidden ratings of one table, and the verdict: which method to use here,
if any."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from metamf.answer.methods import Method
from metamf.answer.significance import beyond_chance, repeats_error
from metamf.ratings.limits import check_on_scale
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import By, SidedUnits
from metamf.wording import listed, percent, percent_with_error

NOTHING_BETTER = "Nothing here predicts these ratings better than the best average"
FEWEST_REPEATS = 2  # fewer tell nothing about chance
TUNED_REPEATS = 3  # in which a method is measured that tunes its network in each, at most
FEWEST_OBSERVED = 10  # observed ratings from which some can be hidden
#: Errors in spreads by hiding and of the missing ratings, half of them
#: (benchmarks/results/selection.csv, slope 1).
BY_HIDING = 0.67
OF_MISSING = 1.06
# ratios of two RMSE up to which intervals are worth the larger one
_TIE = 1.02
_TIE_BY_CHANCE = 1.05


@dataclass(frozen=True, eq=False)
class MethodErrors:
    """The errors of one method on the hidden ratings, in rating units, in each of the first r
    repeats; fewer than all if its time ran out."""

    method: Method
    rmse: np.ndarray  # (r,) root mean squared errors
    mae: np.ndarray  # (r,) mean absolute errors
    # (r,) share of the hidden ratings inside their interval; None without intervals
    covered: np.ndarray | None


class Gain(NamedTuple):
    """Fall of a method's typical error, as a ``share`` of the error before, with its standard error
    ``spread``; ``sure``: whether it is beyond chance, over so many ``repeats``."""

    share: float
    spread: float
    sure: bool
    repeats: int


@dataclass(frozen=True, eq=False)
class Report:
    """The errors of several methods on the same hidden ratings, the smallest typical error
    first."""

    errors: tuple[MethodErrors, ...]
    level: float  # of the intervals
    n_hidden: int  # ratings hidden in each repeat
    observed: int  # ratings in all
    # whether errors are in units of the spread of each column, which has a unit of its own
    relative: bool = False
    fills: str | None = None  # name of the method that fills in the table, if one does

    @classmethod
    def of(cls, errors: Iterable[MethodErrors], *about: Any) -> Report:
        """The report of errors in any order."""
        found = cls(tuple(errors), *about)
        return replace(found, errors=tuple(sorted(found.errors, key=found.typical)))

    @cached_property
    def repeats(self) -> int:
        """Number of times that ratings were hidden, R."""
        return max(len(errors.rmse) for errors in self.errors)

    def typical(self, errors: MethodErrors) -> float:
        """The mean RMSE of a method.

        For a method measured in r < R repeats it is multiplied by how much harder all R repeats
        were than the first r: the geometric mean of that ratio over the methods measured in all.
        """
        r = len(errors.rmse)
        whole = [
            other.rmse
            for other in self.errors
            if len(other.rmse) == self.repeats and other.rmse[:r].any()
        ]
        harder = [np.log(rmse.mean() / rmse[:r].mean()) for rmse in whole]
        return float(errors.rmse.mean() * np.exp(np.mean(harder or [0.0])))

    def surely_smaller(self, one: MethodErrors, other: MethodErrors) -> bool:
        """Whether the RMSE of ``one`` is smaller beyond chance (``metamf.answer.significance``), in
        the repeats that both have; it is taken as picked from all methods but one."""
        gain = _gain(other, one)
        return self._beyond_chance(gain, len(self.errors) - 1)

    def _beyond_chance(self, gain: np.ndarray, picked_from: int = 1) -> bool:
        return len(gain) > 1 and beyond_chance(
            gain.mean(), self._error(gain), len(gain) - 1, picked_from
        )

    def _error(self, gain: np.ndarray) -> float:
        return repeats_error(gain, self.n_hidden, self.observed - self.n_hidden)

    @property
    def tuning(self) -> Gain | None:
        """Gain of tuning, where a network was measured with and without it, at least twice each."""
        tuned = next((one for one in self.errors if one.method.tuned), None)
        plain = None if tuned is None else self.named(tuned.method.key)
        if tuned is None or plain is None:
            return None
        gain = _gain(plain, tuned)
        whole = float(plain.rmse[: len(gain)].mean())
        if whole == 0 or len(gain) < FEWEST_REPEATS:
            return None
        share = float(gain.mean()) / whole
        return Gain(share, self._error(gain) / whole, self._beyond_chance(gain), len(gain))

    def named(self, name: str | None) -> MethodErrors | None:
        """The errors of the method of a name; None if it was not measured."""
        return next((one for one in self.errors if one.method.name == name), None)

    @property
    def reference(self) -> MethodErrors | None:
        """The best of the averages (of all, of each row, of each column); None if none was
        measured."""
        return next((errors for errors in self.errors if errors.method.reference), None)

    @property
    def winners(self) -> list[MethodErrors]:
        """The methods that predict better than the best average beyond chance; the best one
        first."""
        means = self.reference
        if means is None:
            return list(self.errors)
        better = self.errors[: self.errors.index(means)]
        return [
            errors
            for errors in better
            if not errors.method.reference and self.surely_smaller(errors, means)
        ]

    @property
    def current(self) -> MethodErrors | None:
        """The method that fills in the table; None if it was not measured."""
        return self.named(self.fills)

    @property
    def recommended(self) -> MethodErrors:
        """The method to use: what fills in the table, unless another one is better beyond chance;
        then the best of these, or one that ties with it and gives intervals.

        Where nothing fills it in, the best of ``winners``, or the best average if there is none. A
        tie is a typical error at most 2 % larger, or at most 5 % larger if the difference may be
        chance.
        """
        current = self.current
        better = self.winners
        if not better:
            return min((one for one in (current, self.reference) if one), key=self.typical)
        if current is not None:
            better = [one for one in better if self.surely_smaller(one, current)]
            if not better:
                return current
        best = better[0]
        for errors in better:
            worst = _TIE if self.surely_smaller(best, errors) else _TIE_BY_CHANCE
            if errors.method.gives_intervals and self.typical(errors) <= worst * self.typical(best):
                return errors
        return best

    def to_dict(self) -> dict[str, Any]:
        """All figures as JSON values; errors per repeat, in rating units."""
        methods = [
            {
                "key": errors.method.name,
                "label": errors.method.label,
                "rmse": errors.rmse.tolist(),
                "mae": errors.mae.tolist(),
                "inside interval": None if errors.covered is None else errors.covered.tolist(),
            }
            for errors in self.errors
        ]
        return {
            "verdict": self.verdict(),
            "recommended": self.recommended.method.name,
            "fills": self.fills,
            "level": self.level,
            "repeats": self.repeats,
            "cells per repeat": self.n_hidden,
            "observed": self.observed,
            "relative": self.relative,
            "tuning": None if self.tuning is None else self.tuning._asdict(),
            "methods": methods,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], methods: Mapping[str, Method]) -> Report:
        """The report that ``to_dict`` made values of; ``methods`` are found by their names."""
        errors = []
        for found in values["methods"]:
            inside = found["inside interval"]
            covered = None if inside is None else np.array(inside)
            about = np.array(found["rmse"]), np.array(found["mae"]), covered
            errors.append(MethodErrors(methods[found["key"]], *about))
        whole = ("level", "cells per repeat", "observed", "relative", "fills")
        return cls.of(errors, *(values[name] for name in whole))

    def verdict(self) -> str:
        """A few sentences: which method to use here, or that none predicts better than an
        average."""
        best = self.errors[0]
        use = self.recommended
        means = self.reference
        if not self.winners and means is not None:
            average = f"Typical errors: {self._with_error(means)}, the best average"
            rest = next((errors for errors in self.errors if not errors.method.reference), None)
            if rest is None or self.typical(rest) >= self.typical(means):
                others = (
                    "" if rest is None else f"; the best other method, {self._with_error(rest)}"
                )
                return f"{NOTHING_BETTER}: do not use the estimates. {average}{others}."
            return (
                f"{NOTHING_BETTER} beyond chance: do not rely on the estimates. {average}; "
                f"{self._with_error(rest)}, which may be better only by chance."
            )
        name = use.method.in_sentence
        text = f"Use {name}{',' if ',' in name else ''} here."
        if use is self.current:
            text = f"Keep {name}."
        text += f" Its typical error is {self.typical(use):.3g}"
        if means is not None:
            gain = percent(1 - self.typical(use) / self.typical(means))
            chance = "may be chance"
            if use in self.winners:
                chance = "is more than chance explains"
            text += f", {gain} less than with {self._with_error(means)}, which {chance}"
        text += "."
        if use is self.current:
            return text + self._beside(use)
        if use is not best:
            other = self._with_error(best)
            if best not in self.winners:
                return f"{text} {_sentence(other)} may be better only by chance."
            how = "smaller, perhaps by chance, and without intervals"
            if self.surely_smaller(best, use):
                how = "slightly smaller, but without intervals"
            return f"{text} That of {other} is {how}."
        alike = [
            errors.method.in_sentence
            for errors in self.winners
            if errors is not use and not self.surely_smaller(use, errors)
        ]
        if alike:
            names = _sentence(listed(alike[:3]))
            text += f" {names} may be as good: the difference is within chance."
        return text

    def _beside(self, use: MethodErrors) -> str:
        """What the other methods are next to the one that is kept."""
        best = self.errors[0]
        if best is use:
            return " No other method here has a smaller one."
        return f" That of {self._with_error(best)} is smaller, which may be chance."

    def tuning_sentence(self) -> str:
        """A sentence on the gain of tuning with its spread; '' where none was measured."""
        gain = self.tuning
        if gain is None:
            return ""
        return (
            f"Tuning makes the typical error {_change(gain)}. Ratings were hidden {gain.repeats} "
            "times, and each time "
            "the network was tuned again to the rest."
        )

    def selection_sentence(self) -> str:
        """What hiding ratings cannot show; '' where the verdict advises against the estimates."""
        if not self.winners:
            return ""
        return (
            "This check hides ratings that you have. If others are missing for a reason, as where "
            "people rate what "
            "they like, the errors there may be larger: on Jester's jokes the error was "
            f"{OF_MISSING} standard "
            f"deviations, and such a check estimated {BY_HIDING}."
        )

    def _with_error(self, errors: MethodErrors) -> str:
        """'the average of the row (1.03)': three significant digits, so that near errors differ."""
        return f"{errors.method.in_sentence} ({self.typical(errors):.3g})"


def _change(gain: Gain) -> str:
    """'3 ± 1 % smaller, which may be chance'."""
    change = percent_with_error(abs(gain.share), gain.spread, 1)
    way = "smaller" if gain.share > 0 else "larger"
    return f"{change} {way}{'' if gain.sure else ', which may be chance'}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _gain(before: MethodErrors, after: MethodErrors) -> np.ndarray:
    """The fall of the RMSE in the repeats that both were measured in."""
    r = min(len(before.rmse), len(after.rmse))
    return before.rmse[:r] - after.rmse[:r]


class HoldoutStep(NamedTuple):
    """Progress of a report: ``done`` of ``total`` fits, the name in a sentence of the ``method`` that is
    fitted next, '' at the end, and the ``report`` on the methods that are finished, None where none was
    finished since the step before."""

    done: int
    total: int
    method: str = ""
    report: Report | None = None


def holdout_steps(
    ratings: Ratings,
    methods: Sequence[Method],
    level: float,
    repeats: int = 5,
    share: float = 0.1,
    *,
    rng: np.random.Generator,
    relative: bool = False,
) -> Iterator[HoldoutStep]:
    """Hides a ``share`` of the observed ratings ``repeats`` times; all methods estimate the same
    ones from the others.

    The ratings take turns: as far as their number allows, none is hidden a second time before all
    others were hidden once. Estimates and intervals, of ``level``, are cut as every ``Answer`` is,
    and not rounded. The first method is what fills in the table. The methods are measured one after
    the other; a step is yielded before each fit, and a last one with the report.

    With ``relative`` errors are in units of the spread of the given ratings of each column, for
    columns with their own units. A method that tunes its network does it again in each repeat, and
    is measured in ``TUNED_REPEATS`` of them.

    ``ValueError`` if fewer than ``FEWEST_OBSERVED`` ratings are observed, one lies outside the
    scale, there is no method or no repeat, or the share leaves no rating to hide or none to
    estimate from.
    """
    if ratings.nnz < FEWEST_OBSERVED:
        raise ValueError(
            f"{ratings.nnz} observed cells are too few to hold some out: it takes "
            f"{FEWEST_OBSERVED} at least"
        )
    n_hidden = max(1, round(share * ratings.nnz)) if 0 < share < 1 else 0
    if not methods or repeats < 1 or not 0 < n_hidden < ratings.nnz:
        raise ValueError(
            f"give methods, repeats >= 1 and 0 < share < 1; got {len(methods)}, {repeats} and "
            f"{share}"
        )
    check_on_scale(ratings, ratings.scale)
    hidings = list(_hidden_in_turn(ratings.nnz, n_hidden, repeats, rng))
    about = level, n_hidden, ratings.nnz, relative, methods[0].name
    finished: list[MethodErrors] = []
    report = None
    for method in methods:
        figures: list[tuple[float, float, float]] = []  # RMSE, MAE and coverage of each repeat
        for hidden in hidings[:TUNED_REPEATS] if method.tuned else hidings:
            done = len(finished) * repeats + len(figures)
            yield HoldoutStep(done, repeats * len(methods), method.in_sentence, report)
            report = None
            figures.append(_figures(method, ratings, hidden, level, relative))
        rmse, mae, inside = np.array(figures).T
        covered = inside if method.gives_intervals else None
        finished.append(MethodErrors(method, rmse, mae, covered))
        report = Report.of(finished, *about)
    yield HoldoutStep(repeats * len(methods), repeats * len(methods), report=report)


def _figures(
    method: Method, ratings: Ratings, hidden: np.ndarray, level: float, relative: bool
) -> tuple[float, float, float]:
    """RMSE, MAE and the share inside the intervals of a method on the entries at the positions
    ``hidden``, which it is not given; nan without intervals."""
    given = ratings.select(np.delete(np.arange(ratings.nnz), hidden))
    truth = ratings.select(hidden)
    answer = method.predict(given, level if method.gives_intervals else None)
    error = answer.at(truth.rows, truth.cols) - truth.values
    if relative:
        error = error / SidedUnits(By.COLUMN).of(given).std[truth.cols]
    inside = np.nan
    ends = answer.interval_at(truth.rows, truth.cols)
    if ends is not None:
        inside = float(np.mean((ends[0] <= truth.values) & (truth.values <= ends[1])))
    return float(np.sqrt(np.mean(error**2))), float(np.abs(error).mean()), inside


def _hidden_in_turn(
    nnz: int, n_hidden: int, repeats: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """The positions (n_hidden,) to hide in each repeat: consecutive parts of a random order,
    renewed when used up."""
    per_order = nnz // n_hidden
    for r in range(repeats):
        if r % per_order == 0:
            order = rng.permutation(nnz)
        first = r % per_order * n_hidden
        yield np.sort(order[first : first + n_hidden])
