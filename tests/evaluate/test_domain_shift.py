"""Where a matrix departs from what a checkpoint has learned from."""

import numpy as np
import pytest
from small_checkpoints import made_up

from metamf.checkpoints.bundled import describe
from metamf.checkpoints.info import CheckpointInfo, TrainingDomain
from metamf.evaluate.domain_shift import domain_shift
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import Standardization

STARS = RatingScale(1, 5, 1)
UNIVERSAL = CheckpointInfo(
    "universal", "a, b", None, None, 0, learned_from=TrainingDomain((10, 1000), (10, 1700), (0.0042, 0.65), (STARS,))
)
BLOCKS = TrainingDomain((30, 30), (30, 30), (0.021, 0.021), (STARS,))
PAPER = CheckpointInfo("stars", "stars", Standardization(3.6, 1.1), STARS, 0, learned_from=BLOCKS)


def test_a_usual_matrix_lies_inside():
    assert domain_shift(made_up(100, 60, 0.3), UNIVERSAL) == []
    assert domain_shift(made_up(30, 30, 0.03), PAPER) == []


def test_sizes_densities_and_scales_outside_are_named():
    small = " ".join(domain_shift(made_up(3, 5000, 0.3), UNIVERSAL))
    assert "3 rows, and training had 10 to 1,000" in small and "5,000 columns, and training had 10 to 1,700" in small
    sparse = Ratings(np.arange(50), np.arange(50), np.arange(50) % 5 + 1.0, (1000, 1000))
    (density,) = domain_shift(sparse, UNIVERSAL)
    assert density.startswith("0.005\N{NO-BREAK SPACE}% of its cells are observed") and density.endswith(
        "0.42\N{NO-BREAK SPACE}% to 65\N{NO-BREAK SPACE}%"
    )
    rows, cols = np.nonzero(np.ones((30, 30)))
    hundred = Ratings(rows[:30], cols[:30], np.linspace(0, 100, 30), (30, 30))
    assert any("run from 0 to 100, and training had 1 to 5" in found for found in domain_shift(hundred, PAPER))
    thumbs = Ratings(rows[:400], cols[:400], np.arange(400) % 2.0, (30, 30))
    assert any("two different values only" in found for found in domain_shift(thumbs, UNIVERSAL))
    wild = Ratings(rows[:400], cols[:400], np.r_[np.arange(399) % 5.0, 1e6], (30, 30))
    assert any("standard deviations from the mean" in found for found in domain_shift(wild, UNIVERSAL))


def test_a_checkpoint_of_ones_own_is_described_by_its_header():
    own = CheckpointInfo("own", "mine", None, None, 0, learned_from=TrainingDomain((5, 8), (200, 300), (0.5, 0.9), ()))
    rows, cols = domain_shift(made_up(100, 60, 0.6), own)
    assert rows == "it has 100 rows, and training had 5 to 8"
    assert cols == "it has 60 columns, and training had 200 to 300"


def test_of_a_header_that_does_not_record_sizes_nothing_is_said():
    assert domain_shift(made_up(3, 5000, 0.3), CheckpointInfo("own", "ml-1m", None, None, 0)) == []


@pytest.mark.parametrize("name", ["ml-1m", "ml-100k", "jester"])
def test_the_paper_s_checkpoints_learned_from_blocks_of_30_by_30(name):
    assert "it has 100 rows, and training had 30" in domain_shift(made_up(100, 30, 0.3), describe(name))


def test_the_universal_checkpoint_learned_from_matrices_of_many_sizes():
    assert domain_shift(made_up(100, 60, 0.3), describe("universal")) == []
    assert domain_shift(made_up(3, 60, 0.3), describe("universal"))[0] == "it has 3 rows, and training had 10 to 1,000"
