"""Departures of a table from what a checkpoint has learned from, in words.

Sentences on what a fitted imputer did to suit the table: units by column or row, tuning, and a second member.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from metamf.checkpoints.info import CheckpointInfo, TrainingDomain
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import By
from metamf.wording import counted, percent, percent_of_any_size

if TYPE_CHECKING:
    from metamf.imputer.ensemble import EnsembleReport
    from metamf.imputer.estimator import MetaMFImputer
    from metamf.learning.tuning import TuningReport

# How far beyond the trained range counts as outside; all chosen by hand.
_SIZE_FACTOR = 1.6
_DENSITY_FACTOR = 2
_FAR = 6  # standard deviations from the mean of the ratings: stars and grades stay within about three
_FEW_VALUES = 3  # different ratings; the data sets of the bundled checkpoints have five or more


def domain_shift(ratings: Ratings, info: CheckpointInfo) -> list[str]:
    """The ways in which a matrix lies outside what a checkpoint has learned from, as its header describes that.

    Parameters
    ----------
    ratings : Ratings
        The matrix, in rating units.
    info : CheckpointInfo
        The checkpoint's own account of itself. If it does not say which sizes and densities it has learned from,
        none of these is outside.

    Returns
    -------
    list of str
        A clause for each way, such as 'it has 3 rows, and training had 10 to 1,000'.
    """
    domain = info.learned_from
    return ([] if domain is None else _shape_departures(ratings, domain)) + _value_departures(ratings, info)


def _shape_departures(ratings: Ratings, domain: TrainingDomain) -> list[str]:
    clauses = []
    for size, (low, high), noun in zip(ratings.shape, (domain.rows, domain.cols), ("row", "column")):
        if not low / _SIZE_FACTOR <= size <= high * _SIZE_FACTOR:
            sizes = f"{low:,} to {high:,}" if low < high else f"{low:,}"
            clauses.append(f"it has {counted(size, noun)}, and training had {sizes}")
    low, high = domain.density
    if not low / _DENSITY_FACTOR <= ratings.density <= high * _DENSITY_FACTOR:
        shares = [percent_of_any_size(share) for share in (low, high)]
        learned = " to ".join(shares) if low < high else f"about {shares[0]}"
        clauses.append(f"{percent_of_any_size(ratings.density)} of its cells are observed, and training had {learned}")
    return clauses


def _value_departures(ratings: Ratings, info: CheckpointInfo) -> list[str]:
    values, clauses = ratings.values, []
    if info.scale is not None:
        scale = ratings.scale
        low, high = (values.min(), values.max()) if scale is None else (scale.minimum, scale.maximum)
        if low < info.scale.minimum or high > info.scale.maximum:
            clauses.append(
                f"its ratings run from {low:g} to {high:g}, and training had {info.scale.minimum:g} to "
                f"{info.scale.maximum:g}: they are brought to a common unit"
            )
    distinct, spread = len(np.unique(values)), values.std()
    if distinct < _FEW_VALUES:
        held = "one value" if distinct == 1 else "two different values"
        clauses.append(f"it holds {held} only, and ratings usually have five or more")
    elif spread > 0 and (far := np.abs(values - values.mean()).max() / spread) > _FAR:
        clauses.append(f"some numbers lie {far:.0f} standard deviations from the mean: these are unusual ratings")
    return clauses


def adapted_sentences(imputer: MetaMFImputer) -> list[str]:
    """One sentence on the units, if columns or rows have their own, one on tuning and one on a second member, if they
    were asked for.

    Parameters
    ----------
    imputer : MetaMFImputer
        The fitted imputer.
    """
    sentences = []
    by = imputer.unit_rule_.by
    if by is not None:
        what = "columns" if by is By.COLUMN else "rows"
        sentences.append(f"The {what} are measured in different units: each is estimated in its own.")
    if imputer.tuning_ is not None:
        sentences.append(_tuning_sentence(imputer.tuning_, imputer.ratings_.nnz))
    if imputer.ensemble_ is not None:
        sentences.append(_member_sentence(imputer.ensemble_))
    elif imputer.members is not None:
        sentences.append("The table is too large, or has too few columns, for a normal distribution over its columns.")
    return sentences


def _tuning_sentence(report: TuningReport, observed: int) -> str:
    if not report.checked:
        return f"{counted(observed, 'observed cell')} are too few to tune to."
    hidden = counted(report.checked, "observed cell")
    if not report.kept:
        return f"Tuning did not help on the {hidden} that were hidden from it, so the network is used as it is."
    gain = percent(1 - report.error / report.first_error)
    chance = "" if report.gain > 2 * report.spread else "; that may be chance"
    return (
        f"The network was tuned to this table in {counted(report.kept, 'step')}: on the {hidden} that were hidden from "
        f"tuning its typical error is {gain} smaller{chance}."
    )


def _member_sentence(report: EnsembleReport) -> str:
    trees = report.trees_weight > 0 or not math.isnan(report.trees_error)
    if trees:
        weight = (
            "A normal distribution over the columns and trees on what it leaves over stand beside the network and "
            f"weigh {percent(report.weight)} and {percent(report.trees_weight)}"
        )
    else:
        weight = f"A normal distribution over the columns stands beside the network and weighs {percent(report.weight)}"
    if not report.hidden:
        return f"{weight}: the observed cells are too few to say more."
    by_trees = f", {report.trees_error:.2f} with its trees" if trees else ""
    return (
        f"{weight}: on {counted(report.hidden, 'observed cell')} that were hidden from {'all' if trees else 'both'}, "
        f"the typical error is {report.network_error:.2f} of a column's spread by the network alone, "
        f"{report.normal_error:.2f} by the distribution alone{by_trees} and {report.error:.2f} by "
        f"{'all' if trees else 'both'}."
    )
