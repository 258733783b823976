"""Means of columns where what is missing lies lower or higher, and the shift at which an order turns."""

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
    answer = imputer.imputation()
    moved = column_means(answer, imputer.standardization_, -0.5) - column_means(answer, imputer.standardization_)
    spread = np.broadcast_to(imputer.standardization_.spread_block(slice(None), slice(None)), X.shape)[0]
    np.testing.assert_allclose(moved, -0.5 * spread * np.isnan(X).mean(axis=0), atol=1e-6)
    cut = load_pretrained(scale=(1, 5)).fit(np.where(np.isnan(X), np.nan, 3 + np.clip(np.round(X), -2, 2)))
    means = column_means(cut.imputation(), cut.standardization_, 100.0)
    assert means[3] < 5 and means[2] == pytest.approx((cut.ratings_.to_dense()[20:, 2].sum() + 20 * 5) / 40)


def test_the_shift_at_which_an_order_turns():
    shifts = np.linspace(-1, 1, 21)
    assert turning_shift(shifts, 3 + 0 * shifts, 2.7 + shifts) == pytest.approx(0.3)
    assert turning_shift(shifts, 3 + shifts, 2.75 + 0 * shifts) == pytest.approx(-0.25)
    assert turning_shift(shifts, 3 + shifts, 2 + shifts) is None
    assert turning_shift(shifts, 3 + 0 * shifts, 2.4 + 3 * np.abs(shifts + 0.1) - 0.3) == pytest.approx(0.2)
