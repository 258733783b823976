"""What a fitted imputer did to suit the table, in sentences: units by column or row, and tuning."""

from __future__ import annotations

from metamf.imputer.estimator import MetaMFImputer
from metamf.ratings.sided_units import By, SidedUnits
from metamf.wording import counted, percent


def adapted_sentences(imputer: MetaMFImputer) -> list[str]:
    """One sentence on the units, if columns or rows have their own, and one on tuning, if it was asked for.

    Parameters
    ----------
    imputer : MetaMFImputer
        A fitted one.
    """
    sentences = []
    rule, report = imputer.unit_rule_, imputer.tuning_
    if isinstance(rule, SidedUnits):
        what = "columns" if rule.by is By.COLUMN else "rows"
        sentences.append(f"The {what} are measured in different units: each is estimated in its own.")
    if report is None:
        return sentences
    if not report.checked:
        sentences.append(f"{counted(imputer.ratings_.nnz, 'observed cell')} are too few to tune to.")
    elif not report.kept:
        sentences.append(
            f"Tuning did not help on the {counted(report.checked, 'observed cell')} that were hidden from it, so the "
            "network is used as it is."
        )
    else:
        gain = percent(1 - report.error / report.first_error)
        chance = "" if report.gain > 2 * report.spread else "; that may be chance"
        sentences.append(
            f"The network was tuned to this table in {counted(report.kept, 'step')}: on the "
            f"{counted(report.checked, 'observed cell')} that were hidden from tuning its typical error is {gain} "
            f"smaller{chance}."
        )
    return sentences
