"""The sentences on a factorization, from its errors."""

import numpy as np

from metamf.baselines.mf_path import MFSettings
from metamf.webapp.compare.factorization import about_zero, said

SETTINGS, LEVELS = MFSettings(2, 3.0), {"always the mean": 1.0}
GIVEN = np.array([1.0, 0.5, 0.001])


def test_a_fit_that_learned_by_heart_is_told_from_one_that_did_not():
    by_heart = said(SETTINGS, GIVEN, np.array([1.0, 0.8, 1.2]), LEVELS)
    assert by_heart.startswith("2 steps with 2 factors bring the error on the given cells from 1.00 to 0.00;")
    assert "smallest at step 1 (0.80) and ends at 1.20: it learned the given ratings by heart" in by_heart
    fine = said(SETTINGS, GIVEN, np.array([1.0, 0.8, 0.83]), LEVELS)
    assert fine.endswith("that on the hidden cells from 1.00 to 0.83 (always the mean: 1.00).")
    assert said(SETTINGS, GIVEN, None, {}).endswith("no cell is hidden to check it.")


def test_a_penalty_from_which_zero_costs_least_is_named():
    assert about_zero(SETTINGS, 2.5).startswith("With this penalty MF is the mean: from λ = 2.50 on")
    assert about_zero(SETTINGS, 3.5).startswith("From a penalty of λ = 3.50 on, zero factors would cost least")
