"""Means of columns where what is missing lies lower or higher, and the shift at which an order
turns."""

import numpy as np
import pytest

from metamf import load_pretrained
from metamf.answer.shift import column_means, turning_shift


def test_a_column_moves_by_its_share_of_missing_cells_and_stays_on_the_scale():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4))
    X[:10, 1] = np.nan
    X[:20, 2] = np.nan
    imputer = load_pretrained(clip=False).fit(X)
    answer = imputer.impute()
    moved = column_means(answer, -0.5) - column_means(answer)
    spread = imputer.standardization_.spread_block(slice(0, 40), slice(0, 4))
    share = np.isnan(X).mean(axis=0)
    np.testing.assert_allclose(moved, np.broadcast_to(-0.5 * spread, X.shape)[0] * share, atol=1e-6)
    stars = np.where(np.isnan(X), np.nan, 3 + np.clip(np.round(X), -2, 2))
    means = column_means(load_pretrained(scale=(1, 5)).fit(stars).impute(), 100.0)
    assert means[3] < 5
    assert means[2] == pytest.approx((np.nansum(stars[:, 2]) + 20 * 5) / 40)


def test_the_shift_at_which_an_order_turns():
    shifts = np.linspace(-1, 1, 21)
    bent = 2.1 + 3 * np.abs(shifts + 0.1)
    for one, other, expected in (
        (3 + 0 * shifts, 2.7 + shifts, 0.3),
        (3 + shifts, 2.75 + 0 * shifts, -0.25),
        (3 + 0 * shifts, bent, 0.2),
    ):
        assert turning_shift(shifts, one, other) == pytest.approx(expected)
    assert turning_shift(shifts, 3 + shifts, 2 + shifts) is None
