"""Whether a lead is more than chance."""

import numpy as np
import pytest

from metamf.tasks.chance import lead

ROWS, COLS = (side.ravel() for side in np.mgrid[:20, :14])


def test_a_lead_is_noticed_and_noise_is_not():
    rng = np.random.default_rng(0)
    squares = rng.exponential(size=ROWS.size)
    found = lead(squares, squares + 0.3 + 0.1 * rng.standard_normal(ROWS.size), ROWS, COLS)
    assert found.beyond_chance and found.gain == pytest.approx(0.3, abs=0.02)
    called = [
        lead(*np.random.default_rng(seed).exponential(size=(2, ROWS.size)), ROWS, COLS).beyond_chance
        for seed in range(200)
    ]
    assert np.mean(called) < 0.1  # 0.05 is the level


def test_what_a_row_moves_together_counts_once():
    """Differences that belong to rows: 280 cells say no more than their 20 rows."""
    called, naive = [], []
    for seed in range(200):
        of_row = np.random.default_rng(seed).standard_normal(20)
        difference = of_row[ROWS] + 0.1 * np.random.default_rng([seed, 1]).standard_normal(ROWS.size)
        found = lead(np.zeros(ROWS.size), difference, ROWS, COLS)
        called.append(found.beyond_chance)
        naive.append(difference.mean() > 1.65 * difference.std() / np.sqrt(ROWS.size))
    assert np.mean(called) < 0.1 < 0.25 < np.mean(naive)


def test_more_comparisons_ask_for_more_and_one_row_says_nothing():
    squares, others = np.random.default_rng(0).exponential(size=(2, ROWS.size))
    assert lead(squares, others, ROWS, COLS, 3).limit > lead(squares, others, ROWS, COLS).limit
    one_row = lead(np.zeros(5), np.ones(5), np.zeros(5, int), np.arange(5))
    assert one_row.gain == 1 and not one_row.beyond_chance
    assert not lead(np.zeros(0), np.zeros(0), np.zeros(0, int), np.zeros(0, int)).beyond_chance
