"""How well a checkpoint suits a table, in words."""

from types import SimpleNamespace

import numpy as np
import pytest
from small_checkpoints import made_up

from metamf.answer.answer import Weighing
from metamf.answer.domain_shift import adapted_sentences, domain_shift
from metamf.checkpoints.bundled import describe
from metamf.checkpoints.info import CheckpointInfo
from metamf.learning.tuning import TuningOutcome
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import By, OwnUnits, SidedUnits

UNIVERSAL, PAPER = describe("universal"), describe("ml-1m")


def test_a_usual_matrix_does_not_differ_nor_one_about_whose_training_nothing_is_known():
    assert domain_shift(made_up(100, 60, 0.3), UNIVERSAL) == []
    assert domain_shift(made_up(30, 30, 0.03), PAPER) == []
    assert domain_shift(made_up(3, 5000, 0.3), CheckpointInfo("own", "ml-1m", None, None, 0)) == []


def block(values):
    """Values in the first cells of 30 rows and columns."""
    cells = np.arange(len(values))
    return Ratings(cells // 30, cells % 30, np.array(values, float), (30, 30))


DIAGONAL = Ratings(np.arange(50), np.arange(50), np.arange(50) % 5 + 1.0, (1000, 1000))
OUTSIDE = [
    (made_up(3, 5000, 0.3), UNIVERSAL, "it has 3 rows (10 to 1,000 in training)"),
    (made_up(3, 5000, 0.3), UNIVERSAL, "it has 5,000 columns (10 to 1,700 in training)"),
    (DIAGONAL, UNIVERSAL, "0.005% of its cells are given (0.42% to 64% in training)"),
    (made_up(100, 30, 0.3), PAPER, "it has 100 rows (30 in training)"),
    (block(np.linspace(0, 100, 30)), PAPER, "its ratings run from 0 to 100 (1 to 5 in training)"),
    (block(np.arange(400) % 2), UNIVERSAL, "only 2 different values"),
    (block(np.r_[np.arange(399) % 5, 1e6]), UNIVERSAL, "standard deviations from the mean"),
]


@pytest.mark.parametrize(("ratings", "info", "said"), OUTSIDE)
def test_sizes_densities_and_values_outside_are_named(ratings, info, said):
    found = "; ".join(domain_shift(ratings, info)).replace("\N{NO-BREAK SPACE}", "")
    assert said in found


def fitted(rule=OwnUnits(), report=None, blend=None, reads=False):
    return SimpleNamespace(
        unit_rule=rule,
        tuning_outcome=report,
        ratings=SimpleNamespace(nnz=12),
        worse={},
        unknown=None,
        mixture=blend and SimpleNamespace(weighing=blend),
        reads_table=reads,
    )


def report(kept=30, error=0.8, gain=0.36, spread=0.05, checked=40):
    return TuningOutcome(40, kept, 1.0, error, gain, spread, checked, 1.0)


BLEND = Weighing({"network": 0.5, "table": 0.5}, 40, {"network": 0.9, "table": 0.82}, 0.8)
LINEAR = Weighing({"network": 0.75, "table": 0.25})
SENTENCES = [
    (dict(rule=SidedUnits(By.COLUMN)), ["The columns are measured in different units, so each"]),
    (dict(rule=SidedUnits(By.ROW)), ["The rows are measured in different units, so each"]),
    (dict(report=report()), ["in 30 steps", "On 40 observed cells", "20% smaller."]),
    (dict(report=report(gain=0.05)), ["smaller, which may be chance."]),
    (dict(report=report(kept=0)), ["Tuning did not help on 40 observed cells"]),
    (dict(report=report(checked=0)), ["12 observed cells are too few to tune to."]),
    (dict(blend=LINEAR), ["a linear model of the columns (weight 25%)."]),
    (dict(blend=BLEND, reads=True), ["trained on made-up tables", "0.90 and 0.82, combined 0.80"]),
]


@pytest.mark.parametrize(("made", "parts"), SENTENCES)
def test_each_adaptation_has_its_sentence(made, parts):
    (sentence,) = adapted_sentences(fitted(**made))
    assert all(part in sentence.replace("\N{NO-BREAK SPACE}", "") for part in parts)
    assert adapted_sentences(fitted()) == []
