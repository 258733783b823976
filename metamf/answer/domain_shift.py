"""How well a checkpoint suits a table, in words: differences from what it was trained on, and how it was adapted."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from metamf.answer.significance import beyond_chance
from metamf.checkpoints.info import CheckpointInfo
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import By
from metamf.wording import counted, listed, percent, percent_of_any_size

if TYPE_CHECKING:
    from metamf.answer.answer import FittedImputer

# How far beyond the trained range counts as outside.
_SIZE_FACTOR = 1.6
_DENSITY_FACTOR = 2
_FAR = 6  # standard deviations from the mean of the ratings; stars and grades stay within about three
_MOST_NAMED = 5  # columns in a sentence, the worst ones
_MEMBERS = {
    "network": "the network",
    "normal": "a linear model of the columns",
    "ridge": "a regression for each column",
    "trees": "trees on what the linear model misses",
    "attention": "a network trained on made-up tables",
}
_FEW_VALUES = 3  # different ratings; the data sets of the bundled checkpoints have five or more


def domain_shift(ratings: Ratings, info: CheckpointInfo) -> list[str]:
    """Clauses on how a matrix differs from what a checkpoint was trained on: 'it has 3 rows (10 to 1,000 in training)'.

    A checkpoint whose header does not say on which sizes and densities it was trained differs in neither.
    """
    clauses = []
    if (domain := info.learned_from) is not None:
        for size, (low, high), noun in zip(ratings.shape, (domain.rows, domain.cols), ("row", "column")):
            if not low / _SIZE_FACTOR <= size <= high * _SIZE_FACTOR:
                sizes = f"{low:,} to {high:,}" if low < high else f"{low:,}"
                clauses.append(f"it has {counted(size, noun)} ({sizes} in training)")
        least, most = domain.density
        if not least / _DENSITY_FACTOR <= ratings.density <= most * _DENSITY_FACTOR:
            shares = [percent_of_any_size(share) for share in (least, most)]
            trained = " to ".join(shares) if least < most else f"about {shares[0]}"
            clauses.append(f"{percent_of_any_size(ratings.density)} of its cells are given ({trained} in training)")
    values = ratings.values
    if info.scale is not None:
        lowest = values.min()
        highest = values.max()
        if ratings.scale is not None:
            lowest = ratings.scale.minimum
            highest = ratings.scale.maximum
        if lowest < info.scale.minimum or highest > info.scale.maximum:
            trained = f"{info.scale.minimum:g} to {info.scale.maximum:g}"
            clauses.append(f"its ratings run from {lowest:g} to {highest:g} ({trained} in training)")
    distinct = len(np.unique(values))
    spread = values.std()
    if distinct < _FEW_VALUES:
        clauses.append(f"it has only {counted(distinct, 'different value')} (ratings usually have five or more)")
    elif spread > 0 and (far := np.abs(values - values.mean()).max() / spread) > _FAR:
        clauses.append(f"some numbers are {far:.0f} standard deviations from the mean, which is unusual for ratings")
    return clauses


def worse_sentence(worse: Mapping[Hashable, float], mean_used: bool = True) -> str:
    """'income (1.4 x), age (1.3 x) and 12 more: the estimates were worse than their means on hidden entries, so the
    means were used', the worst columns first.

    ``worse`` has by name the ratio of the errors of the estimates and of the mean, of one column at least.
    """
    names = sorted(worse, key=lambda name: -worse[name])
    shown = [f"{name} ({worse[name]:.2g} x)" for name in names[:_MOST_NAMED]]
    if len(names) > _MOST_NAMED:
        shown.append(f"{len(names) - _MOST_NAMED:,} more")
    sentence = f"{listed(shown)}: the estimates were worse than their means on hidden entries"
    fate = "so the means were used"
    if len(names) == 1:
        sentence = f"{names[0]}: the estimates were worse than its mean on hidden entries ({worse[names[0]]:.2g} x)"
        fate = "so the mean was used"
    return f"{sentence}, {fate if mean_used else 'but stay, since the matrix has one scale'}"


def guard_sentences(imputer: FittedImputer) -> dict[str | int, str]:
    """A sentence on each column that the guard drew to its mean, by its name or, without names, its position."""
    return {name: f"{worse_sentence({_called(name): ratio})}." for name, ratio in imputer.guarded_.items()}


def _called(name: Hashable) -> Hashable:
    return f"column {name + 1}" if isinstance(name, int) else name


def adapted_sentences(imputer: FittedImputer) -> list[str]:
    """Sentences on what a fitted imputer did to suit the table: units of columns or rows, tuning, and members next to
    the network, as far as they were asked for."""
    sentences = []
    by = imputer.unit_rule_.by
    if by is not None:
        what = "columns" if by is By.COLUMN else "rows"
        sentences.append(f"The {what} are measured in different units, so each is estimated in its own.")
    if imputer.guarded_:
        sentences.append(f"{worse_sentence({_called(name): ratio for name, ratio in imputer.guarded_.items()})}.")
    if (tuning := imputer.tuning_) is not None:
        hidden = counted(tuning.checked, "observed cell")
        if not tuning.checked:
            sentences.append(f"{counted(imputer.ratings_.nnz, 'observed cell')} are too few to tune to.")
        elif not tuning.kept:
            sentences.append(f"Tuning did not help on {hidden} that were hidden from it, so the network is unchanged.")
        else:
            chance = "" if beyond_chance(tuning.gain, tuning.spread) else ", which may be chance"
            sentences.append(
                f"The network was tuned to this table in {counted(tuning.kept, 'step')}. On {hidden} that were hidden "
                f"from tuning, its typical error is {percent(1 - tuning.error / tuning.first_error)} smaller{chance}."
            )
    if (blend := imputer.ensemble_) is not None:
        beside = [f"{_MEMBERS[name]} (weight {percent(weight)})" for name, weight in blend.weights.items()]
        sentence = f"The network is combined with {listed(beside[1:])}."
        if blend.hidden:
            errors = [f"{error:.2f} for {_MEMBERS[name]}" for name, error in blend.errors.items()]
            sentence += (
                f" On {counted(blend.hidden, 'observed cell')} that were hidden from them, the typical error, in units "
                f"of a column's spread, is {', '.join(errors)} and {blend.error:.2f} combined."
            )
        sentences.append(sentence)
    elif imputer.members not in (None, "auto"):
        sentences.append("The table is too large, or has too few columns, for a linear model of the columns.")
    return sentences
