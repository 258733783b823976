"""The verdict on the errors of several methods on the same hidden ratings: which one to use here, if any.

How good estimates are on one's own matrix: errors of all methods on observed ratings that are hidden from them.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.stats

from metamf.evaluate.filling import within_scale
from metamf.evaluate.methods import Method
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import By, SidedUnits
from metamf.wording import listed, percent

NOTHING_BETTER = "Nothing here predicts these ratings better than their average"
_SIGNIFICANCE = 0.05  # the usual level
_NEARLY_EQUAL = 1.05  # ratio of two RMSE up to which intervals are worth the larger one


@dataclass(frozen=True, eq=False)
class MethodErrors:
    """The errors of one method on the hidden ratings.

    Attributes
    ----------
    method : Method
        The method.
    rmse, mae : ndarray of shape (r,)
        Root mean squared and mean absolute error in each of the first r repeats, in rating units: all of them, or
        fewer of a method whose time had ended.
    covered : ndarray of shape (r,), or None
        Share of the hidden ratings inside their interval in each repeat; None for a method without intervals.
    """

    method: Method
    rmse: np.ndarray
    mae: np.ndarray
    covered: np.ndarray | None


class TuningGain(NamedTuple):
    """Fall of the typical error by tuning, each time with other ratings hidden from both networks.

    Attributes
    ----------
    share, spread : float
        Mean fall as a share of the error without tuning, and its standard error.
    sure : bool
        Whether it is more than chance explains.
    repeats : int
        Number of times that ratings were hidden, and the network was tuned to the others.
    """

    share: float
    spread: float
    sure: bool
    repeats: int


@dataclass(frozen=True, eq=False)
class HoldoutReport:
    """The errors of several methods on the same hidden ratings.

    Attributes
    ----------
    errors : tuple of MethodErrors
        One per method, the smallest typical error first.
    level : float
        Level of the intervals.
    n_hidden : int
        Number of ratings that were hidden in each repeat.
    observed : int
        Number of ratings that are observed in all.
    relative : bool
        Whether errors are in units of the spread of each column, because columns have units of their own.
    """

    errors: tuple[MethodErrors, ...]
    level: float
    n_hidden: int
    observed: int
    relative: bool = False

    @classmethod
    def of(
        cls, errors: Iterable[MethodErrors], level: float, n_hidden: int, observed: int, relative: bool = False
    ) -> HoldoutReport:
        """The report of errors in any order."""
        found = cls(tuple(errors), level, n_hidden, observed, relative)
        return cls(tuple(sorted(found.errors, key=found.typical)), level, n_hidden, observed, relative)

    def and_of(self, more: MethodErrors) -> HoldoutReport:
        """The report with the errors of one more method on the same hidden ratings, in place of what it had of it."""
        others = (errors for errors in self.errors if errors.method.name != more.method.name)
        return HoldoutReport.of((*others, more), self.level, self.n_hidden, self.observed, self.relative)

    @cached_property
    def repeats(self) -> int:
        """Number of times that ratings were hidden, R."""
        return max(len(errors.rmse) for errors in self.errors)

    def typical(self, errors: MethodErrors) -> float:
        """The mean RMSE of a method.

        Of a method that was measured in r < R repeats it is multiplied by what all R repeats are to the first r, in the
        geometric mean over the methods that were measured in all: hidden ratings differ in how hard they are.
        """
        r, mean = len(errors.rmse), float(errors.rmse.mean())
        if r == self.repeats:
            return mean
        whole = [other.rmse for other in self.errors if len(other.rmse) == self.repeats]
        ratios = [other.mean() / other[:r].mean() for other in whole if other[:r].mean() > 0]
        ratios = [ratio for ratio in ratios if ratio > 0]
        return mean * float(np.exp(np.mean(np.log(ratios)))) if ratios else mean

    def surely_smaller(self, one: MethodErrors, other: MethodErrors) -> bool:
        """Whether the RMSE of ``one`` is smaller by more than chance explains, in the repeats that both have.

        A one-sided paired t-test over the repeats at a level of 0.05. Since the repeats share training ratings, the
        variance of the mean difference is that of Nadeau and Bengio, "Inference for the generalization error", Machine
        Learning 52 (2003): (1 / R + hidden / shown ratings) times the variance over repeats. The level is divided by
        the number of other methods (Bonferroni).
        """
        gain = np.subtract(*_in_common(other, one))
        return self._beyond_chance(gain, _SIGNIFICANCE / max(1, len(self.errors) - 1))

    def _beyond_chance(self, gain: np.ndarray, level: float) -> bool:
        R = len(gain)
        if R < 2 or gain.mean() <= 0:
            return False
        return bool(gain.mean() > scipy.stats.t.ppf(1 - level, R - 1) * self._standard_error(gain))

    def _standard_error(self, gain: np.ndarray) -> float:
        """The standard error of the mean of ``gain`` (R,), by Nadeau and Bengio."""
        return float(gain.std(ddof=1) * np.sqrt(1 / len(gain) + self.n_hidden / (self.observed - self.n_hidden)))

    @property
    def tuning(self) -> TuningGain | None:
        """Gain of tuning, where a tuned network was measured and the same without tuning, twice at least."""
        by_name = {errors.method.name: errors for errors in self.errors}
        tuned = next((errors for errors in self.errors if errors.method.tuned), None)
        plain = None if tuned is None else by_name.get(tuned.method.name_untuned)
        if tuned is None or plain is None or min(len(tuned.rmse), len(plain.rmse)) < 2:
            return None
        before, after = _in_common(plain, tuned)
        if not before.mean() > 0:
            return None
        share, spread = 1 - after.mean() / before.mean(), self._standard_error(before - after) / before.mean()
        return TuningGain(share, spread, self._beyond_chance(before - after, _SIGNIFICANCE), len(before))

    @property
    def reference(self) -> MethodErrors | None:
        """The best one of the averages (of all, of each row, of each column); None if none was measured."""
        return next((errors for errors in self.errors if errors.method.reference), None)

    @property
    def winners(self) -> list[MethodErrors]:
        """The methods that predict better than the best average, by more than chance explains; the best one first."""
        means = self.reference
        if means is None:
            return list(self.errors)
        return [
            errors
            for errors in self.errors[: self.errors.index(means)]  # none whose typical error is larger
            if not errors.method.reference and self.surely_smaller(errors, means)
        ]

    @property
    def recommended(self) -> MethodErrors:
        """The method to use: of those that surely beat the averages the best one that gives intervals, if its typical
        error is at most 5 % above the smallest and the difference may be chance; otherwise the one with the smallest.
        Where none surely beats the averages, the best average."""
        winners = self.winners
        if not winners:
            return self.reference or self.errors[0]
        best = winners[0]
        for errors in winners:
            near = self.typical(errors) <= _NEARLY_EQUAL * self.typical(best)
            if near and errors.method.gives_intervals and not self.surely_smaller(best, errors):
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
            "level": self.level,
            "repeats": self.repeats,
            "cells per repeat": self.n_hidden,
            "observed": self.observed,
            "relative": self.relative,
            "tuning": None if self.tuning is None else self.tuning._asdict(),
            "methods": methods,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], methods: Mapping[str, Method]) -> HoldoutReport:
        """The report that ``to_dict`` made values of; ``methods`` are found by their names."""
        errors = [
            MethodErrors(
                methods[found["key"]],
                np.array(found["rmse"]),
                np.array(found["mae"]),
                None if found["inside interval"] is None else np.array(found["inside interval"]),
            )
            for found in values["methods"]
        ]
        return cls.of(errors, values["level"], values["cells per repeat"], values["observed"], values["relative"])

    def verdict(self) -> str:
        """A few sentences: which method to use here, or that none predicts better than an average."""
        best, use, means = self.errors[0], self.recommended, self.reference
        if not self.winners and means is not None:
            rest = [errors for errors in self.errors if not errors.method.reference]
            if not rest or self.typical(rest[0]) >= self.typical(means):
                others = f", and the best of all others has {self._said(rest[0])}." if rest else "."
                text = f"{NOTHING_BETTER}: do not use the estimates. The typical error of {_name(means)} is "
                return f"{text}{self._said(means)}{others}"
            return (
                f"{NOTHING_BETTER} beyond chance: do not rely on the estimates. The typical error of {_name(means)} is "
                f"{self._said(means)}; the {self._said(rest[0])} of {_name(rest[0])} may be luck."
            )
        comma = "," if "," in _name(use) else ""
        text = f"Use {_name(use)}{comma} here: its typical error is {self._said(use)}"
        if means is not None:
            gain = 1 - self.typical(use) / self.typical(means)
            text += f", {percent(gain)} less than the {self._said(means)} of {_name(means)}, more than chance explains"
        text += "."
        if use is not best:
            if best not in self.winners:
                return f"{text} The {self._said(best)} of {_name(best)} may be luck."
            return (
                f"{text} That is as good as the {self._said(best)} of {_name(best)} within chance, and it comes with "
                "intervals."
            )
        alike = [errors for errors in self.winners if errors is not use and not self.surely_smaller(use, errors)]
        if alike:
            names = listed([_name(errors) for errors in alike[:3]])
            text += f" {names[:1].upper()}{names[1:]} {'does' if len(alike) == 1 else 'do'} as well, within chance."
        return text

    def tuning_sentence(self) -> str:
        """A sentence on the gain of tuning with its spread; '' where none was measured."""
        gain = self.tuning
        if gain is None:
            return ""
        change = f"{percent(abs(gain.share), 1)} {'smaller' if gain.share > 0 else 'larger'}"
        chance = "" if gain.sure else "; that may be chance"
        return (
            f"Tuning makes the typical error {change}, give or take {percent(gain.spread, 1)}: ratings were hidden "
            f"{gain.repeats} times, and each time the network was tuned anew to the others{chance}."
        )

    def _said(self, errors: MethodErrors) -> str:
        """The typical error in three significant digits, so that near errors differ."""
        return f"{self.typical(errors):.3g}"


def _name(errors: MethodErrors) -> str:
    """The method inside a sentence: 'the row means'."""
    label = errors.method.label
    return f"the {label.lower()}" if errors.method.reference else label


def _in_common(one: MethodErrors, other: MethodErrors) -> tuple[np.ndarray, np.ndarray]:
    """The RMSE of both in the repeats that both were measured in."""
    r = min(len(one.rmse), len(other.rmse))
    return one.rmse[:r], other.rmse[:r]


FEWEST_REPEATS = 2  # of a method whose time has ended: fewer say nothing of chance
FEWEST_OBSERVED = 10  # observed ratings from which some can be hidden; a tenth of them is one


class HoldoutStep(NamedTuple):
    """How far a report is; one step before each fit, and a last one with the report.

    Attributes
    ----------
    done, total : int
        Fits that are done, and fits in all.
    label : str
        The method that is fitted next; '' in the last step.
    report : HoldoutReport or None
        Report on the methods that are finished; None where none has been finished since the step before.
    """

    done: int
    total: int
    label: str = ""
    report: HoldoutReport | None = None


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
    """Hides some observed ratings again and again; all methods estimate the same ones from the others.

    The ratings take turns: as far as their number allows, none is hidden a second time before all others were hidden
    once. Estimates and intervals are clipped to ``ratings.scale``, where it is known, and not rounded. One method is
    finished after the other, in the order that they are given in.

    Parameters
    ----------
    ratings : Ratings
        All observed ratings.
    methods : sequence of Method
        The methods to compare.
    level : float
        Level of the intervals of those that give intervals.
    repeats : int
        Number of times that ratings are hidden.
    share : float
        Share of the observed ratings that is hidden each time.
    rng : numpy.random.Generator
        Generator that chooses them.
    relative : bool
        Whether errors are measured in units of the spread of the given ratings of each column: for columns that have
        units of their own.
    seconds : float, optional
        Time limit of each method that tunes its network, which it does anew in each repeat: no other repeat begins that
        is not likely to end within it. Two are made in any case. None: no limit.

    Yields
    ------
    HoldoutStep

    Raises
    ------
    ValueError
        If fewer than ``FEWEST_OBSERVED`` ratings are observed, one lies outside the scale, there is no method or no
        repeat, or the share leaves no rating to hide or none to estimate from.
    """
    if ratings.nnz < FEWEST_OBSERVED:
        raise ValueError(
            f"{ratings.nnz} observed cells are too few to hold some out: it takes {FEWEST_OBSERVED} at least"
        )
    n_hidden = max(1, round(share * ratings.nnz)) if 0 < share < 1 else 0
    if not methods or repeats < 1 or not 0 < n_hidden < ratings.nnz:
        raise ValueError(
            f"give methods, repeats >= 1 and 0 < share < 1; got {len(methods)} methods, {repeats} and {share}"
        )
    ratings = within_scale(ratings)
    divisions = []
    for hidden in _hidden_in_turn(ratings.nnz, n_hidden, repeats, rng):
        given = ratings.select(np.delete(np.arange(ratings.nnz), hidden))
        cols = ratings.cols[hidden]
        unit = SidedUnits(By.COLUMN).of(given).std[cols] if relative else 1.0
        divisions.append((given, ratings.rows[hidden], cols, ratings.values[hidden], unit))
    finished: list[MethodErrors] = []
    report, total = None, repeats * len(methods)
    for method in methods:
        figures: list[tuple[float, float, float]] = []  # RMSE, MAE and coverage of each repeat
        began = time.perf_counter()
        for r, (given, rows, cols, truth, unit) in enumerate(divisions):
            likely = (time.perf_counter() - began) * (r + 1) / max(r, 1)  # when this repeat would be over
            if seconds is not None and method.tuned and r >= FEWEST_REPEATS and likely > seconds:
                break
            yield HoldoutStep(len(finished) * repeats + r, total, method.label, report)
            report = None
            mean, half_width = method.predict(given, rows, cols, level if method.gives_intervals else None)[:2]
            error = (_clipped(mean, ratings) - truth) / unit
            covered = np.nan
            if half_width is not None:
                lower, upper = (_clipped(end, ratings) for end in (mean - half_width, mean + half_width))
                covered = float(np.mean((lower <= truth) & (truth <= upper)))
            figures.append((float(np.sqrt(np.mean(error**2))), float(np.abs(error).mean()), covered))
        rmse, mae, inside = np.array(figures).T
        finished.append(MethodErrors(method, rmse, mae, inside if method.gives_intervals else None))
        report = HoldoutReport.of(finished, level, n_hidden, ratings.nnz, relative)
    yield HoldoutStep(total, total, report=report)


def _hidden_in_turn(nnz: int, n_hidden: int, repeats: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """The positions (n_hidden,) of the entries to hide in each repeat: consecutive parts of a random order, and a new
    order when too few are left."""
    per_order = nnz // n_hidden
    for r in range(repeats):
        if r % per_order == 0:
            order = rng.permutation(nnz)
        first = r % per_order * n_hidden
        yield np.sort(order[first : first + n_hidden])


def _clipped(values: np.ndarray, ratings: Ratings) -> np.ndarray:
    return values if ratings.scale is None else ratings.scale.clip(values)
