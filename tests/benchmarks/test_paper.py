"""The experiments' runner: which rows there are to be, how they are computed, and that a stopped
run goes on."""

import functools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
from distributed import LocalCluster

from benchmarks import grid
from benchmarks.paper import __main__ as command
from benchmarks.paper import methods, plan
from benchmarks.paper.plan import KEYS
from metamf import datasets
from metamf.baselines import METHODS
from metamf.learning import evaluation
from metamf.recipes.data import prepare
from metamf.recipes.presets import PRESETS


def all_parts(experiment, splits=(0, 1), preset="tuned"):
    return list(plan.parts(experiment, datasets.NAMES, splits, METHODS, preset))


@pytest.mark.parametrize("experiment", plan.EXPERIMENTS)
def test_no_row_is_computed_twice(experiment):
    keys = [key for part in all_parts(experiment) for key in part.keys]
    assert len(keys) == len(set(keys)) > 0


def test_a_stopped_run_goes_on(tmp_path, monkeypatch):
    computed, limit = [], 4

    def compute(part, models):
        if len(computed) == limit:
            raise KeyboardInterrupt
        computed.append(part)
        return [dict(zip(KEYS, key)) | {"query_mse": 0.5} for key in part.keys]

    def run():
        few = ["--methods", "mean", "ours", "--splits", "0", "1"]
        command.main(["table1", *few, "--out", str(tmp_path)])

    monkeypatch.setattr(command, "compute_part", compute)
    with pytest.raises(KeyboardInterrupt):
        run()
    kept = len(pd.read_csv(tmp_path / "table1.csv"))
    assert kept == 4
    limit = 100
    run()
    assert len(computed) == 4 + 12 - kept
    rows = pd.read_csv(tmp_path / "table1.csv")
    assert len(rows) == 12 and not rows.duplicated(["data", "split", "method"]).any()
    run()
    assert len(computed) == 4 + 12 - kept


@pytest.mark.slow
def test_jobs_are_computed_by_the_workers_of_a_scheduler():
    kind = {"processes": False, "protocol": "tcp", "dashboard_address": None}
    with LocalCluster(n_workers=1, threads_per_worker=1, **kind) as cluster:
        options = SimpleNamespace(scheduler=cluster.scheduler_address, jobs=1)
        assert sorted(grid.results(pow, [(2, 3), (3, 2)], options)) == [8, 9]


@pytest.fixture
def made_up(monkeypatch):
    """Small made-up data sets in place of the archives, and two epochs of training."""

    def load(name, folder=None, features=()):
        return datasets.synthetic(np.random.default_rng(len(name)), 160, 160, density=0.4).ratings

    short = replace(PRESETS["paper"].training, epochs=2, updates_per_epoch=3)
    presets = {name: replace(preset, training=short) for name, preset in PRESETS.items()}
    monkeypatch.setattr(datasets, "load", load)
    monkeypatch.setattr(methods, "PRESETS", presets)
    monkeypatch.setattr(methods, "TEST_BLOCKS", 12)
    monkeypatch.setattr(methods, "CHOICE_BLOCKS", 2)
    for name in ("prepared", "best_config"):
        monkeypatch.setattr(methods, name, functools.cache(getattr(methods, name).__wrapped__))
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


def rows_of(method, *settings, models, data="jester", preset="", experiment="any"):
    part = plan.ExperimentPart(data, experiment, 0, method, settings or ("",), preset)
    return methods.compute_part(part, models)


def test_means_are_those_of_the_blocks_and_of_the_first_ten(made_up, tmp_path):
    (row,) = rows_of("damped_bias", models=tmp_path)
    assert row["blocks"] == 12
    mean, damped = METHODS["mean"].build(), methods.fitted("damped_bias", "jester", 0).method
    for name, method in (("mean_query_mse", mean), ("query_mse", damped)):
        errors = evaluation.block_errors(method, prepare("jester", 0, 12).test).query_mse
        assert float(row[name]) == pytest.approx(errors.mean(), rel=1e-5)
        assert float(row[f"{name}_10"]) == pytest.approx(errors[:10].mean(), rel=1e-5)


def test_ft_starts_from_eml(made_up, tmp_path, monkeypatch):
    rows_of("eml", models=tmp_path, preset="paper")
    monkeypatch.setattr(methods, "meta_training", None)
    (ft,) = rows_of("ft", models=tmp_path, preset="paper")
    assert ft["note"].endswith("steps=10 learning_rate=0.001")
