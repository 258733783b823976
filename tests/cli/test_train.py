"""metamf train."""

import os
import signal
import time

import pandas as pd
import pytest
import torch
from commands import REPOSITORY, data, failure, in_an_empty_folder, made_up_ratings, process, run  # noqa: F401  fixtures

from metamf.checkpoints.files import load_checkpoint, read_safetensors
from metamf.learning.training import MetaTraining

TRAIN = ("train", "--data", "ml-100k", "--preset", "paper", "--epochs", "3", "--out", "my.safetensors")


def test_train_writes_checkpoint_card_and_log(run, tmp_path, data):
    result = run(*TRAIN, "--log", "log.csv")
    assert result.code == 0 and result.out == "my.safetensors\n"
    assert "3/3" in result.said and "validation error" in result.said and "% of the support mean's error" in result.said
    _, info = load_checkpoint("my.safetensors")
    assert (info.name, info.data, info.split_seed, info.recipe["preset"]) == ("my", "ml-100k", 0, "paper")
    assert info.recipe["command"] == (
        "python -m metamf train --data ml-100k --preset paper --split 0 --seed 0 --epochs 3 --out my.safetensors"
    )
    assert info.errors["ratio"] < 1.05 and f"{100 * info.errors['ratio']:.1f} %" in result.said
    assert f"**{info.errors['ratio']:.4f}**" in (tmp_path / "my.md").read_text()
    log = pd.read_csv("log.csv")
    assert log.epoch.tolist() == [1, 2, 3]
    assert log.best_error.tolist() == log.validation_error.cummin().tolist()
    assert sorted(os.listdir()) == ["log.csv", "my.md", "my.safetensors"]


@pytest.mark.slow
def test_features_are_learned_and_named(run, data):
    assert run(*TRAIN, "--features", "genre,year").code == 0
    network, info = load_checkpoint("my.safetensors")
    assert network.config.col_features == 3 and network.prior.layers[0].of_col_features.abs().max() > 0
    assert info.recipe["features"] == ["genre", "year"] and "--features genre,year --out" in info.recipe["command"]
    assert "there is no feature 'age'; choose from genre, year" in run(*TRAIN, "--features", "age").said
    several = ("train", "--data", "ml-1m", "jester", "--preset", "universal", "--features", "year")
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
def test_ctrl_c_keeps_the_best_so_far_and_the_same_command_comes_to_the_same_result(run, data, monkeypatch):
    assert run(*TRAIN[:-1], "whole.safetensors", "--log", "whole.csv").code == 0
    with monkeypatch.context() as patched:
        interrupt_in_epoch(patched, 3)
        result = run(*TRAIN)
    assert result.code == 130 and result.out == "my.safetensors\n"
    assert "Stopped: what was learned so far is kept, and the same command continues from here." in result.said
    assert load_checkpoint("my.safetensors")[1].recipe["best_epoch"] in (1, 2)
    resumed = run(*TRAIN, "--resume", "--log", "my.csv")
    assert resumed.code == 0 and "Continuing the stopped run" in resumed.said
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
    interrupt_in_epoch(monkeypatch, 2, FloatingPointError("the training error became nan in epoch 2"))
    result = run(*TRAIN)
    assert result.code == 1 and result.said.endswith("error: the training error became nan in epoch 2\n")
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


def test_a_data_set_that_is_not_here_is_said_with_the_command_that_gets_it(run, tmp_path):
    for command in (("train", "--data", "jester"), ("evaluate", "--data", "jester")):
        line = failure(run(*command, "--folder", tmp_path))
        assert "Jester 1, part 1 is missing" in line and "`python -m metamf download jester`" in line


@pytest.mark.slow
def test_a_real_ctrl_c_leaves_a_checkpoint_that_loads(tmp_path):
    script = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from metamf import datasets; from metamf.__main__ import main; from commands import made_up_ratings\n"
        "datasets.load = made_up_ratings; sys.exit(main(sys.argv[1:]))"
    )
    child = process("-c", script, *TRAIN[:5], "--epochs", "2000", "--out", "my.safetensors", cwd=tmp_path)
    deadline = time.monotonic() + 180
    while not list(tmp_path.glob(".my.*.state")) and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    out, said = child.communicate(timeout=60)
    assert (child.returncode, out) == (130, b"my.safetensors\n"), said.decode()
    assert b"what was learned so far is kept" in said and b"Traceback" not in said
    _, info = load_checkpoint(tmp_path / "my.safetensors")
    assert 1 <= info.recipe["best_epoch"] < 2000
    assert not [file for file in tmp_path.iterdir() if file.name.startswith(".my.safetensors.")]  # half-written ones
