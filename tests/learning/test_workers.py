"""Processes that share a batch: their shares, their sums, and training by torchrun against training by one process."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from problems import CORNER_CASES, random_ratings, small_model, small_universal, structured_ratings

from metamf.baselines.eml import EML, EMLConfig
from metamf.baselines.maml import MAML, MAMLConfig
from metamf.checkpoints.files import load_checkpoint, read_safetensors
from metamf.learning.episodes import EpisodeBatch, divide_entries
from metamf.learning.objectives import calibrated_errors, squared_errors
from metamf.learning.workers import Loss, Workers, joined

REPOSITORY = Path(__file__).resolve().parents[2]


def batch_of(*matrices) -> EpisodeBatch:
    rng = np.random.default_rng(0)
    return EpisodeBatch.of([divide_entries(ratings, 0.6, rng) for ratings in matrices], torch.float64)


MIXED = batch_of(*CORNER_CASES.values(), structured_ratings(20, 30), random_ratings(6, 9), random_ratings(25, 4))


def shares(batch: EpisodeBatch, size: int) -> list[EpisodeBatch]:
    return [Workers(rank, size).share(batch) for rank in range(size)]


# -- shares -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 3, 7, 40])
def test_every_matrix_is_in_one_share(size):
    parts = shares(MIXED, size)
    sizes = [list(zip(part.support.n_rows.tolist(), part.support.n_cols.tolist())) for part in parts]
    assert sum(sizes, []) == list(zip(MIXED.support.n_rows.tolist(), MIXED.support.n_cols.tolist()))
    for name in ("x", "row", "col", "row_matrix", "col_matrix"):
        assert sum(len(getattr(part.support, name)) for part in parts) == len(getattr(MIXED.support, name))
    torch.testing.assert_close(torch.cat([part.support.x for part in parts]), MIXED.support.x, rtol=0, atol=0)
    torch.testing.assert_close(torch.cat([part.query_x for part in parts]), MIXED.query_x, rtol=0, atol=0)


@pytest.mark.parametrize("size", [2, 4, 8])
def test_blocks_of_one_size_are_shared_evenly(size):
    blocks = batch_of(*(random_ratings(12, 10, density=1.0, seed=seed) for seed in range(16)))
    assert [len(part.support) for part in shares(blocks, size)] == size * [16 // size]


def test_a_large_matrix_is_as_much_work_as_many_small_ones():
    small, large = (random_ratings(12, 10, density=1.0, seed=seed) for seed in range(15)), random_ratings(46, 46, 1.0)
    assert [len(part.support) for part in shares(batch_of(large, *small), 2)] == [1, 15]


@pytest.mark.parametrize("size", [2, 3, 40])
@pytest.mark.parametrize(
    "model, objective",
    [
        (small_model(dropout=0.0), squared_errors),
        (EML(EMLConfig(channels=4, dropout=0.0)), squared_errors),
        (MAML(MAMLConfig(channels=4, dropout=0.0, inner_steps=2)), squared_errors),
        (small_universal(), calibrated_errors),
    ],
    ids=["the paper's", "EML", "MAML", "universal"],
)
def test_sums_and_gradients_of_the_shares_add_up_to_those_of_the_batch(model, objective, size):
    model = model.double().train()  # without dropout: every process draws its own

    def sums(parts) -> list[torch.Tensor]:
        model.zero_grad()
        totals = []
        for part in parts:
            total, weight = Loss(objective, model)(part)
            total.backward()
            totals.append(torch.stack([total.detach(), weight]))
        parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
        grads = [torch.zeros_like(p) if p.grad is None else p.grad.clone() for p in parameters]
        return [torch.stack(totals).sum(0), *grads]

    torch.testing.assert_close(sums(shares(MIXED, size)), sums([MIXED]), rtol=1e-10, atol=1e-10)


def test_without_torchrun_a_process_is_alone(monkeypatch):
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    with joined() as workers:
        assert workers == Workers(0, 1, "cpu") and workers.first
        assert workers.share(MIXED) is MIXED and workers.add_up(torch.tensor(1.5)) == [1.5]
        assert not torch.distributed.is_initialized()


# -- two processes ----------------------------------------------------------------------------------------------------

SCRIPT = """
import sys
from dataclasses import replace
from metamf import datasets
from metamf.learning import recipes as universal_recipe
from metamf.__main__ import main
from tests.support.commands import made_up_ratings
datasets.load = made_up_ratings
universal_recipe.UNIVERSAL_TRAINING = replace(universal_recipe.UNIVERSAL_TRAINING, updates_per_epoch=10)
universal_recipe.CALIBRATION_BATCHES = 4
sys.exit(main(sys.argv[1:]))
"""


def train(folder: Path, processes: int, *arguments: str) -> subprocess.Popen:
    (folder / "train.py").write_text(SCRIPT)
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(processes)]
    command = [sys.executable, *(launcher if processes > 1 else []), "train.py", "train", "--data", "ml-100k"]
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY), "OMP_NUM_THREADS": "1"}
    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen([*command, *arguments], cwd=folder, env=environment, text=True, **pipes)


def assert_same_curve(log: Path, other: Path):
    """float32 sums in another order differ in their last bits, and every update carries that further."""
    found, expected = pd.read_csv(log), pd.read_csv(other)
    assert found.epoch.tolist() == expected.epoch.tolist() and len(found) > 1
    for column in ("train_error", "validation_error", "best_error"):
        np.testing.assert_allclose(found[column], expected[column], rtol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("preset, epochs", [("tuned", 2), ("universal", 2)])  # without dropout
def test_two_processes_train_as_one_does_and_the_first_writes(tmp_path, preset, epochs):
    said = {}
    for processes in (1, 2):
        (folder := tmp_path / str(processes)).mkdir()
        arguments = ("--preset", preset, "--epochs", str(epochs), "--out", "my.safetensors", "--log-file", "log.csv")
        child = train(folder, processes, *arguments)
        out, said[processes] = child.communicate(timeout=300)
        assert (child.returncode, out) == (0, "my.safetensors\n"), said[processes]
        assert sorted(os.listdir(folder)) == ["log.csv", "my.md", "my.safetensors", "train.py"]
    assert said[2].count(" is kept") == 1
    assert_same_curve(tmp_path / "2" / "log.csv", tmp_path / "1" / "log.csv")
    one, two = (read_safetensors(tmp_path / name / "my.safetensors")[0] for name in "12")
    torch.testing.assert_close(two, one, rtol=1e-2, atol=1e-3)
    command = load_checkpoint(tmp_path / "2" / "my.safetensors")[1].recipe["command"]
    assert command.startswith("torchrun --nproc-per-node 2 -m metamf train --data ml-100k")


@pytest.mark.slow
def test_ctrl_c_stops_both_processes_and_the_same_command_goes_on(tmp_path):
    (whole := tmp_path / "whole").mkdir()
    arguments = ("--preset", "paper", "--epochs", "10", "--out", "my.safetensors", "--log-file", "log.csv")
    assert train(whole, 2, *arguments).wait(300) == 0
    child = train(tmp_path, 2, *arguments)
    deadline = time.monotonic() + 120
    while not list(tmp_path.glob(".my.*.state")) and time.monotonic() < deadline:
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    out, said = child.communicate(timeout=120)
    assert out == "my.safetensors\n" and said.count("Stopped: what was learned so far is kept") == 1, said
    assert child.returncode != 0 and load_checkpoint(tmp_path / "my.safetensors")[1].recipe["best_epoch"] < 10
    child = train(tmp_path, 2, *arguments, "--resume")
    out, said = child.communicate(timeout=300)
    assert child.returncode == 0 and said.count("Going on with the run that was stopped") == 1, said
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "log.csv"), pd.read_csv(whole / "log.csv"))
    one, two = (read_safetensors(folder / "my.safetensors")[0] for folder in (tmp_path, whole))
    torch.testing.assert_close(one, two, rtol=0, atol=0)
