"""How well a checkpoint suits a table, in words: differences from what it was trained on, and how
it was adapted."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np

from metamf.answer.adaptation import Adaptation
from metamf.answer.guard import unknown_sentence, worse_sentence
from metamf.answer.significance import beyond_chance
from metamf.checkpoints.info import CheckpointInfo
from metamf.learning.tuning import TuningOutcome
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import By
from metamf.wording import counted, percent, percent_of_any_size

# How far beyond the trained range counts as outside.
_SIZE_FACTOR = 1.6
_DENSITY_FACTOR = 2
_FAR = (
    6  # standard deviations from the mean of the ratings; stars and grades stay within about three
)
_FEW_VALUES = 3  # different ratings; the data sets of the bundled checkpoints have five or more


def domain_shift(ratings: Ratings, info: CheckpointInfo) -> list[str]:
    """Clauses on how a matrix differs from what a checkpoint was trained on: 'it has 3 rows (10 to
    1,000 in training)'.

    A checkpoint whose header does not say on which sizes and densities it was trained differs in
    neither.
    """
    clauses = []
    if (domain := info.learned_from) is not None:
        for size, (low, high), noun in zip(
            ratings.shape, (domain.rows, domain.cols), ("row", "column")
        ):
            if not low / _SIZE_FACTOR <= size <= high * _SIZE_FACTOR:
                sizes = f"{low:,} to {high:,}" if low < high else f"{low:,}"
                clauses.append(f"it has {counted(size, noun)} ({sizes} in training)")
        least, most = domain.density
        if not least / _DENSITY_FACTOR <= ratings.density <= most * _DENSITY_FACTOR:
            shares = [percent_of_any_size(share) for share in (least, most)]
            trained = " to ".join(shares) if least < most else f"about {shares[0]}"
            clauses.append(
                f"{percent_of_any_size(ratings.density)} of its cells are given ({trained} in "
                "training)"
            )
    values = ratings.values
    if info.scale is not None:
        lowest = values.min()
        highest = values.max()
        if ratings.scale is not None:
            lowest = ratings.scale.minimum
            highest = ratings.scale.maximum
        if lowest < info.scale.minimum or highest > info.scale.maximum:
            trained = f"{info.scale.minimum:g} to {info.scale.maximum:g}"
            clauses.append(
                f"its ratings run from {lowest:g} to {highest:g} ({trained} in training)"
            )
    distinct = len(np.unique(values))
    spread = values.std()
    if distinct < _FEW_VALUES:
        clauses.append(
            f"it has only {counted(distinct, 'different value')} (ratings usually have five or "
            "more)"
        )
    elif spread > 0 and (far := np.abs(values - values.mean()).max() / spread) > _FAR:
        clauses.append(
            f"some numbers are {far:.0f} standard deviations from the mean, which is unusual for "
            "ratings"
        )
    return clauses


def guard_sentences(worse: Mapping[Hashable, float]) -> dict[Hashable, str]:
    """A sentence on each column that the guard drew to its mean, by its name or, without names, its
    position; ``worse`` has the ratios of its errors."""
    return {name: f"{worse_sentence({_called(name): ratio})}." for name, ratio in worse.items()}


def _called(name: Hashable) -> Hashable:
    return f"column {name + 1}" if isinstance(name, int) else name


def adapted_sentences(fitted: Adaptation) -> list[str]:
    """Sentences on what was done to suit the table: units of columns or rows, tuning, and the model
    of the columns next to the network."""
    sentences = []
    by = fitted.unit_rule.by
    if by is not None:
        what = "columns" if by is By.COLUMN else "rows"
        sentences.append(
            f"The {what} are measured in different units, so each is estimated in its own."
        )
    if fitted.worse:
        worse = {_called(name): ratio for name, ratio in fitted.guarded.items()}
        sentences.append(f"{worse_sentence(worse)}.")
    if fitted.unknown is not None:
        sentence = unknown_sentence(fitted.ratings, fitted.unknown)
        sentences.append(f"{sentence[0].upper()}{sentence[1:]}.")
    if fitted.tuning_outcome is not None:
        sentences.append(_of_tuning(fitted.tuning_outcome, fitted.ratings.nnz))
    if fitted.mixture is not None:
        blend = fitted.mixture.weighing
        table = "a network trained on made-up tables"
        if not fitted.reads_table:
            table = "a linear model of the columns"
        sentence = f"Universal is combined with {table} (weight {percent(blend.weights['table'])})."
        if blend.hidden:
            sentence += (
                f" On {counted(blend.hidden, 'observed cell')} that were hidden from both, the "
                f"typical error, in units of a column's spread, is {blend.errors['network']:.2f} "
                f"and {blend.errors['table']:.2f}, combined {blend.error:.2f}."
            )
        sentences.append(sentence)
    return sentences


def _of_tuning(tuning: TuningOutcome, nnz: int) -> str:
    hidden = counted(tuning.checked, "observed cell")
    if not tuning.checked:
        return f"{counted(nnz, 'observed cell')} are too few to tune to."
    if not tuning.kept:
        return (
            f"Tuning did not help on {hidden} that were hidden from it, so the network is "
            "unchanged."
        )
    chance = "" if beyond_chance(tuning.gain, tuning.spread) else ", which may be chance"
    return (
        f"The network was tuned to this table in {counted(tuning.kept, 'step')}. On {hidden} that "
        "were hidden from tuning, its typical error is "
        f"{percent(1 - tuning.error / tuning.first_error)} smaller{chance}."
    )
