"""One episode as a value: against the dense equations, by autograd through them, and by
differences."""

import math

import numpy as np
import pytest
import torch
from dense_reference import algorithm_1, dense, map_step, objective, test_error, weights
from problems import random_ratings, small_model

from metamf.checkpoints.bundled import open_checkpoint
from metamf.learning.episodes import Episode, EpisodeBatch, divide_entries
from metamf.learning.objectives import query_error
from metamf.network.episode_trace import corrected, objective_of, trace_episode
from metamf.ratings.matrix import Ratings


def an_episode(N=7, M=5, seed=0) -> Episode:
    return divide_entries(random_ratings(N, M, 0.8, seed), 0.5, np.random.default_rng(seed))


def tensors(episode):
    X, B = map(torch.as_tensor, dense(episode.support))
    return X, B, *map(torch.as_tensor, dense(episode.query))


@pytest.mark.parametrize("rule", ["paper", "safe"])
def test_path_objective_and_losses_are_those_of_the_dense_equations(rule):
    network, _ = open_checkpoint("film-nights")
    episode = an_episode(20, 12)
    trace = trace_episode(network, episode, rule)
    w = weights(network)
    X, B = dense(episode.support)
    U, V = algorithm_1(w, X, B, trace.T, rule == "safe")
    lam = math.exp(w["log_prior_precision"])
    parts = np.array([objective(*uv, U[0], V[0], X, B, lam) for uv in zip(U, V)])
    expected = [U, V, *parts.T, [test_error(*uv, *dense(episode.query)) for uv in zip(U, V)]]
    found = [trace.U, trace.V, trace.objective.likelihood, trace.objective.prior, trace.losses]
    for value, reference in zip(found, expected):
        np.testing.assert_allclose(value, reference, rtol=1e-9, atol=1e-9)
    lam = network.prior_precision.item()
    of_path = objective_of(trace.U, trace.V, episode.support, lam)
    np.testing.assert_allclose(of_path.total, trace.objective.total, rtol=1e-6)


@pytest.mark.parametrize("rule", ["paper", "safe"])
@pytest.mark.parametrize("cut", [0, 1, 4, 6])
def test_the_derivative_by_the_start_is_that_of_autograd_with_the_first_steps_as_constants(
    rule, cut
):
    model = small_model(step_size=0.3, learn_step_size=True)
    episode = an_episode()
    trace = trace_episode(model, episode, rule)
    X, B, queried, asked = tensors(episode)
    starts = [torch.as_tensor(trace.U[0]).clone(), torch.as_tensor(trace.V[0]).clone()]
    U0, V0 = (start.requires_grad_() for start in starts)
    model = model.double()
    eta = model.step_size
    lam = model.prior_precision
    U, V = U0, V0
    for t in range(trace.T):
        after = map_step(U, V, U0, V0, X, B, eta, lam, rule == "safe")
        if t < cut:  # the change counts as a constant
            U, V = (w + (new - w).detach() for w, new in zip((U, V), after))
        else:
            U, V = after
    loss = test_error(U, V, queried, asked)
    slopes = torch.autograd.grad(loss, (U0, V0))
    for found, slope in zip((trace.slope_rows[cut], trace.slope_cols[cut]), slopes):
        np.testing.assert_allclose(found, slope.numpy(), rtol=0, atol=1e-10)


def test_slopes_are_the_norms_of_what_training_goes_by():
    model = small_model(learn_step_size=True).double()
    episode = an_episode()
    query_error(model, EpisodeBatch.of([episode], torch.float64)).backward()
    squares = sum(p.grad.square().sum().item() for p in model.parameters())
    slopes = trace_episode(model, episode).parameter_slopes
    assert sum(value**2 for value in slopes.values()) == pytest.approx(squares)
    assert slopes["λ"] == pytest.approx(abs(model.log_prior_precision.grad.item()))
    assert trace_episode(small_model(), episode).parameter_slopes["η"] == 0  # not learned


def test_a_correction_makes_the_loss_of_its_episode_smaller_and_leaves_the_network_alone():
    model = small_model()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    episode = an_episode()
    before_it = trace_episode(model, episode)
    after, size = corrected(model, episode)
    promised = size * sum(slope**2 for slope in before_it.parameter_slopes.values())
    assert size <= 1
    assert trace_episode(after, episode).losses[-1] <= before_it.losses[-1] - promised / 2
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())


def test_an_episode_without_a_query_entry_is_refused():
    nothing = Ratings([], [], np.array([]), (7, 5))
    with pytest.raises(ValueError, match="an episode needs a query entry"):
        trace_episode(small_model(), Episode(an_episode().support, nothing))
