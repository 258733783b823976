"""Configurations chosen on meta-validation episodes."""

import pytest
import torch
from problems import learnable_episodes

from metamf.baselines import METHODS, choose
from metamf.baselines.mean import Mean


def test_choose_takes_the_setting_with_the_lowest_error():
    episodes = learnable_episodes(4, 3)
    spec = METHODS["damped_bias"]
    choice = choose(spec.build, spec.grid, episodes)
    assert set(choice.errors) == set(spec.grid)
    assert choice.errors[choice.config] == min(choice.errors.values())
    method = spec.build(choice.config)
    estimates = method.adapt(episodes.support).predict(episodes.query_row, episodes.query_col)
    assert choice.errors[choice.config] == pytest.approx((estimates - episodes.query_x).square().mean().item())


def test_choose_passes_over_settings_that_diverge_and_needs_something_to_choose_from():
    class Constant(Mean):
        def adapt(self, support):
            return self

        def predict(self, row, col):
            return torch.full(row.shape, self.config)

    episodes = learnable_episodes(2, 3)
    assert choose(Constant, [float("nan"), float("inf"), 0.5], episodes).config == 0.5
    with pytest.raises(ValueError, match="0 settings"):
        choose(Constant, [], episodes)
