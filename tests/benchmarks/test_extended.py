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
from metamf.reproduction import numbers as paper

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


def test_a_stopped_run_goes_on(short, tmp_path, monkeypatch, capsys):
    computed = []

    def measured(name, split, method):
        computed.append((name, split, method))
        return [{"data": name, "split": split, "method": method}]

    monkeypatch.setattr(extended, "rows_of_split", measured)
    out = tmp_path / "extended.csv"
    for asked in (["0", "--only", "extended"], ["0", "1"]):
        monkeypatch.setattr("sys.argv", ["extended", "--out", str(out), "--data", "jester", "--splits", *asked])
        extended.main()
    parts = [(0, "extended"), (0, "paper"), (1, "paper"), (1, "extended")]
    assert computed == [("jester", *part) for part in parts] and len(pd.read_csv(out)) == 4


def test_the_comparison_is_paired_over_splits(monkeypatch):
    rows = pd.DataFrame(
        [
            ("jester", split, method, (0.8 + shift) * hard, hard)
            for split, hard in enumerate((0.9, 1.0, 1.2))
            for method, shift in (("tuned", 0.02 + 0.001 * split), ("extended", 0.0))
        ],
        columns=["data", "split", "method", "query_mse", "mean_query_mse"],
    )
    others = rows[rows.method == "tuned"].assign(
        method="eml", preset="tuned", query_mse=rows.mean_query_mse * (1 + rows.split / 1000)
    )
    untold = [others[:1].assign(split=7, query_mse=100.0), others.assign(preset="paper")]  # another split and preset
    others = pd.concat([others, *untold])
    monkeypatch.setattr(paper, "measured", lambda experiment: others)
    found = extended.tests(rows).set_index("method")
    assert found["ratio to Mean"].to_dict() == pytest.approx({"tuned": 0.821, "extended": 0.8, "eml": 1.001})
    assert found.loc["tuned", "extended is lower by"] == pytest.approx(0.021 / 0.821)
    assert found.loc["tuned", "p"] < 0.01 and found.loc["eml", "splits"] == 3
    assert pd.isna(found.loc["extended", "p"])


def test_the_estimate_of_an_ensemble_is_the_average_of_its_members():
    support = RatingsBatch.of([random_ratings(7, 5), random_ratings(4, 6, seed=1)], torch.float64)
    row, col = torch.tensor([0, 3, 8, 10]), torch.tensor([4, 0, 5, 9])
    members = [small_model(0).double(), small_model(1).double(), small_universal(2).double()]
    estimates = [member.adapt(support).predict(row, col) for member in members]
    found = extended.Ensemble(members).adapt(support).predict(row, col)
    torch.testing.assert_close(found, sum(estimates) / 3)
