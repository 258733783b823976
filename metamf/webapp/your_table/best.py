"""The method that fills in the visitor's table where the visitor has not chosen one: the check recommends it."""

from __future__ import annotations

from metamf.evaluate.holdout import HoldoutReport
from metamf.evaluate.methods import Method, contender
from metamf.webapp.your_table import tuning
from metamf.webapp.your_table.keys import AUTO, TUNED, ErrorsKey
from metamf.webapp.your_table.state import recall

AT_FIRST = "universal"  # before anything is known


def used(choice: str, key: ErrorsKey, hide_some: bool = False) -> tuple[str, Method]:
    """The key of the method that a choice means, and the method.

    What does best here (``AUTO``) is Universal as long as nothing is known, then what the verdict recommends, which may
    be the network tuned to the table. Where some ratings are to be hidden from the method, that is the same network as
    it was before: the tuned one has seen them.
    """
    report: HoldoutReport | None = recall("holdout", key)
    if choice == AUTO:
        choice = AT_FIRST if report is None else recommended(report)
    how = tuning.tuned(key)
    if how is not None and choice in (TUNED, how.name):
        if not hide_some:
            return TUNED, how
        choice = how.name_untuned
    if choice == TUNED:  # there is none any more
        choice = AT_FIRST
    return choice, contender(choice, own_units=report is not None and report.relative)


def recommended(report: HoldoutReport) -> str:
    """The name of the method that a report recommends."""
    return report.recommended.method.name
