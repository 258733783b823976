"""The verdict on the errors of several methods on the same hidden ratings: which one to use here, if any."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.stats

from metamf.filling.methods import Method
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
