"""Training on tables of one's own: what is held out, what is saved, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from problems import structured_ratings

from metamf.checkpoints.files import load_checkpoint
from metamf.network.meta_mf import MetaMFConfig
from metamf.ratings.matrix import Ratings
from metamf.recipes import own_tables
from metamf.recipes.own_tables import TablesRun, own_card
from metamf.recipes.presets import PRESETS, Preset

SMALL = MetaMFConfig(channels=3, hidden=3, rank=2, steps=2, dropout=0.0, safe_steps=True)


def tables(count, N=12, M=9):
    return [structured_ratings(N, M, 0.7, seed) for seed in range(count)]


@pytest.fixture
def quick(monkeypatch):
    training = replace(PRESETS["tuned"].training, updates_per_epoch=2, epochs=2)
    monkeypatch.setitem(PRESETS, "tuned", Preset(SMALL, training))
    monkeypatch.setattr(own_tables, "HELD_OUT_BLOCKS", 10)


def test_a_run_ends_in_a_checkpoint_that_says_what_it_learned(quick, tmp_path):
    run = TablesRun(tables(12), SMALL, seed=3)
    list(run.training.run())
    info = run.save(tmp_path / "mine.safetensors")
    network, found = load_checkpoint(tmp_path / "mine.safetensors")
    assert found == info and network.config == SMALL
    assert (info.data, info.split_seed, info.recipe["tables"]) == ("your tables", 3, 12)
    assert info.standardization == run.units and info.scale == run.scale
    assert info.recipe["steps_taken"]["largest"] <= 0.0101
    assert (tmp_path / "mine.md").read_text("utf-8") == own_card(info, network)


@pytest.mark.parametrize("count", [1, 12])
def test_what_is_held_out_was_not_learned_from(quick, count):
    numbers = np.arange(1600.0 * count).reshape(count, 40, 40)
    parts = own_tables._divided([Ratings.from_dense(X) for X in numbers], 0)
    seen = [np.concatenate([matrix.values for matrix in part]) for part in parts]
    assert all(map(len, seen)) and len(np.unique(np.concatenate(seen))) == sum(map(len, seen))


def test_arrays_with_gaps_are_tables_and_sizes_may_differ(quick):
    given = [*(matrix.to_dense() for matrix in tables(6)), *tables(6, 20, 5)]
    run = TablesRun(given, SMALL)
    assert next(run.training.run()).epoch == 1


def test_nothing_is_saved_before_an_epoch(quick, tmp_path):
    with pytest.raises(ValueError, match="nothing is trained yet"):
        TablesRun(tables(12)).save(tmp_path / "mine.safetensors")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "given, settings, message",
    [
        ([], {}, "at least one table to learn from, got none"),
        ([np.full((4, 4), np.nan)], {}, "none of the 1 tables holds a number"),
        ([np.ones((9, 9))], {}, "all ratings are 1: nothing can be learned"),
        ([np.ones((9, 9)), [["a", 1]]], {}, r"table 1, .*no matrix of numbers .*columns of words"),
        (tables(1, 3, 3), {}, "too small to divide"),
        (tables(12), {"scale": (0, 1)}, r"outside of the scale \(0, 1\)"),
        (tables(12), {"preset": "fast"}, "there is no preset 'fast'"),
    ],
)
def test_bad_input_is_named(given, settings, message):
    with pytest.raises(ValueError, match=message):
        TablesRun(given, **settings)
