"""benchmarks/accuracy/universal.py: what its metrics are."""

import numpy as np
import pytest
import torch

from benchmarks.accuracy.universal import HeldOutMatrices, QueryEstimates, scores
from benchmarks.rows import INTERVAL_LEVELS
from metamf.learning.episodes import Episode
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import ScaleUnits

N = 200
RNG = np.random.default_rng(0)
GIVEN = Ratings.from_dense(np.where(RNG.random((N, N)) < 0.5, RNG.normal(0, 1, (N, N)), np.nan))
HIDDEN = Ratings.from_dense(np.where(np.isnan(GIVEN.to_dense()), RNG.normal(0, 1, (N, N)), np.nan))
CASE = HeldOutMatrices("made up", "whole", ScaleUnits(), [Episode(GIVEN, HIDDEN)])
BATCH = CASE.batch(CASE.episodes)
NORMAL = {
    level: torch.distributions.Normal(0.0, 1.0).icdf(torch.tensor((1 + level) / 2)).item() for level in INTERVAL_LEVELS
}


def scores_of(deviation, stretched=1.0):
    mean = torch.zeros_like(BATCH.query_x)
    half = {level: stretched * width for level, width in NORMAL.items()}
    return scores(CASE, BATCH, QueryEstimates(mean, deviation, half))


def test_intervals_of_the_true_distribution_hold_what_they_say_at_their_own_width():
    found = scores_of(torch.ones_like(BATCH.query_x))
    for level in INTERVAL_LEVELS:
        name = f"{100 * level:.0f}"
        assert found[f"cover_{name}"] == pytest.approx(level, abs=0.01)
        assert found[f"fair_width_{name}"] == pytest.approx(found[f"width_{name}"], rel=0.02)


def test_the_fair_width_does_not_depend_on_how_wide_intervals_are_but_on_where():
    exact, narrow = scores_of(torch.ones_like(BATCH.query_x)), scores_of(0.3 * torch.ones_like(BATCH.query_x), 0.5)
    assert narrow["cover_90"] < 0.3 and narrow["width_90"] < 0.2 * exact["width_90"]
    assert narrow["fair_width_90"] == pytest.approx(exact["fair_width_90"], rel=1e-5)
    anywhere = scores_of(torch.rand(len(BATCH.query_x), generator=torch.Generator().manual_seed(0)) + 0.1)
    assert anywhere["fair_width_90"] > 1.2 * exact["fair_width_90"]  # sure and unsure without a reason
