"""The experiments' runner: which rows there are to be, how they are computed, and that a stopped run goes on."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from distributed import Client, LocalCluster

from benchmarks.paper import __main__ as command
from benchmarks.paper import methods, plan
from benchmarks.paper.store import KEYS, Store
from metamf import datasets
from metamf.baselines import METHODS
from metamf.learning import evaluation
from metamf.learning.data import prepare
from metamf.recipes.presets import PRESETS


def all_parts(experiment, splits=(0, 1), preset="tuned"):
    return list(plan.parts(experiment, datasets.NAMES, splits, METHODS, preset, 0))


# -- the plan ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("experiment", plan.EXPERIMENTS)
def test_no_row_is_computed_twice(experiment):
    keys = [key for part in all_parts(experiment) for key in part.keys]
    assert len(keys) == len(set(keys)) > 0


# -- the store --------------------------------------------------------------------------------------------------------


def one_row(split=0, error=0.5):
    row = dict(zip(KEYS, ("jester", split, "mf", "", "", 0))) | {"query_mse": error}
    blocks = pd.DataFrame({"block": range(3), "query_mse": [error] * 3, "support_mse": 0.123456, "other": 1})
    return row, blocks


def test_rows_and_blocks_come_back(tmp_path):
    store = Store("table1", tmp_path)
    assert store.done() == set()
    for split in (0, 1):
        store.add(*one_row(split))
    assert store.done() == {("jester", "0", "mf", "", "", "0"), ("jester", "1", "mf", "", "", "0")}
    blocks = pd.read_parquet(store.blocks)
    assert len(blocks) == 6 and blocks.support_mse.iloc[0] == pytest.approx(0.123)


def test_blocks_without_their_row_are_replaced(tmp_path):
    store = Store("table1", tmp_path)
    store.add(*one_row(error=0.5))
    store.rows.unlink()  # as if the run had been stopped between the two files
    store.add(*one_row(error=0.7))
    assert pd.read_parquet(store.blocks).query_mse.tolist() == pytest.approx([0.7] * 3)


# -- the command ------------------------------------------------------------------------------------------------------


def test_a_stopped_run_goes_on(tmp_path, monkeypatch):
    computed, limit = [], 4

    def compute(part, models):
        if len(computed) == limit:
            raise KeyboardInterrupt
        computed.append(part)
        row, blocks = one_row()
        return [(row | dict(zip(KEYS, key)), blocks) for key in part.keys]

    def run():
        few = ["--methods", "mean", "ours", "--splits", "0", "1"]
        command.main(["table1", *few, "--out", str(tmp_path)])

    monkeypatch.setattr(command, "compute_part", compute)
    with pytest.raises(KeyboardInterrupt):
        run()
    kept = len(Store("table1", tmp_path).done())
    assert kept == 4
    limit = 100
    run()
    assert len(computed) == 4 + 12 - kept
    rows = pd.read_csv(tmp_path / "table1.csv")
    assert len(rows) == 12 and not rows.duplicated(["data", "split", "method"]).any()
    run()
    assert len(computed) == 4 + 12 - kept


@pytest.mark.slow
def test_rows_are_computed_by_the_workers_of_a_scheduler(tmp_path):
    """A worker meta-trains a method and tests it; a second run finds its rows done."""

    def small_data():
        def load(name, folder=None, features=()):
            return datasets.synthetic(np.random.default_rng(len(name)), 160, 160, density=0.4).ratings

        datasets.load = load
        for name, p in list(methods.PRESETS.items()):
            methods.PRESETS[name] = replace(p, training=replace(p.training, epochs=2, updates_per_epoch=3))

    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            client.run(small_data)
        few = ["--data", "jester", "--methods", "mean", "eml", "--splits", "0", "--preset", "paper"]
        words = ["table1", *few, "--out", str(tmp_path), "--models", str(tmp_path / "models")]
        command.main([*words, "--scheduler", cluster.scheduler_address])
        rows = (tmp_path / "table1.csv").read_text()
        assert set(pd.read_csv(tmp_path / "table1.csv").method) == {"mean", "eml"}
        assert list((tmp_path / "models").glob("eml-*.safetensors"))
        command.main([*words, "--scheduler", cluster.scheduler_address])
        assert (tmp_path / "table1.csv").read_text() == rows


# -- the rows ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def made_up(monkeypatch):
    """Small made-up data sets in place of the archives, and two epochs of training."""

    def load(name, folder=None, features=()):
        return datasets.synthetic(np.random.default_rng(len(name)), 160, 160, density=0.4).ratings

    short = {
        name: replace(p, training=replace(p.training, epochs=2, updates_per_epoch=3)) for name, p in PRESETS.items()
    }
    monkeypatch.setattr(datasets, "load", load)
    monkeypatch.setattr(methods, "PRESETS", short)
    monkeypatch.setattr(methods, "TEST_BLOCKS", 12)
    monkeypatch.setattr(methods, "CHOICE_BLOCKS", 2)
    methods.prepared.cache_clear()
    methods.best_config.cache_clear()
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)
    methods.prepared.cache_clear()
    methods.best_config.cache_clear()


def rows_of(method, *settings, models, data="jester", preset="", experiment="any"):
    found = methods.compute_part(plan.ExperimentPart(experiment, data, 0, method, settings or ("",), preset, 0), models)
    return [row for row, _ in found], [blocks for _, blocks in found]


def test_means_are_those_of_the_blocks_and_of_the_first_ten(made_up, tmp_path):
    (row,), (blocks,) = rows_of("damped_bias", models=tmp_path)
    expected = evaluation.block_errors(METHODS["mean"].build(), prepare("jester", 0, 12).test)
    assert row["blocks"] == len(blocks) == 12
    assert float(row["mean_query_mse"]) == pytest.approx(expected.query_mse.mean(), rel=1e-5)
    assert float(row["mean_query_mse_10"]) == pytest.approx(expected.query_mse[:10].mean(), rel=1e-5)
    assert float(row["query_mse"]) == pytest.approx(blocks.query_mse.mean(), rel=1e-5)
    assert float(row["query_mse_10"]) == pytest.approx(blocks.query_mse[:10].mean(), rel=1e-5)
    assert re.search(rf"torch \S+, .*code {methods.CODE}$", row["versions"]) and row["training_seconds"] == ""


def test_ft_starts_from_eml(made_up, tmp_path, monkeypatch):
    rows_of("eml", models=tmp_path, preset="paper")
    monkeypatch.setattr(methods, "meta_training", None)
    (ft,), _ = rows_of("ft", models=tmp_path, preset="paper")
    assert ft["note"].endswith("steps=10 learning_rate=0.001")


@pytest.mark.slow
def test_finetuning_begins_at_eml_and_fits_what_is_given_more_closely_with_every_step(made_up, tmp_path):
    eml = rows_of("eml", models=tmp_path, preset="paper")[0][0]
    rows, _ = rows_of("ft", *(f"rate=0.001 steps={n}" for n in (0, 10, 100)), models=tmp_path, preset="paper")
    errors = [float(row["support_mse"]) for row in rows]
    assert (rows[0]["query_mse"], rows[0]["support_mse"]) == (eml["query_mse"], eml["support_mse"])
    assert errors[0] > errors[1] > errors[2]
    assert rows[1]["query_mse"] == rows_of("ft", models=tmp_path, preset="paper")[0][0]["query_mse"]
    tuned, _ = rows_of("ft", "rate=0.1 steps=1", models=tmp_path, preset="tuned")  # given, so not chosen
    assert tuned[0]["note"].endswith("steps=1 learning_rate=0.1")
