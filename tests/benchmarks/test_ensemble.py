"""Ensembles: averages of estimates, and the variance of a mixture."""

import pytest
import torch
from problems import random_ratings, small_model, small_universal

from benchmarks.accuracy.ensemble import Ensemble
from metamf.ratings.batch import RatingsBatch

SUPPORT = RatingsBatch.of([random_ratings(7, 5), random_ratings(4, 6, seed=1)], torch.float64)
ROW, COL = torch.tensor([0, 3, 8, 10]), torch.tensor([4, 0, 5, 9])


def test_the_estimate_is_the_average_of_the_members():
    members = [small_model(0).double(), small_model(1).double(), small_universal(2).double()]
    estimates = [member.adapt(SUPPORT).predict(ROW, COL) for member in members]
    found = Ensemble(members).adapt(SUPPORT).predict(ROW, COL)
    torch.testing.assert_close(found, sum(estimates) / 3)
    assert not torch.allclose(found, estimates[0])


def test_the_variance_is_that_of_the_mixture():
    members = [small_universal(seed).double() for seed in (0, 1)]
    adapted = Ensemble(members).adapt(SUPPORT)
    (m1, v1), (m2, v2) = ((a.predict(ROW, COL), a.variance(ROW, COL)) for a in adapted.members)
    second_moment = (v1 + m1**2 + v2 + m2**2) / 2
    torch.testing.assert_close(adapted.variance(ROW, COL), second_moment - ((m1 + m2) / 2) ** 2)


def test_one_member_is_itself():
    member = small_universal().double()
    alone, adapted = Ensemble([member]).adapt(SUPPORT), member.adapt(SUPPORT)
    assert torch.equal(alone.predict(ROW, COL), adapted.predict(ROW, COL))
    torch.testing.assert_close(alone.variance(ROW, COL), adapted.variance(ROW, COL))


def test_an_ensemble_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least one member"):
        Ensemble([])
