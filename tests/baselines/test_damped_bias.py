"""Damped biases against their two sums."""

import numpy as np
from estimates import table
from problems import random_ratings

from metamf.baselines.damped_bias import DampedBias, DampedBiasConfig


def test_damped_biases_follow_their_two_sums():
    ratings = random_ratings(8, 6, 0.4)
    X = ratings.to_dense()
    mean = np.nanmean(X)
    b = np.nansum(X - mean, axis=0) / (np.sum(~np.isnan(X), axis=0) + 3.0)
    a = np.nansum(X - mean - b, axis=1) / (np.sum(~np.isnan(X), axis=1) + 7.0)
    found = table(DampedBias(DampedBiasConfig(row_damping=7.0, column_damping=3.0)), ratings)
    np.testing.assert_allclose(found, mean + a[:, None] + b, atol=1e-12)
