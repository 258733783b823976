"""The errors of methods on hidden ratings of one table, and the verdict: which method to use here, if any."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from metamf.answer.answer import Answer
from metamf.answer.filling import within_scale
from metamf.answer.hidden_check import hidden_check
from metamf.answer.methods import Method
from metamf.answer.significance import beyond_chance, repeats_error
from metamf.learning.episodes import Episode
from metamf.ratings.matrix import Ratings
from metamf.wording import listed, percent, percent_with_error

NOTHING_BETTER = "Nothing here predicts these ratings better than their average"
FEWEST_REPEATS = 2  # of a method whose time has ended; fewer tell nothing about chance
UNDESCRIBED_REPEATS = 10  # in which a method is measured without what describes the rows, at most
FEWEST_OBSERVED = 10  # observed ratings from which some can be hidden
#: Errors in spreads by hiding and of the missing ratings, half of them (benchmarks/accuracy/selection.py, slope 1).
BY_HIDING = 0.67
OF_MISSING = 1.06
# ratios of two RMSE up to which intervals are worth the larger one
_TIE = 1.02
_TIE_BY_CHANCE = 1.05


@dataclass(frozen=True, eq=False)
class MethodErrors:
    """The errors of one method on the hidden ratings, in rating units, in each of the first r repeats; fewer than all
    if its time ran out."""

    method: Method
    rmse: np.ndarray  # (r,) root mean squared errors
    mae: np.ndarray  # (r,) mean absolute errors
    covered: np.ndarray | None  # (r,) share of the hidden ratings inside their interval; None without intervals


class Gain(NamedTuple):
    """Fall of a method's typical error, as a ``share`` of the error before, with its standard error ``spread``;
    ``sure``: whether it is beyond chance, over so many ``repeats``."""

    share: float
    spread: float
    sure: bool
    repeats: int


@dataclass(frozen=True, eq=False)
class Report:
    """The errors of several methods on the same hidden ratings, the smallest typical error first."""

    errors: tuple[MethodErrors, ...]
    level: float  # of the intervals
    n_hidden: int  # ratings hidden in each repeat
    observed: int  # ratings in all
    relative: bool = False  # whether errors are in units of the spread of each column, which has a unit of its own
    undescribed: tuple[str, np.ndarray] | None = None  # name and (r,) RMSE of a method without what describes the rows

    @classmethod
    def of(cls, errors: Iterable[MethodErrors], *about: Any) -> Report:
        """The report of errors in any order."""
        found = cls(tuple(errors), *about)
        return replace(found, errors=tuple(sorted(found.errors, key=found.typical)))

    def and_of(self, more: MethodErrors) -> Report:
        """The report with the errors of one more method on the same hidden ratings, in place of what it had of it."""
        others = (errors for errors in self.errors if errors.method.name != more.method.name)
        about = self.level, self.n_hidden, self.observed, self.relative, self.undescribed
        return Report.of((*others, more), *about)

    @cached_property
    def repeats(self) -> int:
        """Number of times that ratings were hidden, R."""
        return max(len(errors.rmse) for errors in self.errors)

    def typical(self, errors: MethodErrors) -> float:
        """The mean RMSE of a method.

        For a method measured in r < R repeats it is multiplied by how much harder all R repeats were than the first r:
        the geometric mean of that ratio over the methods measured in all.
        """
        r = len(errors.rmse)
        whole = [other.rmse for other in self.errors if len(other.rmse) == self.repeats and other.rmse[:r].any()]
        harder = [np.log(rmse.mean() / rmse[:r].mean()) for rmse in whole]
        return float(errors.rmse.mean() * np.exp(np.mean(harder or [0.0])))

    def surely_smaller(self, one: MethodErrors, other: MethodErrors) -> bool:
        """Whether the RMSE of ``one`` is smaller beyond chance (``metamf.answer.significance``), in the repeats that
        both have; it is taken as picked from all methods but one."""
        return self._beyond_chance(np.subtract(*_in_common(other, one)), len(self.errors) - 1)

    def _beyond_chance(self, gain: np.ndarray, picked_from: int = 1) -> bool:
        return len(gain) > 1 and beyond_chance(gain.mean(), self._error(gain), len(gain) - 1, picked_from)

    def _error(self, gain: np.ndarray) -> float:
        return repeats_error(gain, self.n_hidden, self.observed - self.n_hidden)

    @property
    def tuning(self) -> Gain | None:
        """Gain of tuning, where a network was measured with and without it, at least twice each."""
        by_name = {errors.method.name: errors for errors in self.errors if len(errors.rmse) > 1}
        tuned = next((errors for errors in by_name.values() if errors.method.tuned), None)
        plain = None if tuned is None else by_name.get(tuned.method.name_untuned)
        return None if tuned is None or plain is None else self._gain(*_in_common(plain, tuned))

    @property
    def describing(self) -> Gain | None:
        """Gain of what describes the rows, where a method was measured with and without it, at least twice each."""
        plain = None if self.undescribed is None else self.undescribed[1]
        return None if plain is None else self._gain(plain, self._described.rmse[: len(plain)])

    @property
    def _described(self) -> MethodErrors:
        return next(one for one in self.errors if self.undescribed and one.method.name == self.undescribed[0])

    def _gain(self, before: np.ndarray, after: np.ndarray) -> Gain | None:
        gain = before - after
        whole = float(before.mean())
        if whole == 0 or len(gain) < FEWEST_REPEATS:
            return None
        return Gain(float(gain.mean()) / whole, self._error(gain) / whole, self._beyond_chance(gain), len(gain))

    @property
    def reference(self) -> MethodErrors | None:
        """The best of the averages (of all, of each row, of each column); None if none was measured."""
        return next((errors for errors in self.errors if errors.method.reference), None)

    @property
    def winners(self) -> list[MethodErrors]:
        """The methods that predict better than the best average beyond chance; the best one first."""
        means = self.reference
        if means is None:
            return list(self.errors)
        better = self.errors[: self.errors.index(means)]
        return [errors for errors in better if not errors.method.reference and self.surely_smaller(errors, means)]

    @property
    def recommended(self) -> MethodErrors:
        """The method to use: the best of ``winners``, or one that ties with it and gives intervals; the best average if
        there is no winner.

        A tie is a typical error at most 2 % larger, or at most 5 % larger if the difference may be chance.
        """
        winners = self.winners
        if not winners:
            return self.reference or self.errors[0]
        best = winners[0]
        for errors in winners:
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
        plain = None if self.undescribed is None else (self.undescribed[0], self.undescribed[1].tolist())
        return {
            "verdict": self.verdict(),
            "recommended": self.recommended.method.name,
            "level": self.level,
            "repeats": self.repeats,
            "cells per repeat": self.n_hidden,
            "observed": self.observed,
            "relative": self.relative,
            "tuning": None if self.tuning is None else self.tuning._asdict(),
            "describing": None if self.describing is None else self.describing._asdict(),
            "without what describes the rows": plain,
            "methods": methods,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], methods: Mapping[str, Method]) -> Report:
        """The report that ``to_dict`` made values of; ``methods`` are found by their names."""
        errors = []
        plain = values["without what describes the rows"]
        for found in values["methods"]:
            inside = None if found["inside interval"] is None else np.array(found["inside interval"])
            rmse = np.array(found["rmse"])
            mae = np.array(found["mae"])
            errors.append(MethodErrors(methods[found["key"]], rmse, mae, inside))
        about = (values[name] for name in ("level", "cells per repeat", "observed", "relative"))
        return cls.of(errors, *about, plain and (plain[0], np.array(plain[1])))

    def verdict(self) -> str:
        """A few sentences: which method to use here, or that none predicts better than an average."""
        best = self.errors[0]
        use = self.recommended
        means = self.reference
        if not self.winners and means is not None:
            average = f"The typical error of {self._with_error(means)}"
            rest = next((errors for errors in self.errors if not errors.method.reference), None)
            if rest is None or self.typical(rest) >= self.typical(means):
                others = "" if rest is None else f"; the best other method, {self._with_error(rest)}"
                return f"{NOTHING_BETTER}: do not use the estimates. {average}{others}."
            return (
                f"{NOTHING_BETTER} beyond chance: do not rely on the estimates. {average}; "
                f"{self._with_error(rest)} may be better only by chance."
            )
        name = use.method.in_sentence
        text = f"Use {name}{',' if ',' in name else ''} here. Its typical error is {self.typical(use):.3g}"
        if means is not None:
            gain = percent(1 - self.typical(use) / self.typical(means))
            text += f", {gain} less than with {self._with_error(means)}, which is more than chance explains"
        text += "."
        if use is not best:
            if best not in self.winners:
                return f"{text} {_sentence(self._with_error(best))} may be better only by chance."
            if self.surely_smaller(best, use):
                return f"{text} That of {self._with_error(best)} is slightly smaller, but without intervals."
            return f"{text} That of {self._with_error(best)} is smaller, perhaps by chance, and without intervals."
        alike = [errors for errors in self.winners if errors is not use and not self.surely_smaller(use, errors)]
        if alike:
            names = _sentence(listed([errors.method.in_sentence for errors in alike[:3]]))
            text += f" {names} may be as good: the difference is within chance."
        return text

    def tuning_sentence(self) -> str:
        """A sentence on the gain of tuning with its spread; '' where none was measured."""
        gain = self.tuning
        if gain is None:
            return ""
        return (
            f"Tuning makes the typical error {_change(gain)}. Ratings were hidden {gain.repeats} times, and each time "
            "the network was tuned again to the rest."
        )

    def selection_sentence(self) -> str:
        """What hiding ratings cannot show; '' where the verdict advises against the estimates."""
        if not self.winners:
            return ""
        return (
            "This check hides ratings that you have. If others are missing for a reason, as where people rate what "
            f"they like, the errors there may be larger: on Jester's jokes the error was {OF_MISSING} standard "
            f"deviations, and such a check estimated {BY_HIDING}."
        )

    def describing_sentence(self) -> str:
        """A sentence on the gain of what describes the rows with its spread; '' where none was measured."""
        gain = self.describing
        if gain is None:
            return ""
        name = self._described.method.in_sentence
        if not gain.share and not gain.spread:
            return f"The columns that describe the rows make no difference to {name} on the hidden ratings."
        return f"The columns that describe the rows make the typical error of {name} {_change(gain)}."

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


def _in_common(one: MethodErrors, other: MethodErrors) -> tuple[np.ndarray, np.ndarray]:
    """The RMSE of both in the repeats that both were measured in."""
    r = min(len(one.rmse), len(other.rmse))
    return one.rmse[:r], other.rmse[:r]


class HoldoutStep(NamedTuple):
    """Progress of a report: ``done`` of ``total`` fits, the ``label`` of the method that is fitted next, '' at the end,
    and the ``report`` on the methods that are finished, None where none was finished since the step before."""

    done: int
    total: int
    label: str = ""
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
    seconds: float | None = None,
) -> Iterator[HoldoutStep]:
    """Hides a ``share`` of the observed ratings ``repeats`` times; all methods estimate the same ones from the others.

    The ratings take turns: as far as their number allows, none is hidden a second time before all others were hidden
    once. Estimates and intervals, of ``level``, are cut as every ``Answer`` is, and not rounded.
    The methods are measured one after the other; a step is yielded before each fit, and a last one with the report.
    Where columns describe the rows, the recommended method, or the best that reads them, is measured without, too.

    With ``relative`` errors are in units of the spread of the given ratings of each column, for columns with their own
    units. ``seconds`` limits each method that tunes its network, which it does again in each repeat: after the second
    no repeat begins that is not likely to end within it.

    ``ValueError`` if fewer than ``FEWEST_OBSERVED`` ratings are observed, one lies outside the scale, there is no
    method or no repeat, or the share leaves no rating to hide or none to estimate from.
    """
    if ratings.nnz < FEWEST_OBSERVED:
        raise ValueError(
            f"{ratings.nnz} observed cells are too few to hold some out: it takes {FEWEST_OBSERVED} at least"
        )
    n_hidden = max(1, round(share * ratings.nnz)) if 0 < share < 1 else 0
    if not methods or repeats < 1 or not 0 < n_hidden < ratings.nnz:
        raise ValueError(f"give methods, repeats >= 1 and 0 < share < 1; got {len(methods)}, {repeats} and {share}")
    ratings = within_scale(ratings)
    divisions = []
    for hidden in _hidden_in_turn(ratings.nnz, n_hidden, repeats, rng):
        given = ratings.select(np.delete(np.arange(ratings.nnz), hidden))
        divisions.append(Episode(given, ratings.select(hidden)))
    finished: list[MethodErrors] = []
    reading = [one for one in methods if one.gives_intervals and not one.tuned and ratings.row_features is not None]
    report = None
    plan = [*methods, *reading[:1]]
    total = repeats * len(methods) + min(repeats, UNDESCRIBED_REPEATS) * len(reading[:1])
    for method in plan:
        hiding = divisions
        if without := len(finished) == len(methods):
            best = Report.of(finished, level, n_hidden, ratings.nnz, relative)
            method = next(found.method for found in (best.recommended, *best.errors) if found.method in reading)
            few = divisions[:UNDESCRIBED_REPEATS]
            hiding = [replace(each, support=replace(each.support, row_features=None)) for each in few]
        parts = hidden_check(partial(_answers, method, level), hiding)
        figures: list[tuple[float, float, float]] = []  # RMSE, MAE and coverage of each repeat
        began = time.perf_counter()
        for r in range(len(hiding)):
            likely = (time.perf_counter() - began) * (r + 1) / max(r, 1)  # when this repeat would be over
            if seconds is not None and method.tuned and r >= FEWEST_REPEATS and likely > seconds:
                break
            yield HoldoutStep(len(finished) * repeats + r, total, method.label, report)
            report = None
            part = next(parts)
            error = part.errors / part.spreads if relative else part.errors
            figures.append((float(np.sqrt(np.mean(error**2))), float(np.abs(error).mean()), part.covered))
        rmse, mae, inside = np.array(figures).T
        if not without:
            finished.append(MethodErrors(method, rmse, mae, inside if method.gives_intervals else None))
        plain = (method.name, rmse) if without else None
        report = Report.of(finished, level, n_hidden, ratings.nnz, relative, plain)
    yield HoldoutStep(total, total, report=report)


def _answers(method: Method, level: float, matrices: Iterable[Ratings]) -> Iterator[Answer]:
    """The method's answer to each matrix, when it is asked for; with intervals if it gives any."""
    return (method.predict(given, level if method.gives_intervals else None) for given in matrices)


def _hidden_in_turn(nnz: int, n_hidden: int, repeats: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """The positions (n_hidden,) to hide in each repeat: consecutive parts of a random order, renewed when used up."""
    per_order = nnz // n_hidden
    for r in range(repeats):
        if r % per_order == 0:
            order = rng.permutation(nnz)
        first = r % per_order * n_hidden
        yield np.sort(order[first : first + n_hidden])
