"""Meta-training that goes on where it stopped."""

from itertools import islice

import torch
from problems import structured_ratings

from metamf.baselines import METHODS
from metamf.learning.episodes import EpisodeBatch, held_out_blocks
from metamf.learning.recipes import PRESETS, meta_training, resumable

VALIDATION = EpisodeBatch.of(held_out_blocks(structured_ratings(24, 24, seed=1), 4, [0], (8, 8)))


def new_training(preset):
    """Three epochs of 16 updates, on blocks of 8 x 8; with dropout, so that random numbers count."""
    return meta_training(
        METHODS["eml"], PRESETS[preset], [structured_ratings(40, 40)], VALIDATION, size=(8, 8), epochs=3
    )


def test_a_resumed_run_equals_an_uninterrupted_one(tmp_path):
    state = tmp_path / "run.state"
    whole, stopped, resumed = (new_training("paper") for _ in range(3))
    history = list(resumable(whole, None))
    assert list(islice(resumable(stopped, state), 2)) == history[:2] and state.is_file()
    assert list(resumable(resumed, state)) == history[2:] and resumed.history == history
    for name, value in whole.method.state_dict().items():
        assert torch.equal(resumed.method.state_dict()[name], value), name


def test_a_run_that_was_over_has_nothing_left_to_do(tmp_path):
    state = tmp_path / "run.state"
    finished, again = new_training("paper"), new_training("paper")
    list(resumable(finished, state))
    assert list(resumable(again, state)) == [] and again.finished
    for name, value in finished.method.state_dict().items():
        assert torch.equal(again.method.state_dict()[name], value), name
