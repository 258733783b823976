"""Sentences on units, tuning and members beside the network."""

from types import SimpleNamespace

import pytest

from metamf.evaluate.domain_shift import adapted_sentences
from metamf.imputer.ensemble import EnsembleReport
from metamf.learning.tuning import TuningReport
from metamf.ratings.units import By, OwnUnits, SidedUnits


def imputer(rule=None, report=None, blend=None):
    of_network = {"unit_rule_": rule or OwnUnits(), "tuning_": report, "ratings_": SimpleNamespace(nnz=12)}
    return SimpleNamespace(**of_network, ensemble_=blend, members=None)


def report(kept=30, error=0.8, gain=0.36, spread=0.05, checked=40):
    return TuningReport(40, kept, 1.0, error, gain, spread, checked, 1.0)


@pytest.mark.parametrize(
    "made, sentences",
    [
        (imputer(), []),
        (
            imputer(SidedUnits(By.COLUMN)),
            ["The columns are measured in different units: each is estimated in its own."],
        ),
        (imputer(SidedUnits(By.ROW)), ["The rows are measured in different units: each is estimated in its own."]),
        (
            imputer(report=report()),
            [
                "The network was tuned to this table in 30 steps: on the 40 observed cells that were hidden from "
                "tuning its typical error is 20\N{NO-BREAK SPACE}% smaller."
            ],
        ),
        (
            imputer(report=report(gain=0.05)),
            [
                "The network was tuned to this table in 30 steps: on the 40 observed cells that were hidden from "
                "tuning its typical error is 20\N{NO-BREAK SPACE}% smaller; that may be chance."
            ],
        ),
        (
            imputer(report=report(kept=0)),
            ["Tuning did not help on the 40 observed cells that were hidden from it, so the network is used as it is."],
        ),
        (imputer(report=report(checked=0)), ["12 observed cells are too few to tune to."]),
        (
            imputer(blend=EnsembleReport(0.25, 40, 0.9, 0.85, 0.8)),
            [
                "A normal distribution over the columns stands beside the network and weighs 25\N{NO-BREAK SPACE}%: on "
                "40 observed cells that were hidden from both, the typical error is 0.90 of a column's spread by the "
                "network alone, 0.85 by the distribution alone and 0.80 by both."
            ],
        ),
        (
            imputer(blend=EnsembleReport(0.25, 40, 0.9, 0.85, 0.8, trees_weight=0.5, trees_error=0.82)),
            [
                "A normal distribution over the columns and trees on what it leaves over stand beside the network and "
                "weigh 25\N{NO-BREAK SPACE}% and 50\N{NO-BREAK SPACE}%: on 40 observed cells that were hidden from "
                "all, the typical error is 0.90 of a column's spread by the network alone, 0.85 by the distribution "
                "alone, 0.82 with its trees and 0.80 by all."
            ],
        ),
    ],
)
def test_each_case_has_its_sentence(made, sentences):
    assert adapted_sentences(made) == sentences
