"""Presets, and the meta-training of any method by one."""

import numpy as np
import pytest
import torch
from problems import structured_ratings

from metamf.baselines import METHODS
from metamf.learning.episodes import EpisodeBatch, held_out_blocks
from metamf.learning.recipes import PRESETS, meta_training

TRAIN = structured_ratings(40, 40)
VALIDATION = EpisodeBatch.of(held_out_blocks(structured_ratings(24, 24, seed=1), 4, [0], (12, 12)))


def training_of(key, preset="tuned", **settings):
    return meta_training(METHODS[key], PRESETS[preset], [TRAIN], VALIDATION, **settings)


@pytest.mark.parametrize(("preset", "dropout"), [("tuned", 0.0), ("paper", 0.1), ("last", 0.0)])
@pytest.mark.parametrize("key", ["ours", "eml", "maml"])
def test_every_network_is_trained_with_the_preset_s_dropout_and_settings(key, preset, dropout):
    training = training_of(key, preset, seed=3)
    assert training.method.config.dropout == dropout
    assert training.config.learning_rate == PRESETS[preset].training.learning_rate and training.config.seed == 3


def test_the_seed_decides_the_initial_parameters_and_torchs_generator_is_left_alone():
    state = torch.get_rng_state()
    first, again, other = (dict(training_of("eml", seed=seed).method.named_parameters()) for seed in (1, 1, 2))
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(value, again[name]) for name, value in first.items())
    assert any(not torch.equal(value, other[name]) for name, value in first.items())


def test_epochs_configuration_and_block_size_stand_in_for_the_preset_s():
    config = METHODS["eml"].default
    training = training_of("eml", epochs=1, config=config, size=(12, 7))
    assert training.config.epochs == 1 and training.method.config == config
    (progress,) = training.run()
    assert progress.epoch == 1
    batch = training.sampler.sample(np.random.default_rng(0), 3).support
    assert batch.n_rows.tolist() == [12] * 3 and batch.n_cols.tolist() == [7] * 3
