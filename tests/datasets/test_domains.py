"""Random domains: as different as they say, and determined by their generator."""

import numpy as np
import pytest

from metamf.datasets import random_domain


def test_random_domains_differ_in_everything_that_a_model_has_to_find_out():
    rng = np.random.default_rng(0)
    domains = [random_domain(rng, 25, 20) for _ in range(300)]
    assert all(d.shape == (25, 20) and d.nnz >= 1 and np.isfinite(d.values).all() for d in domains)
    densities = np.array([d.density for d in domains])
    assert densities.min() < 0.03 and densities.max() > 0.9 and np.median(densities) == pytest.approx(0.14, abs=0.04)
    unbounded = [d for d in domains if d.scale is None]
    assert 0.08 < len(unbounded) / 300 < 0.25 and all((d.values > 0).all() for d in unbounded)
    values = {d.scale.maximum + 1 for d in domains if d.scale is not None}
    assert values == {2, 3, 5, 7, 10, 1000} and all(d.scale.step == 1 for d in domains if d.scale is not None)
    full = [d.to_dense() for d in (random_domain(rng, 25, 20) for _ in range(2000)) if d.density > 0.9]
    residual = [X - np.nanmean(X, 1, keepdims=True) - np.nanmean(X, 0) + np.nanmean(X) for X in full if np.nanstd(X)]
    shares = [np.nanvar(r) / np.nanvar(X) for r, X in zip(residual, (X for X in full if np.nanstd(X)))]
    assert min(shares) < 0.35 and max(shares) > 0.85  # of what rows and columns do not explain


def test_a_domain_is_determined_by_the_generator():
    one, again, other = (random_domain(np.random.default_rng(seed), 12, 9) for seed in (4, 4, 5))
    np.testing.assert_array_equal(one.values, again.values)
    assert one.nnz != other.nnz or (one.values != other.values).any()
