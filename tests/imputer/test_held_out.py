"""Entries hidden from a fitted model: what they say of the widths of its intervals."""

import numpy as np
import pytest
import scipy.stats

from metamf import Ratings
from metamf.imputer.held_out import CHECKED_LEVELS, HeldOut, factor_of, width_factor


def ratios(scale, n, seed=0):
    """Errors over half-widths that are right for normal errors of standard deviation 1 / scale."""
    errors = np.abs(np.random.default_rng(seed).normal(size=n)) * scale
    return {level: errors / scipy.stats.norm.ppf((1 + level) / 2) for level in CHECKED_LEVELS}


def test_intervals_that_are_too_narrow_are_widened_by_as_much_as_they_miss():
    assert factor_of(ratios(1.0, 20_000)) == pytest.approx(1.0, abs=0.02)
    assert factor_of(ratios(1.5, 20_000)) == pytest.approx(1.5, abs=0.03)
    assert factor_of(ratios(0.5, 20_000)) == pytest.approx(0.5, abs=0.02)


def test_few_hidden_entries_are_half_believed():
    few = factor_of(ratios(4.0, 50))
    assert few == pytest.approx(2.0, abs=0.5)


def test_a_model_without_intervals_keeps_its_widths():
    part = Ratings.from_dense(np.ones((2, 2)))
    assert width_factor([HeldOut(part, part, np.ones(4), None)]) == 1.0
    assert width_factor([]) == 1.0
