"""Recipes: presets, and runs from data to a measured checkpoint with its card, repeated to the
bit."""

import re
from dataclasses import replace

import numpy as np
import pytest
import torch
from made_up import made_up_ratings
from problems import STARS, structured_ratings

from metamf import datasets
from metamf.__main__ import main
from metamf.baselines import METHODS
from metamf.baselines.biases import Mean
from metamf.checkpoints.bundled import find_checkpoint, list_pretrained, open_checkpoint
from metamf.checkpoints.files import load_checkpoint, read_safetensors
from metamf.checkpoints.info import TrainingDomain
from metamf.datasets import synthetic
from metamf.learning.episodes import (
    BlockSampler,
    EpisodeBatch,
    MixedSampler,
    divide_entries,
    held_out_blocks,
)
from metamf.learning.evaluation import summarize
from metamf.network.meta_mf import MetaMFConfig
from metamf.network.universal.network import UniversalConfig
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import ScaleUnits
from metamf.recipes import universal as universal_recipe
from metamf.recipes.data import load_domains, prepare_ratings
from metamf.recipes.drawn import drawn_card
from metamf.recipes.paper import PaperRun, domain_of_blocks, paper_card
from metamf.recipes.presets import PRESETS, Preset, meta_training
from metamf.recipes.universal import (
    UniversalRun,
    domain_of_mixed,
    fit_units,
    measured_errors,
    universal_card,
)

TRAIN = structured_ratings(40, 40)
VALIDATION = EpisodeBatch.of(held_out_blocks(structured_ratings(24, 24, seed=1), 4, [0], (12, 12)))


def training_of(key, preset="tuned", **settings):
    return meta_training(METHODS[key], PRESETS[preset], [TRAIN], VALIDATION, **settings)


@pytest.mark.parametrize(("preset", "dropout"), [("tuned", 0.0), ("paper", 0.1)])
@pytest.mark.parametrize("key", ["ours", "eml", "maml"])
def test_every_network_is_trained_with_the_preset_s_dropout_and_settings(key, preset, dropout):
    training = training_of(key, preset, seed=3)
    settings = PRESETS[preset].training
    assert training.method.config.dropout == dropout
    assert training.config == replace(settings, seed=3)


@pytest.mark.slow
def test_epochs_configuration_and_block_size_stand_in_for_the_preset_s():
    config = METHODS["eml"].default
    training = training_of("eml", epochs=1, config=config, size=(12, 7))
    assert training.config.epochs == 1 and training.method.config == config
    (progress,) = training.run()
    assert progress.epoch == 1
    batch = training.sampler.sample(np.random.default_rng(0), 3).support
    assert batch.n_rows.tolist() == [12] * 3 and batch.n_cols.tolist() == [7] * 3


SMALL = MetaMFConfig(channels=4, layers=1, hidden=5, prior_layers=1, rank=2, steps=2)


@pytest.fixture(scope="module")
def prepared():
    return prepare_ratings(structured_ratings(80, 80), 0, blocks=4, size=(8, 8))


@pytest.fixture(params=["tuned", "last"])
def run(request, prepared, monkeypatch):
    """Three epochs of two updates of a small network, too small to change it: the best epoch is the
    first."""
    training = replace(PRESETS[request.param].training, updates_per_epoch=2, learning_rate=1e-30)
    monkeypatch.setitem(PRESETS, request.param, Preset(SMALL, training))
    run = PaperRun("ml-1m", prepared, request.param, epochs=3)
    assert [progress.best_epoch for progress in run.training.run()] == [1, 1, 1]
    return run


def test_a_run_ends_in_a_checkpoint_with_its_errors_and_a_card(run, prepared, tmp_path):
    info = run.finish(tmp_path / "mine.safetensors", "python -m metamf train --seed 0")
    model, found = load_checkpoint(tmp_path / "mine.safetensors")
    assert found == info and model.config == SMALL
    assert (info.name, info.data, info.kind, info.split_seed) == ("mine", "ml-1m", "metamf", 0)
    assert (info.standardization, info.scale) == (prepared.standardization, prepared.scale)
    assert info.errors == summarize(model, Mean(), prepared.test)
    assert info.recipe["command"] == "python -m metamf train --seed 0"
    kept = {"tuned": 1, "last": 3}[run.preset]
    assert (info.recipe["best_epoch"], info.recipe["kept_epoch"]) == (1, kept)
    card = (tmp_path / "mine.md").read_text(encoding="utf-8")
    assert card == paper_card(info, model) and f"the parameters of epoch {kept} of\n3." in card


SMALL_UNIVERSAL = UniversalConfig(channels=4, layers=1, hidden=5, rank=2, steps=2, effect_sweeps=2)


@pytest.fixture
def quick(monkeypatch, tmp_path):
    """Made-up data, few small updates."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(datasets, "load", made_up_ratings)
    training = replace(universal_recipe.UNIVERSAL_TRAINING, epochs=2, updates_per_epoch=3, warmup=2)
    monkeypatch.setattr(universal_recipe, "UNIVERSAL_TRAINING", training)
    monkeypatch.setattr(universal_recipe, "VALIDATION_BATCHES", 1)
    monkeypatch.setattr(universal_recipe, "CALIBRATION_BATCHES", 4)
    monkeypatch.setattr(universal_recipe, "UNIT_BLOCKS", 5)
    monkeypatch.setattr(universal_recipe, "UniversalConfig", lambda: SMALL_UNIVERSAL)


def new_run(**settings) -> UniversalRun:
    names = ["ml-1m", "jester"]
    return UniversalRun(names, load_domains(names, 0), config=SMALL_UNIVERSAL, **settings)


@pytest.mark.slow
def test_a_run_ends_in_a_calibrated_checkpoint_with_errors_and_card(quick, tmp_path, monkeypatch):
    run = new_run()
    start = run.model.interval_widths.clone()
    list(run.training.run())
    calibrated_on, sample = [], MixedSampler.sample

    def spy(self, *arguments):
        calibrated_on.append((self.matrices, self.synthetic_share))
        return sample(self, *arguments)

    monkeypatch.setattr(MixedSampler, "sample", spy)
    info = run.finish(tmp_path / "mine.safetensors", "python -m metamf train")
    model, found = load_checkpoint(tmp_path / "mine.safetensors")
    assert found == info and model.config == SMALL_UNIVERSAL
    assert (info.name, info.data) == ("mine", "ml-1m, jester")
    assert (info.standardization, info.scale) == (None, None)
    share = universal_recipe.SYNTHETIC_SHARE
    assert info.recipe["made_up"] == run.training.sampler.synthetic_share == share > 0
    assert not torch.equal(model.interval_widths, start)
    assert (model.interval_widths.diff() >= 0).all()
    held_out = [((part,), 0) for part in run.domains.calibration.values() for _ in range(5)]
    assert calibrated_on == 2 * held_out
    # of the last epoch, whichever suits validation best
    last = dict(run.training.average.named_parameters())
    assert info.recipe["last_epoch"] == 2
    assert all(torch.equal(value, last[k]) for k, value in model.named_parameters())
    assert list(info.errors) == ["ml-1m", "jester"]
    assert info.errors["jester"] == measured_errors(run.model, run.domains.test["jester"], 0)
    text = (tmp_path / "mine.md").read_text()
    assert text == universal_card(info, run.model)
    for errors in info.errors.values():
        assert (errors["blocks"]["blocks"], errors["whole"]["blocks"]) == (200, 1)
        for where in errors.values():
            assert 0 < where["query_mse"] < 2 and 0 < where["cover_50"] < where["cover_95"] <= 1
            assert f"| {where['query_mse']:.3f} | {where['ratio']:.3f} |" in text


@pytest.mark.gpu
def test_a_run_on_a_gpu_ends_in_a_checkpoint(quick, tmp_path):
    run = new_run(device="cuda", epochs=1)
    list(run.training.run())
    found = run.finish(tmp_path / "mine.safetensors", "").errors["jester"]["blocks"]
    model, _ = load_checkpoint(tmp_path / "mine.safetensors")
    on_cpu = measured_errors(model, run.domains.test["jester"], 0)["blocks"]
    assert found["query_mse"] == pytest.approx(on_cpu["query_mse"], rel=1e-3)


@pytest.mark.slow
def test_train_takes_several_data_sets_with_preset_universal_alone(quick, tmp_path, capsys):
    train_on_both = "train", "--data", "ml-1m", "jester"
    options = ["--preset", "universal", "--epochs", "1", "--out", "u.safetensors"]
    assert main([*train_on_both, *options]) == 0
    out, said = capsys.readouterr()
    assert out == "u.safetensors\n" and "Epoch 1 is kept. All figures are in u.md." in said
    header = read_safetensors(tmp_path / "u.safetensors")[1]
    assert (header["kind"], header["data"]) == ("universal", "ml-1m, jester")
    command = "python -m metamf train --data ml-1m jester --preset universal --split 0 --seed 0 "
    assert header["recipe"]["command"] == command + "--epochs 1 --out u.safetensors"
    assert main(train_on_both) == 1
    refused = "error: preset tuned trains on one data set, got ml-1m, jester"
    assert refused in capsys.readouterr().err


UNITS = ScaleUnits(mean=0.6, variance=0.09, mean_weight=8.0, variance_weight=16.0)


def row_of(values, scale=STARS) -> Ratings:
    return Ratings.from_dense([values], scale=scale)


def test_the_formula_is_that_of_made_up_entries():
    units = UNITS.of(row_of([5, 3]))
    mean = (5 + 3 + 8 * 3.4) / 10
    variance = ((5 - mean) ** 2 + (3 - mean) ** 2 + 16 * 0.09 * 4**2) / 18
    assert units.mean == pytest.approx(mean) and units.std == pytest.approx(variance**0.5)


@pytest.mark.parametrize(("factor", "shift"), [(1e-6, 0), (1e6, -1e6), (0.25, -0.25), (-1, 6)])
def test_an_affine_change_of_ratings_and_scale_changes_no_standardised_value(factor, shift):
    values = np.array([5.0, 3, 4, 1, 5])
    ends = sorted(end * factor + shift for end in (1, 5))
    moved = row_of(values * factor + shift, RatingScale(*ends))
    units = replace(UNITS, mean=0.4) if factor < 0 else UNITS
    expected = np.sign(factor) * UNITS.of(row_of(values)).apply(values)
    np.testing.assert_allclose(units.of(moved).apply(moved.values), expected, rtol=1e-9)


@pytest.mark.slow
def test_the_estimate_finds_what_the_matrices_were_made_with():
    """Levels spread by 0.05 of the scale around 0.6, ratings by 0.2 around their level: worth 0.2^2
    / 0.05^2 = 16."""
    rng = np.random.default_rng(0)

    def episode():
        values = -10 + 20 * (0.6 + 0.05 * rng.standard_normal() + 0.2 * rng.standard_normal(40))
        return divide_entries(row_of(values, RatingScale(-10, 10)), rng.uniform(0.1, 0.9), rng)

    units = fit_units([episode() for _ in range(3000)])
    assert units.mean == pytest.approx(0.6, abs=0.005)
    assert units.variance == pytest.approx(0.04, rel=0.1)
    assert units.mean_weight == pytest.approx(16, rel=0.2) and units.variance_weight > 50


def test_the_estimate_asks_for_the_scale_of_every_episode():
    episode = divide_entries(row_of([1.0, 2.0, 3.0, 4.0], None), 0.5, np.random.default_rng(0))
    with pytest.raises(ValueError, match="give each one its scale"):
        fit_units([episode])


THUMBS = RatingScale(0, 1, 1)


def made_up(n, m, density, scale=STARS):
    return synthetic(np.random.default_rng(0), n, m, density=density, scale=scale).ratings


def test_blocks_are_as_large_as_their_matrix_lets_them_be():
    ratings = made_up(40, 20, 0.4)
    found = domain_of_blocks(BlockSampler([ratings]), STARS)
    density = round(0.5 * ratings.density, 4)
    assert found == TrainingDomain((30, 30), (20, 20), (density, density), (STARS,))


def test_mixed_matrices_are_as_sparse_as_the_sparsest_and_as_dense_as_the_densest():
    sparse, dense = made_up(50, 60, 0.1), made_up(50, 60, 0.8, THUMBS)
    sampler = MixedSampler((sparse, dense), smallest=5, largest=(40, 50))
    ends = round(0.1 * sparse.density, 4), round(0.9 * dense.density, 4)
    assert domain_of_mixed(sampler) == TrainingDomain((5, 40), (5, 50), ends, (STARS, THUMBS))


@pytest.mark.parametrize("name", list_pretrained())
def test_a_bundled_card_is_what_its_checkpoint_s_header_gives(name):
    """But for the tables that benchmarks/report writes between their markers."""
    network, info = open_checkpoint(name)
    written = drawn_card if "training_mean" in info.recipe else paper_card
    text = (universal_card if info.kind == "universal" else written)(info, network)
    card = find_checkpoint(name).with_suffix(".md").read_text(encoding="utf-8")
    assert without_tables(card) == without_tables(text)


def without_tables(card):
    return re.sub(r"(?s)(<!-- begin: (\w+) [^>]*-->\n).*?(<!-- end: \2 -->)", r"\1\3", card)
