"""metamf train and metamf evaluate."""

import os

import numpy as np
import pandas as pd
import pytest
import torch
from commands import data, failure, in_an_empty_folder, run  # noqa: F401  fixtures  # noqa: F401  fixtures

from metamf.checkpoints.files import load_checkpoint, read_safetensors
from metamf.cli import evaluate
from metamf.learning.training import MetaTraining

COMMAND = "train --data ml-100k --preset paper --epochs 3 --out my.safetensors"
TRAIN = COMMAND.split()


def test_train_writes_checkpoint_card_and_log(run, tmp_path, data):
    result = run(*TRAIN, "--log", "log.csv")
    assert (result.code, result.out) == (0, "my.safetensors\n")
    assert "3/3" in result.said
    _, info = load_checkpoint("my.safetensors")
    about = (info.name, info.data, info.split_seed, info.recipe["preset"])
    assert about == ("my", "ml-100k", 0, "paper")
    said = "python -m metamf train --data ml-100k --preset paper --split 0 --seed 0 --epochs 3 "
    assert info.recipe["command"] == said + "--out my.safetensors"
    assert info.errors["ratio"] < 1.05
    assert f"{100 * info.errors['ratio']:.1f} %" in result.said
    assert f"**{info.errors['ratio']:.4f}**" in (tmp_path / "my.md").read_text()
    log = pd.read_csv("log.csv")
    assert log.epoch.tolist() == [1, 2, 3]
    assert sorted(os.listdir()) == ["log.csv", "my.md", "my.safetensors"]


@pytest.mark.slow
def test_features_are_learned_and_named(run, data):
    assert run(*TRAIN, "--features", "genre,year").code == 0
    network, info = load_checkpoint("my.safetensors")
    assert network.prior.layers[0].of_col_features.abs().max() > 0
    assert info.recipe["features"] == ["genre", "year"]
    assert "--features genre,year --out" in info.recipe["command"]
    said = run(*TRAIN, "--features", "age").said
    assert "there is no feature 'age'; choose from genre, year" in said
    several = ["train", "--data", "ml-1m", "jester", "--preset", "universal", "--features", "year"]
    assert "preset universal reads no features" in failure(run(*several))


def assert_same_parameters(path, other):
    parameters, others = read_safetensors(path)[0], read_safetensors(other)[0]
    assert parameters.keys() == others.keys()
    for name in parameters:
        assert torch.equal(parameters[name], others[name]), name


def interrupt_in_epoch(monkeypatch, epoch, error=KeyboardInterrupt):
    whole = MetaTraining._epoch

    def interrupted(self):
        if len(self.history) + 1 == epoch:
            raise error
        return whole(self)

    monkeypatch.setattr(MetaTraining, "_epoch", interrupted)


@pytest.mark.slow
def test_ctrl_c_keeps_the_best_so_far_and_the_same_command_comes_to_the_same_result(
    run, data, monkeypatch
):
    assert run(*TRAIN[:-1], "whole.safetensors", "--log", "whole.csv").code == 0
    with monkeypatch.context() as patched:
        interrupt_in_epoch(patched, 3)
        result = run(*TRAIN)
    assert (result.code, result.out) == (130, "my.safetensors\n")
    stopped = "Stopped: what was learned so far is kept, and the same command continues from here."
    assert stopped in result.said
    assert load_checkpoint("my.safetensors")[1].recipe["best_epoch"] in (1, 2)
    resumed = run(*TRAIN, "--resume", "--log", "my.csv")
    assert resumed.code == 0
    assert "Continuing the stopped run" in resumed.said
    assert_same_parameters("my.safetensors", "whole.safetensors")
    pd.testing.assert_frame_equal(pd.read_csv("my.csv"), pd.read_csv("whole.csv"))
    assert not [name for name in os.listdir() if name.endswith(".state")]


def test_ctrl_c_before_the_first_epoch_ends_leaves_nothing(run, data, monkeypatch):
    interrupt_in_epoch(monkeypatch, 1)
    result = run(*TRAIN)
    assert result.code == 130 and "nothing is kept" in result.said
    assert os.listdir() == []


@pytest.mark.slow
def test_training_that_diverges_keeps_the_best_and_fails(run, data, monkeypatch):
    message = "the training error became nan in epoch 2"
    interrupt_in_epoch(monkeypatch, 2, FloatingPointError(message))
    result = run(*TRAIN)
    assert result.code == 1
    assert result.said.endswith(f"error: {message}\n")
    assert load_checkpoint("my.safetensors")[1].recipe["best_epoch"] == 1


@pytest.mark.slow
def test_fresh_begins_anew_and_other_settings_are_another_run(run, data, monkeypatch):
    with monkeypatch.context() as patched:
        interrupt_in_epoch(patched, 2)
        run(*TRAIN)
        assert "Continuing" not in run(*TRAIN, "--seed", "1").said
    assert len([name for name in os.listdir() if name.endswith(".state")]) == 2
    assert "Continuing" not in run(*TRAIN, "--fresh", "--log", "log.csv").said
    assert pd.read_csv("log.csv").epoch.tolist() == [1, 2, 3]
    assert "there is no stopped run to resume" in failure(run(*TRAIN, "--resume"))


@pytest.mark.parametrize("command", ["train", "evaluate"])
def test_a_data_set_that_is_not_here_is_said_with_the_command_that_gets_it(run, tmp_path, command):
    line = failure(run(command, "--data", "jester", "--folder", tmp_path))
    assert "Jester 1, part 1 is missing" in line
    assert "`python -m metamf download jester`" in line


@pytest.mark.slow
def test_evaluate_compares_methods_on_the_same_blocks(run, data, monkeypatch):
    monkeypatch.setattr(evaluate, "FITTING_BLOCKS", 30)
    methods = ("eml", "ft", "crossed_effects", "mean")
    argv = "--splits 2 --blocks 20 --preset paper --epochs 2 --out rows.csv"
    result = run("evaluate", "--methods", ",".join(methods), *argv.split())
    assert result.code == 0
    rows = pd.read_csv("rows.csv")
    assert list(zip(rows.split, rows.method)) == [
        (split, method) for split in (0, 1) for method in methods
    ]
    of = {method: part.reset_index() for method, part in rows.groupby("method")}
    np.testing.assert_allclose(of["mean"].ratio, 1)
    assert (of["crossed_effects"].query_mse < of["mean"].query_mse).all()
    assert (of["ft"].support_mse < of["eml"].support_mse).all()  # the same network, finetuned
    header, columns, _, *lines = result.out.splitlines()
    assert header == "ml-100k: 2 split(s), 20 blocks each, standardised units"
    assert [line.split()[0] for line in lines] == ["EML", "FT", "Crossed", "Mean"]
    assert f"{of['eml'].query_mse.mean():.4f}" in lines[0]


def test_evaluate_tunes_on_meta_validation_blocks(run, data):
    argv = "evaluate --methods damped_bias --splits 1 --blocks 10 --out rows.csv"
    errors = []
    for tune in ((), ("--tune",)):
        assert run(*argv.split(), *tune).code == 0
        errors.append(pd.read_csv("rows.csv").query_mse[0])
    assert errors[0] != errors[1]


@pytest.mark.slow
def test_evaluate_with_features_measures_on_the_same_blocks(run, data):
    argv = "evaluate --methods ours,mean --splits 1 --blocks 10 --preset paper --epochs 1"
    found = []
    for more in ((), ("--features", "year")):
        assert run(*argv.split(), "--out", "rows.csv", *more).code == 0
        found.append(pd.read_csv("rows.csv").set_index("method").query_mse)
    plain, told = found
    assert plain["mean"] == told["mean"] and plain["ours"] != told["ours"]
