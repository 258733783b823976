"""The method that fills in the visitor's table where the visitor has not chosen one: the check recommends it."""

from __future__ import annotations

from metamf.filling.methods import Method, method
from metamf.filling.rivals import RIVALS, rival
from metamf.filling.verdict import HoldoutReport
from metamf.webapp.your_table import tuning
from metamf.webapp.your_table.keys import AUTO, TUNED, ErrorsKey
from metamf.webapp.your_table.state import recall

AT_FIRST = "universal"  # before anything is known


def used(choice: str, key: ErrorsKey) -> tuple[str, Method]:
    """The key of the method that a choice means, and the method.

    What does best here (``AUTO``) is Universal as long as nothing is known, then what the verdict recommends; where
    that is Universal, and tuning it to the table surely helps, the tuned network.
    """
    report: HoldoutReport | None = recall("holdout", key)
    if choice == AUTO:
        choice = AT_FIRST if report is None else recommended(report)
        if choice == AT_FIRST and (found := tuning.tuned(key)) is not None and found[1]:
            choice = TUNED
    if choice == TUNED:
        found = tuning.tuned(key)
        return (TUNED, found[0]) if found is not None else (AT_FIRST, method(AT_FIRST))
    if choice in RIVALS:
        return choice, rival(choice, own_units=report is not None and report.relative)
    return choice, method(choice)


def recommended(report: HoldoutReport) -> str:
    """The key of the method that a report recommends."""
    return report.recommended.method.key
