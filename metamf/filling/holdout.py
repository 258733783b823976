"""How good estimates are on one's own matrix: errors of all methods on observed cells that are hidden from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.stats

from metamf.filling.methods import Method
from metamf.ratings.matrix import Ratings

FEWEST = 10  # observed cells from which some can be held out
_SIGNIFICANCE = 0.05


@dataclass(frozen=True, eq=False)
class MethodErrors:
    """Of one method, per repeat (R,), in rating units; ``covered`` is the share of cells inside their interval."""

    method: Method
    rmse: np.ndarray
    mae: np.ndarray
    covered: np.ndarray | None


@dataclass(frozen=True, eq=False)
class HoldoutReport:
    """``errors`` with the smallest mean RMSE first; ``held_out`` of ``observed`` cells were hidden in each repeat."""

    errors: tuple[MethodErrors, ...]
    level: float
    held_out: int
    observed: int

    @property
    def repeats(self) -> int:
        return len(self.errors[0].rmse)

    def surely_smaller(self, one: MethodErrors, other: MethodErrors) -> bool:
        """Whether the RMSE of ``one`` is smaller by more than chance explains.

        One-sided paired t-test over repeats, with the variance of Nadeau and Bengio (2003), 1 / R + test / training
        cells, since repeats share their training cells; divided among the methods compared (Bonferroni).
        """
        gain = other.rmse - one.rmse
        R = len(gain)
        if R < 2 or gain.mean() <= 0:
            return False
        spread = gain.std(ddof=1) * np.sqrt(1 / R + self.held_out / (self.observed - self.held_out))
        limit = scipy.stats.t.ppf(1 - _SIGNIFICANCE / max(1, len(self.errors) - 1), R - 1)
        return bool(gain.mean() > limit * spread)

    @property
    def reference(self) -> MethodErrors | None:
        """The better of the row and the column means."""
        return next((found for found in self.errors if found.method.reference), None)

    @property
    def recommended(self) -> MethodErrors:
        """The method with the smallest error; one that gives intervals, where that is a twentieth larger at most, and
        chance explains it."""
        best = self.errors[0]
        near = (e for e in self.errors if e.rmse.mean() <= 1.05 * best.rmse.mean() and e.method.gives_intervals)
        equals = (e for e in near if not self.surely_smaller(best, e))
        return next(equals, best)

    def to_dict(self) -> dict[str, Any]:
        """All figures as JSON values; errors per repeat, in rating units."""
        values = {
            "verdict": self.verdict(),
            "recommended": self.recommended.method.key,
            "level": self.level,
            "repeats": self.repeats,
            "cells per repeat": self.held_out,
            "observed": self.observed,
        }
        values["methods"] = [
            {
                "key": e.method.key,
                "label": e.method.label,
                "rmse": e.rmse.tolist(),
                "mae": e.mae.tolist(),
                "inside interval": None if e.covered is None else e.covered.tolist(),
            }
            for e in self.errors
        ]
        return values

    def verdict(self) -> str:
        """In plain words: which method to use here, and whether any beats the row and the column means."""
        best, use, means = self.errors[0], self.recommended, self.reference
        text = f"Use {_name(use)} here: its typical error (RMSE) on held-out cells is {_number(use.rmse.mean())}"
        if use is not best:
            text += (
                f", which is as good as the {_number(best.rmse.mean())} of {_name(best)} within chance, and it comes "
                "with intervals"
            )
        text += "."
        if means is None:
            return text
        level = f"{_number(means.rmse.mean())} of {_name(means)}"
        winners = [e for e in self.errors if not e.method.reference and self.surely_smaller(e, means)]
        if use in winners:
            gain = 1 - use.rmse.mean() / means.rmse.mean()
            return f"{text} That beats the {level} by {100 * gain:.0f} %, more than chance explains."
        if winners:
            return f"{text} {_name(winners[0], True)} beats the {level} by more than chance explains."
        if use is means:
            return f"{text} No method does better: the others are not worth their effort on this table."
        return f"{text} No method surely beats the {level}: the difference may be chance."


class HoldoutStep(NamedTuple):
    """Before each fit, ``done`` of ``total``, that of the method ``label``; the last step has the report."""

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
) -> HoldoutReport:
    """The last of ``holdout_steps``."""
    *_, last = holdout_steps(ratings, methods, level, repeats, share, rng=rng)
    return last.report


def holdout_steps(
    ratings: Ratings,
    methods: Sequence[Method],
    level: float,
    repeats: int = 5,
    share: float = 0.1,
    *,
    rng: np.random.Generator,
) -> Iterator[HoldoutStep]:
    """Hides a ``share`` of the observed cells ``repeats`` times; all methods predict the same ones from the others.

    Estimates and intervals are clipped to ``ratings.scale`` where it is known, and not rounded. Cells
    take turns: as far as their number allows, none is held out a second time before all others were once.

    Raises
    ------
    ValueError
        for fewer than FEWEST observed cells, no method, or a share that leaves nothing on either side.
    """
    if ratings.nnz < FEWEST:
        raise ValueError(f"{ratings.nnz} observed cells are too few to hold some out: it takes {FEWEST} at least")
    count = max(1, round(share * ratings.nnz))
    if not methods or repeats < 1 or not 0 < share < 1 or count >= ratings.nnz:
        raise ValueError(
            f"give methods, repeats >= 1 and 0 < share < 1; got {len(methods)} methods, {repeats} and {share}"
        )
    limit = (lambda values: values) if ratings.scale is None else ratings.scale.clip
    found = np.full((len(methods), 3, repeats), np.nan)
    for r, hidden in enumerate(_held_out(ratings.nnz, count, repeats, rng)):
        given = ratings.select(np.delete(np.arange(ratings.nnz), hidden))
        rows, cols, truth = ratings.rows[hidden], ratings.cols[hidden], ratings.values[hidden]
        for k, method in enumerate(methods):
            yield HoldoutStep(r * len(methods) + k, repeats * len(methods), method.label)
            mean, half = method.predict(given, rows, cols, level if method.gives_intervals else None)
            error = limit(mean) - truth
            found[k, :2, r] = np.sqrt(np.mean(error**2)), np.abs(error).mean()
            if half is not None:
                found[k, 2, r] = np.mean((limit(mean - half) <= truth) & (truth <= limit(mean + half)))
    errors = [
        MethodErrors(method, rmse, mae, covered if method.gives_intervals else None)
        for method, (rmse, mae, covered) in zip(methods, found)
    ]
    report = HoldoutReport(tuple(sorted(errors, key=lambda e: e.rmse.mean())), level, count, ratings.nnz)
    yield HoldoutStep(repeats * len(methods), repeats * len(methods), report=report)


def _held_out(nnz: int, count: int, repeats: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    per_round = nnz // count
    for r in range(repeats):
        if r % per_round == 0:
            order = rng.permutation(nnz)
        at = r % per_round * count
        yield np.sort(order[at : at + count])


def _name(errors: MethodErrors, first: bool = False) -> str:
    label = errors.method.label
    if errors.method.reference:
        label = f"the {label.lower()}"
    return label[:1].upper() + label[1:] if first else label


def _number(value: float) -> str:
    return f"{value:.3g}"
