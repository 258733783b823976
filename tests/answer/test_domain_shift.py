"""How well a checkpoint suits a table, in words."""

from types import SimpleNamespace

import numpy as np
import pytest
from small_checkpoints import made_up

from metamf.answer.answer import Weighing
from metamf.answer.domain_shift import adapted_sentences, domain_shift
from metamf.checkpoints.bundled import describe
from metamf.checkpoints.info import CheckpointInfo, TrainingDomain
from metamf.learning.tuning import TuningOutcome
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import By, OwnUnits, SidedUnits, Standardization

STARS = RatingScale(1, 5, 1)
UNIVERSAL = CheckpointInfo(
    "universal", "a, b", None, None, 0, learned_from=TrainingDomain((10, 1000), (10, 1700), (0.0042, 0.65), (STARS,))
)
BLOCKS = TrainingDomain((30, 30), (30, 30), (0.021, 0.021), (STARS,))
PAPER = CheckpointInfo("stars", "stars", Standardization(3.6, 1.1), STARS, 0, learned_from=BLOCKS)


def test_a_usual_matrix_does_not_differ_nor_one_about_whose_training_nothing_is_known():
    assert domain_shift(made_up(100, 60, 0.3), UNIVERSAL) == domain_shift(made_up(30, 30, 0.03), PAPER) == []
    assert domain_shift(made_up(3, 5000, 0.3), CheckpointInfo("own", "ml-1m", None, None, 0)) == []


def test_sizes_densities_and_scales_outside_are_named():
    small = domain_shift(made_up(3, 5000, 0.3), UNIVERSAL)
    assert small[:2] == ["it has 3 rows (10 to 1,000 in training)", "it has 5,000 columns (10 to 1,700 in training)"]
    sparse = Ratings(np.arange(50), np.arange(50), np.arange(50) % 5 + 1.0, (1000, 1000))
    (density,) = domain_shift(sparse, UNIVERSAL)
    assert density.replace("\N{NO-BREAK SPACE}", "") == "0.005% of its cells are given (0.42% to 65% in training)"
    rows, cols = np.nonzero(np.ones((30, 30)))
    hundred = Ratings(rows[:30], cols[:30], np.linspace(0, 100, 30), (30, 30))
    assert "its ratings run from 0 to 100 (1 to 5 in training)" in domain_shift(hundred, PAPER)
    thumbs = Ratings(rows[:400], cols[:400], np.arange(400) % 2.0, (30, 30))
    assert any("only 2 different values" in found for found in domain_shift(thumbs, UNIVERSAL))
    wild = Ratings(rows[:400], cols[:400], np.r_[np.arange(399) % 5.0, 1e6], (30, 30))
    assert any("standard deviations from the mean" in found for found in domain_shift(wild, UNIVERSAL))


@pytest.mark.parametrize("name", ["ml-1m", "ml-100k", "jester"])
def test_bundled_checkpoints_describe_their_training(name):
    assert "it has 100 rows (30 in training)" in domain_shift(made_up(100, 30, 0.3), describe(name))
    assert domain_shift(made_up(100, 60, 0.3), describe("universal")) == []


def imputer(rule=None, report=None, blend=None):
    of_network = {
        "unit_rule_": rule or OwnUnits(),
        "tuning_": report,
        "ratings_": SimpleNamespace(nnz=12),
        "guarded_": {},
    }
    return SimpleNamespace(**of_network, ensemble_=blend, members=None)


def report(kept=30, error=0.8, gain=0.36, spread=0.05, checked=40):
    return TuningOutcome(40, kept, 1.0, error, gain, spread, checked, 1.0)


@pytest.mark.parametrize(
    "made, parts",
    [
        (imputer(SidedUnits(By.COLUMN)), ["The columns are measured in different units, so each"]),
        (imputer(SidedUnits(By.ROW)), ["The rows are measured in different units, so each"]),
        (imputer(report=report()), ["in 30 steps", "On 40 observed cells", "20\N{NO-BREAK SPACE}% smaller."]),
        (imputer(report=report(gain=0.05)), ["smaller, which may be chance."]),
        (imputer(report=report(kept=0)), ["Tuning did not help on 40 observed cells"]),
        (imputer(report=report(checked=0)), ["12 observed cells are too few to tune to."]),
        (
            imputer(blend=Weighing({"network": 0.75, "normal": 0.25})),
            ["combined with a linear model of the columns (weight 25\N{NO-BREAK SPACE}%)."],
        ),
        (
            imputer(blend=Weighing({"network": 0.5, "trees": 0.5}, 40, {"network": 0.9, "trees": 0.82}, 0.8)),
            [
                "combined with trees on",
                "(weight 50\N{NO-BREAK SPACE}%).",
                "0.82 for trees",
                "and 0.80 combined",
            ],
        ),
    ],
)
def test_each_adaptation_has_its_sentence(made, parts):
    (sentence,) = adapted_sentences(made)
    assert all(part in sentence for part in parts) and adapted_sentences(imputer()) == []
