"""Sentences on what a fitted imputer did to suit the table: units by column or row, tuning, and a second member."""

from __future__ import annotations

import math

from metamf.imputer.blend import BlendReport
from metamf.imputer.estimator import MetaMFImputer
from metamf.learning.tuning import TuningReport
from metamf.ratings.units import By
from metamf.wording import counted, percent


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
    if imputer.blend_ is not None:
        sentences.append(_member_sentence(imputer.blend_))
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


def _member_sentence(report: BlendReport) -> str:
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
