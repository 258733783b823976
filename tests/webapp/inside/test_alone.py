"""MF alone, on the page Inside: its sentences, from their numbers, and its picture."""

import re

import numpy as np
from opened import healthy, no_data_sets, opened, players, text  # noqa: F401  a fixture

from metamf.baselines.mf import MFSettings
from metamf.webapp.inside.alone import about_zero, said

SETTINGS, LEVELS = MFSettings(2, 3.0), {"always the mean": 1.0}
GIVEN = np.array([1.0, 0.5, 0.001])


def test_a_fit_that_overfits_is_told_from_one_that_does_not():
    overfits = said(SETTINGS, GIVEN, np.array([1.0, 0.8, 1.2]), LEVELS)
    assert overfits.startswith("In 2 steps with 2 factors, the error on the given cells goes from 1.00 to 0.00.")
    assert "smallest at step 1, 0.80, and ends at 1.20: it overfits the given ratings" in overfits
    fine = said(SETTINGS, GIVEN, np.array([1.0, 0.8, 0.83]), LEVELS)
    assert fine.endswith("that on the hidden cells from 1.00 to 0.83 (always the mean: 1.00).")
    assert said(SETTINGS, GIVEN, None, {}).endswith("No rating is hidden to check it.")


def test_the_penalty_that_leaves_only_the_mean_is_named():
    assert "From λ = 2.50 on, twice the largest singular value" in about_zero(SETTINGS, 2.5)
    assert about_zero(SETTINGS, 3.5).startswith("From λ = 3.50 on")


def test_mf_fits_the_given_cells_and_loses_the_hidden_ones():
    at = healthy(opened("pages/inside.py", experiment="MF alone", mf="mine", keep=50, by="at random", seed=1))
    assert at.slider(key="mf_rank").value == 8 and at.select_slider(key="mf_penalty").value == 0
    said = text(at)
    found = re.search(
        r"on the given cells goes from [\d.]+ to ([\d.]+)\. .* smallest at step (\d+), ([\d.]+), and ends at", said
    )
    assert float(found[1]) < 0.2 < 0.8 < float(found[3]) and int(found[2]) < 100 and "overfits" in said
    healthy(at.select_slider(key="mf_penalty").set_value(30.0).run())
    assert "twice the largest singular value" in text(at) and "overfits" not in text(at)
    [run] = [player["run"] for player in players(at) if player["scene"] == "alone"]
    assert (run["T"], run["K"], run["model"]["kind"]) == (200, 8, "mf")
    assert [name["name"] for name in run["levels"]] == ["the average of all ratings", "Trained on film nights"]
