"""How good estimates are on one's own matrix: errors of all methods on observed ratings that are hidden from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
import scipy.stats

from metamf.filling.methods import Method
from metamf.filling.outside import within_scale
from metamf.ratings.matrix import Ratings
from metamf.ratings.sided_units import By, SidedUnits
from metamf.wording import listed

FEWEST = 10  # observed ratings from which some can be hidden; chosen by hand: a tenth of them is one
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
        How many ratings were hidden in each repeat.
    observed : int
        How many ratings are observed in all.
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
        """How many times ratings were hidden, R."""
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
            text += f", {100 * gain:.0f} % less than the {_typical(means)} of {_name(means)}, more than chance explains"
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


class HoldoutStep(NamedTuple):
    """How far a report is; one step before each fit, and a last one with the report.

    Attributes
    ----------
    done, total : int
        Fits that are done, and fits in all.
    label : str
        The method that is fitted next; '' in the last step.
    report : HoldoutReport or None
        On the methods that are finished; None where none has been finished since the step before.
    """

    done: int
    total: int
    label: str = ""
    report: HoldoutReport | None = None


def holdout_report(
    ratings: Ratings,
    methods: Sequence[Method],
    level: float,
    repeats: int = 5,
    share: float = 0.1,
    *,
    rng: np.random.Generator,
    relative: bool = False,
) -> HoldoutReport:
    """The report of ``holdout_steps``, which has the same parameters and errors."""
    *_, last = holdout_steps(ratings, methods, level, repeats, share, rng=rng, relative=relative)
    return cast(HoldoutReport, last.report)  # the last step has it


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
        How many times ratings are hidden.
    share : float
        Which share of the observed ratings is hidden each time.
    rng : numpy.random.Generator
        Chooses them.
    relative : bool
        Whether errors are measured in units of the spread of the given ratings of each column: for columns that have
        units of their own.

    Yields
    ------
    HoldoutStep

    Raises
    ------
    ValueError
        If fewer than ``FEWEST`` ratings are observed, one lies outside the scale, there is no method or no repeat, or
        the share leaves no rating to hide or none to estimate from.
    """
    if ratings.nnz < FEWEST:
        raise ValueError(f"{ratings.nnz} observed cells are too few to hold some out: it takes {FEWEST} at least")
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
        rmse, mae, covered = np.full((3, repeats), np.nan)
        for r, (given, rows, cols, truth, unit) in enumerate(divisions):
            yield HoldoutStep(len(finished) * repeats + r, total, method.label, report)
            report = None
            mean, half_width = method.predict(given, rows, cols, level if method.gives_intervals else None)[:2]
            error = (_clipped(mean, ratings) - truth) / unit
            rmse[r], mae[r] = np.sqrt(np.mean(error**2)), np.abs(error).mean()
            if half_width is not None:
                lower, upper = (_clipped(end, ratings) for end in (mean - half_width, mean + half_width))
                covered[r] = np.mean((lower <= truth) & (truth <= upper))
        finished.append(MethodErrors(method, rmse, mae, covered if method.gives_intervals else None))
        ranked = tuple(sorted(finished, key=lambda errors: errors.rmse.mean()))
        report = HoldoutReport(ranked, level, n_hidden, ratings.nnz, relative)
    yield HoldoutStep(total, total, report=report)


def _hidden_in_turn(nnz: int, n_hidden: int, repeats: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """For each repeat the positions (n_hidden,) of the entries to hide: consecutive parts of a random order, and a new
    order when too few are left."""
    per_order = nnz // n_hidden
    for r in range(repeats):
        if r % per_order == 0:
            order = rng.permutation(nnz)
        first = r % per_order * n_hidden
        yield np.sort(order[first : first + n_hidden])


def _clipped(values: np.ndarray, ratings: Ratings) -> np.ndarray:
    return values if ratings.scale is None else ratings.scale.clip(values)


def _name(errors: MethodErrors, capital: bool = False) -> str:
    """The method in a sentence: 'the row means'; with a ``capital`` letter at its beginning."""
    label = errors.method.label
    if errors.method.reference:
        label = f"the {label.lower()}"
    return label[:1].upper() + label[1:] if capital else label


def _typical(errors: MethodErrors) -> str:
    """The mean RMSE in three significant digits, so that near errors differ."""
    return f"{errors.rmse.mean():.3g}"
