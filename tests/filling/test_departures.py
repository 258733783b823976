"""Where a matrix departs from what a checkpoint has learned from."""

from dataclasses import replace

import numpy as np
from small_checkpoints import made_up

from metamf.checkpoints.info import CheckpointInfo, TrainingDomain
from metamf.filling.departures import departures
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import Standardization

STARS = RatingScale(1, 5, 1)
MIXED = TrainingDomain((10, 1000), (10, 1700), (0.0042, 0.65), (STARS, RatingScale(-10, 10)))
BLOCKS = TrainingDomain((30, 30), (30, 30), (0.0211, 0.0211), (STARS,))
UNIVERSAL = CheckpointInfo("universal", "ml-1m, jester", None, None, 0, kind="universal", learned_from=MIXED)
PAPER = CheckpointInfo("ml-1m", "ml-1m", Standardization(3.6, 1.1), STARS, 0, learned_from=BLOCKS)


def test_a_usual_matrix_lies_inside():
    assert departures(made_up(100, 60, 0.3), UNIVERSAL) == []
    assert departures(made_up(30, 30, 0.03), PAPER) == []


def test_sizes_densities_and_scales_outside_are_named():
    small = " ".join(departures(made_up(3, 5000, 0.3), UNIVERSAL))
    assert "3 rows, and training had 10 to 1,000" in small and "5,000 columns, and training had 10 to 1,700" in small
    sparse = Ratings(np.arange(50), np.arange(50), np.arange(50) % 5 + 1.0, (1000, 1000))
    (density,) = departures(sparse, UNIVERSAL)
    assert density.startswith("0.005\N{NO-BREAK SPACE}% of its cells are observed") and density.endswith(
        "0.42\N{NO-BREAK SPACE}% to 65\N{NO-BREAK SPACE}%"
    )
    rows, cols = np.nonzero(np.ones((30, 30)))
    hundred = Ratings(rows[:30], cols[:30], np.linspace(0, 100, 30), (30, 30))
    assert any("run from 0 to 100, and training had 1 to 5" in found for found in departures(hundred, PAPER))
    thumbs = Ratings(rows[:400], cols[:400], np.arange(400) % 2.0, (30, 30))
    assert any("two different values only" in found for found in departures(thumbs, UNIVERSAL))
    wild = Ratings(rows[:400], cols[:400], np.r_[np.arange(399) % 5.0, 1e6], (30, 30))
    assert any("far from the rest" in found for found in departures(wild, UNIVERSAL))


def test_a_checkpoint_of_one_s_own_is_described_by_its_own_header():
    small = TrainingDomain((5, 8), (4, 6), (0.5, 0.5), (STARS,))
    mine = replace(PAPER, name="mine", data="mine", learned_from=small)
    assert departures(made_up(6, 5, 0.5), mine) == []
    rows, cols, density = departures(made_up(100, 60, 0.1), mine)
    assert "training had 5 to 8" in rows and "training had 4 to 6" in cols and "training had about 50" in density
    assert departures(made_up(100, 60, 0.1), replace(mine, learned_from=None)) == []
