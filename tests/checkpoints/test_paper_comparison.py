"""This network and the paper's: the lines of a card and of the app."""

import numpy as np
import pytest
from checkpoint_files import INFO
from dense_reference import algorithm_1, dense, step_sizes, weights
from problems import random_ratings, small_model

from metamf.checkpoints.bundled import list_pretrained, open_checkpoint
from metamf.checkpoints.paper_comparison import (
    compared_with_paper,
    in_papers_size,
    steps_taken,
)
from metamf.learning.episodes import EpisodeBatch, divide_entries
from metamf.network.meta_mf import MetaMF


def settings(name):
    return {setting.name: setting for setting in compared_with_paper(*open_checkpoint(name))}


def test_the_papers_own_network_differs_in_nothing_and_the_extended_one_is_not_the_papers():
    found = compared_with_paper(MetaMF(), INFO)
    differing = {setting.name for setting in found if setting.differs}
    assert differing.isdisjoint({"factors K", "channels C", "steps T", "step size η", "dropout"})
    assert settings("universal") == {}


@pytest.mark.parametrize("name", [name for name in list_pretrained() if name != "universal"])
def test_each_bundled_checkpoint_has_every_line_and_tells_the_papers_size(name):
    lines = {"factors K", "step size η", "precision λ of the prior", "training length"}
    assert lines <= settings(name).keys()
    of_another_size = "film-nights", "ml-1m-nmf"
    assert in_papers_size(open_checkpoint(name).network.config) == (name not in of_another_size)


def test_steps_taken_are_those_of_the_dense_equations():
    model = small_model(step_size=0.3, safe_steps=True)
    episode = divide_entries(random_ratings(9, 7, 0.7), 0.5, np.random.default_rng(0))
    X, B = dense(episode.support)
    U, V = algorithm_1(weights(model), X, B, model.config.steps, safe=True)
    eta, lam = model.step_size.item(), model.prior_precision.item()
    sizes = [size for u, v in zip(U[:-1], V[:-1]) for size in step_sizes(u, v, B, eta, lam)]
    taken = np.concatenate(sizes)
    shortened = (taken < eta * (1 - 1e-6)).mean()
    expected = {"smallest": taken.min(), "largest": taken.max(), "shortened": shortened}
    batch = EpisodeBatch.of([episode])
    assert steps_taken(model, batch) == pytest.approx(expected, abs=1e-4)
    assert steps_taken(small_model(), batch) is None  # one step size everywhere
