"""benchmarks/accuracy/extended.py: what a row holds, what goes into the ensemble, and that a stopped run goes on."""

from dataclasses import replace

import pandas as pd
import pytest
import torch
from problems import random_ratings, small_model, small_universal, structured_ratings

from benchmarks.accuracy import extended
from metamf.baselines.biases import Mean
from metamf.learning.data import prepare_ratings
from metamf.learning.evaluation import summarize
from metamf.learning.recipes import PRESETS
from metamf.ratings.batch import RatingsBatch

ROWS = ["paper", "tuned", "last", "bayes", "last x 4", "bayes x 2", "extended"]


@pytest.fixture
def short(monkeypatch):
    """Two epochs of two updates; made-up ratings of 60 x 50."""
    for name, preset in list(PRESETS.items()):
        training = replace(preset.training, epochs=2, updates_per_epoch=2)
        monkeypatch.setitem(PRESETS, name, replace(preset, training=training))
    monkeypatch.setattr(extended, "TRAINING", replace(extended.TRAINING, epochs=2, updates_per_epoch=2))
    ratings = structured_ratings(60, 50)
    monkeypatch.setattr(extended, "prepare", lambda name, split: prepare_ratings(ratings, split, blocks=5))


@pytest.mark.slow
def test_every_model_is_judged_on_the_same_blocks(short):
    rows = pd.DataFrame(extended.rows_of_split("jester", 0, "paper") + extended.rows_of_split("jester", 0, "extended"))
    test = extended.prepare("jester", 0).test
    assert list(rows.method) == ROWS and set(rows.blocks) == {5}
    assert rows.mean_query_mse.astype(float).unique() == pytest.approx(
        summarize(Mean(), Mean(), test)["query_mse"], rel=1e-5
    )
    assert rows.query_mse.drop(1).nunique() == 6  # the best epoch of tuned may be its last
    assert rows.runs.tolist() == [4, 4, 4, 2, 1, 1, 1]


def test_the_estimate_of_an_ensemble_is_the_average_of_its_members():
    support = RatingsBatch.of([random_ratings(7, 5), random_ratings(4, 6, seed=1)], torch.float64)
    row, col = torch.tensor([0, 3, 8, 10]), torch.tensor([4, 0, 5, 9])
    members = [small_model(0).double(), small_model(1).double(), small_universal(2).double()]
    estimates = [member.adapt(support).predict(row, col) for member in members]
    found = extended.Ensemble(members).adapt(support).predict(row, col)
    torch.testing.assert_close(found, sum(estimates) / 3)
