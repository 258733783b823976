"""The verdict on the errors of several methods on the same hidden ratings: which one to use here, if any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.stats

from metamf.filling.methods import Method
from metamf.wording import listed, percent

NOTHING_BETTER = "Nothing here predicts these ratings better than their average"
_SIGNIFICANCE = 0.05  # the usual level
_NEARLY_EQUAL = 1.05  # ratio of two RMSE up to which intervals are worth the larger one; chosen by hand


@dataclass(frozen=True, eq=False)
class MethodErrors:
    """The errors of one method on the hidden ratings.

    Attributes
    ----------
    method : Method
        The method.
    rmse, mae : ndarray of shape (R,)
        Root mean squared and mean absolute error in each of R repeats, in rating units.
    covered : ndarray of shape (R,), or None
        Share of the hidden ratings inside their interval in each repeat; None for a method without intervals.
    """

    method: Method
    rmse: np.ndarray
    mae: np.ndarray
    covered: np.ndarray | None


@dataclass(frozen=True, eq=False)
class HoldoutReport:
    """The errors of several methods on the same hidden ratings.

    Attributes
    ----------
    errors : tuple of MethodErrors
        One per method, the smallest mean RMSE first.
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

    @property
    def repeats(self) -> int:
        """Number of times that ratings were hidden, R."""
        return len(self.errors[0].rmse)

    def surely_smaller(self, one: MethodErrors, other: MethodErrors) -> bool:
        """Whether the RMSE of ``one`` is smaller by more than chance explains.

        A one-sided paired t-test over the repeats at a level of 0.05. Since the repeats share training ratings, the
        variance of the mean difference is that of Nadeau and Bengio, "Inference for the generalization error", Machine
        Learning 52 (2003): (1 / R + hidden / shown ratings) times the variance over repeats. The level is divided by
        the number of other methods (Bonferroni).
        """
        gain = other.rmse - one.rmse
        R = len(gain)
        if R < 2 or gain.mean() <= 0:
            return False
        spread = gain.std(ddof=1) * np.sqrt(1 / R + self.n_hidden / (self.observed - self.n_hidden))
        limit = scipy.stats.t.ppf(1 - _SIGNIFICANCE / max(1, len(self.errors) - 1), R - 1)
        return bool(gain.mean() > limit * spread)

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
        return [errors for errors in self.errors if not errors.method.reference and self.surely_smaller(errors, means)]

    @property
    def recommended(self) -> MethodErrors:
        """The method to use: of those that surely beat the averages the best one that gives intervals, if its RMSE is
        at most 5 % above the smallest and the difference may be chance; otherwise the one with the smallest RMSE. Where
        none surely beats the averages, the best average."""
        winners = self.winners
        if not winners:
            return self.reference or self.errors[0]
        best = winners[0]
        for errors in winners:
            near = errors.rmse.mean() <= _NEARLY_EQUAL * best.rmse.mean()
            if near and errors.method.gives_intervals and not self.surely_smaller(best, errors):
                return errors
        return best

    def to_dict(self) -> dict[str, Any]:
        """All figures as JSON values; errors per repeat, in rating units."""
        methods = [
            {
                "key": errors.method.key,
                "label": errors.method.label,
                "rmse": errors.rmse.tolist(),
                "mae": errors.mae.tolist(),
                "inside interval": None if errors.covered is None else errors.covered.tolist(),
            }
            for errors in self.errors
        ]
        return {
            "verdict": self.verdict(),
            "recommended": self.recommended.method.key,
            "level": self.level,
            "repeats": self.repeats,
            "cells per repeat": self.n_hidden,
            "observed": self.observed,
            "relative": self.relative,
            "methods": methods,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], methods: Mapping[str, Method]) -> HoldoutReport:
        """The report that ``to_dict`` made values of; ``methods`` are found by their keys."""
        errors = [
            MethodErrors(
                methods[found["key"]],
                np.array(found["rmse"]),
                np.array(found["mae"]),
                None if found["inside interval"] is None else np.array(found["inside interval"]),
            )
            for found in values["methods"]
        ]
        return cls(tuple(errors), values["level"], values["cells per repeat"], values["observed"], values["relative"])

    def verdict(self) -> str:
        """A few sentences: which method to use here, or that none predicts better than an average."""
        best, use, means = self.errors[0], self.recommended, self.reference
        if not self.winners and means is not None:
            rest = [errors for errors in self.errors if not errors.method.reference]
            if not rest or rest[0].rmse.mean() >= means.rmse.mean():
                others = f", and the best of all others has {_typical(rest[0])}." if rest else "."
                text = f"{NOTHING_BETTER}: do not use the estimates. The typical error of {_name(means)} is "
                return f"{text}{_typical(means)}{others}"
            return (
                f"{NOTHING_BETTER} beyond chance: do not rely on the estimates. The typical error of {_name(means)} is "
                f"{_typical(means)}; the {_typical(rest[0])} of {_name(rest[0])} may be luck."
            )
        text = f"Use {_name(use)} here: its typical error is {_typical(use)}"
        if means is not None:
            gain = 1 - use.rmse.mean() / means.rmse.mean()
            text += f", {percent(gain)} less than the {_typical(means)} of {_name(means)}, more than chance explains"
        text += "."
        if use is not best:
            return (
                f"{text} That is as good as the {_typical(best)} of {_name(best)} within chance, and it comes with "
                "intervals."
            )
        alike = [errors for errors in self.winners if errors is not use and not self.surely_smaller(use, errors)]
        if alike:
            names = listed([_name(errors) for errors in alike[:3]])
            text += f" {names[:1].upper()}{names[1:]} {'does' if len(alike) == 1 else 'do'} as well, within chance."
        return text


def _name(errors: MethodErrors) -> str:
    """The method inside a sentence: 'the row means'."""
    label = errors.method.label
    return f"the {label.lower()}" if errors.method.reference else label


def _typical(errors: MethodErrors) -> str:
    """The mean RMSE in three significant digits, so that near errors differ."""
    return f"{errors.rmse.mean():.3g}"
