"""The paper's recipe: from a prepared data set to a measured checkpoint with its card."""

from dataclasses import replace

import pytest
from problems import structured_ratings

from metamf.baselines.biases import Mean
from metamf.checkpoints.files import load_checkpoint
from metamf.learning.data import prepare_ratings
from metamf.learning.evaluation import summarize
from metamf.learning.recipes import PRESETS, PaperRun, Preset, paper_card
from metamf.model.meta_mf import MetaMFConfig

SMALL = MetaMFConfig(channels=4, layers=1, hidden=5, prior_layers=1, rank=2, steps=2)


@pytest.fixture(scope="module")
def prepared():
    return prepare_ratings(structured_ratings(80, 80), 0, blocks=4, size=(8, 8))


@pytest.fixture(params=["tuned", "last"])
def run(request, prepared, monkeypatch):
    """Three epochs of two updates of a small network, too small to change it: the best epoch is the first."""
    training = replace(PRESETS[request.param].training, updates_per_epoch=2, learning_rate=1e-30)
    monkeypatch.setitem(PRESETS, request.param, Preset(SMALL, training))
    run = PaperRun("ml-1m", prepared, request.param, epochs=3)
    assert [progress.best_epoch for progress in run.train()] == [1, 1, 1]
    return run


def test_a_run_ends_in_a_checkpoint_with_its_errors_and_a_card(run, prepared, tmp_path):
    info = run.finish(tmp_path / "mine.safetensors", "python -m metamf train --seed 0")
    model, found = load_checkpoint(tmp_path / "mine.safetensors")
    assert found == info and model.config == SMALL
    assert (info.name, info.data, info.kind, info.split_seed) == ("mine", "ml-1m", "metamf", 0)
    assert (info.standardization, info.scale) == (prepared.standardization, prepared.scale)
    assert info.errors == summarize(model, Mean(), prepared.test)
    assert info.recipe["command"] == "python -m metamf train --seed 0"
    assert (tmp_path / "mine.md").read_text(encoding="utf-8") == paper_card(info, model)


def test_the_epoch_that_a_checkpoint_names_is_the_one_whose_parameters_it_holds(run, tmp_path):
    info = run.finish(tmp_path / "mine.safetensors", "")
    assert (info.recipe["best_epoch"], info.recipe["kept_epoch"]) == (1, {"tuned": 1, "last": 3}[run.preset])
    assert f"the parameters of epoch {info.recipe['kept_epoch']} of\n3." in (tmp_path / "mine.md").read_text()


def test_a_run_names_a_preset_that_does_not_exist(prepared):
    with pytest.raises(ValueError, match="there is no preset 'tunned'; choose from paper, tuned, last"):
        PaperRun("ml-100k", prepared, "tunned")
