"""MAML: its inner loop, and the gradient through it."""

from dataclasses import replace

import pytest
import torch
from estimates import eml_like
from problems import CORNER_CASES, random_ratings, structured_ratings

from metamf.baselines.eml import EML, EMLConfig
from metamf.baselines.maml import MAML, MAMLConfig
from metamf.learning.episodes import EpisodeBatch, held_out_blocks
from metamf.learning.objectives import query_error
from metamf.ratings.batch import RatingsBatch
from metamf.testing import all_cells

MIXED = [*CORNER_CASES.values(), random_ratings(12, 9)]
TINY = MAMLConfig(channels=3, dropout=0.0, inner_steps=3, inner_learning_rate=0.05)


def episodes(dtype=torch.float64):
    matrices = [structured_ratings(5, 4, 0.9), structured_ratings(4, 6, 0.8, seed=1)]
    return EpisodeBatch.of([held_out_blocks(m, 1, [i], m.shape)[0] for i, m in enumerate(matrices)], dtype)


def error_with(parameters, maml, task):
    with torch.no_grad():
        for parameter, value in zip(maml.parameters(), parameters):
            parameter.copy_(value)
    return query_error(maml, task)


def test_maml_without_inner_steps_is_eml():
    eml, batch = eml_like(EML, EMLConfig()), RatingsBatch.of(MIXED, torch.float64)
    maml = eml_like(MAML, MAMLConfig(inner_steps=0))
    cells = all_cells(batch)
    torch.testing.assert_close(maml.adapt(batch).predict(*cells), eml.adapt(batch).predict(*cells))


def test_mamls_inner_loop_is_gradient_descent_on_each_matrix():
    maml, ratings = eml_like(MAML, MAMLConfig(inner_steps=3, inner_learning_rate=0.02)), structured_ratings(8, 6)
    batch = RatingsBatch.of([random_ratings(5, 4), ratings], torch.float64)
    found = maml.adapt(batch).predict(*all_cells(batch))[20:]
    eml, alone = eml_like(EML, EMLConfig()), RatingsBatch.of([ratings], torch.float64)
    optimizer = torch.optim.SGD(eml.parameters(), 0.02)
    for _ in range(3):
        optimizer.zero_grad()
        (eml.adapt(alone).predict(alone.row, alone.col) - alone.x).square().mean().backward()
        optimizer.step()
    torch.testing.assert_close(found.detach(), eml.adapt(alone).predict(*all_cells(alone)).detach())


def slopes(config):
    """The derivative of the query error after the inner steps along a random direction: found, and by differences."""
    maml, task = eml_like(MAML, config), episodes()
    start = [p.detach().clone() for p in maml.parameters()]
    generator = torch.Generator().manual_seed(3)
    direction = [torch.randn(p.shape, generator=generator, dtype=p.dtype) for p in start]
    # to first order nothing reaches the last layer's term of the entry: no query entry is observed
    gradients = torch.autograd.grad(query_error(maml, task), list(maml.parameters()), materialize_grads=True)
    found = sum((g * d).sum() for g, d in zip(gradients, direction)).item()
    h = 1e-5
    ends = [error_with([p + s * h * d for p, d in zip(start, direction)], maml, task).item() for s in (1, -1)]
    return found, (ends[0] - ends[1]) / (2 * h)


def test_mamls_gradient_goes_through_the_inner_gradients():
    found, expected = slopes(TINY)
    assert found == pytest.approx(expected, rel=1e-5)


def test_the_first_order_switch_leaves_the_second_derivatives_out():
    found, expected = slopes(replace(TINY, first_order=True))
    assert abs(found - expected) > 1e-2 * abs(expected)
    task, maml = episodes(), eml_like(MAML, replace(TINY, first_order=True))
    second = eml_like(MAML, TINY)
    assert query_error(maml, task) == query_error(second, task)  # the estimates are the same, only the gradient differs


@pytest.mark.parametrize("config", [TINY, replace(TINY, first_order=True)])
def test_maml_adapts_without_gradients_and_with_frozen_parameters(config):
    maml, task = eml_like(MAML, config), episodes()
    expected = query_error(maml, task)
    with torch.no_grad():
        assert query_error(maml, task) == expected
    maml.requires_grad_(False)
    assert query_error(maml, task) == expected
