"""EML, and FT and MAML, which adapt its parameters: estimates, inner steps, and the gradient
through them."""

import pytest
import torch
from problems import CORNER_CASES, random_ratings, structured_ratings

from metamf.baselines.eml import EML, FT, MAML, EMLConfig, FTConfig, MAMLConfig
from metamf.learning.episodes import EpisodeBatch, held_out_blocks
from metamf.learning.objectives import query_error
from metamf.ratings.batch import RatingsBatch
from metamf.testing import all_cells

MIXED = [*CORNER_CASES.values(), random_ratings(12, 9)]
TINY = MAMLConfig(channels=3, dropout=0.0, inner_steps=3, inner_learning_rate=0.05)


def eml_like(cls, config, dtype=torch.float64):
    """EML, FT or MAML in evaluation mode, with parameters from a fixed seed and biases away from
    zero."""
    torch.manual_seed(0)
    built = cls(config).to(dtype).eval()
    with torch.no_grad():
        for layer in built.layers:
            layer.bias.normal_(std=0.1)
    return built


def test_an_estimate_is_the_last_layers_output_at_its_cell():
    eml = eml_like(EML, EMLConfig(channels=3))
    batch = RatingsBatch.of([random_ratings(6, 5)], torch.float64)
    adapted = eml.adapt(batch)
    torch.testing.assert_close(
        adapted.predict(batch.row, batch.col), adapted.terms.at_observed(batch)[:, 0]
    )
    row, col = all_cells(batch)
    unobserved = ~batch.find(row, col)[0]
    effects = adapted.terms.row[row, 0] + adapted.terms.col[col, 0]
    estimates = adapted.predict(row, col)
    assert torch.equal(estimates[unobserved], effects[unobserved])
    assert (estimates - effects)[~unobserved].abs().max() > 0.1


def test_ft_without_steps_or_in_training_and_maml_without_steps_are_eml():
    eml, batch = eml_like(EML, EMLConfig()), RatingsBatch.of(MIXED, torch.float64)
    expected = eml.adapt(batch).predict(*all_cells(batch))
    maml = MAML(MAMLConfig(inner_steps=0)).eval()
    for method in (FT(FTConfig(steps=0)).eval(), FT(FTConfig(dropout=0.0)).train(), maml):
        method.double().load_state_dict(eml.state_dict())
        torch.testing.assert_close(method.adapt(batch).predict(*all_cells(batch)), expected)


@pytest.mark.parametrize(
    ("cls", "config", "optimizer"),
    [
        (FT, FTConfig(steps=3, learning_rate=3e-3), torch.optim.Adam),
        (MAML, MAMLConfig(inner_steps=3, inner_learning_rate=3e-3), torch.optim.SGD),
    ],
)
def test_the_steps_are_those_of_an_optimizer_on_each_matrix(cls, config, optimizer):
    method, ratings = eml_like(cls, config), structured_ratings(8, 6)
    batch = RatingsBatch.of([random_ratings(5, 4), ratings], torch.float64)
    found = method.adapt(batch).predict(*all_cells(batch))[20:]
    eml, alone = eml_like(EML, EMLConfig()), RatingsBatch.of([ratings], torch.float64)
    steps = optimizer(eml.parameters(), 3e-3)
    for _ in range(3):
        steps.zero_grad()
        (eml.adapt(alone).predict(alone.row, alone.col) - alone.x).square().mean().backward()
        steps.step()
    expected = eml.adapt(alone).predict(*all_cells(alone)).detach()
    torch.testing.assert_close(found.detach(), expected, rtol=0, atol=1e-8)


def episodes():
    matrices = [structured_ratings(5, 4, 0.9), structured_ratings(4, 6, 0.8, seed=1)]
    blocks = [held_out_blocks(m, 1, [i], m.shape)[0] for i, m in enumerate(matrices)]
    return EpisodeBatch.of(blocks, torch.float64)


def test_mamls_gradient_goes_through_the_inner_gradients():
    """The derivative of the query error after the inner steps along a random direction: found, and
    by differences."""
    maml, task = eml_like(MAML, TINY), episodes()
    start = [p.detach().clone() for p in maml.parameters()]
    generator = torch.Generator().manual_seed(3)
    direction = [torch.randn(p.shape, generator=generator, dtype=p.dtype) for p in start]
    gradients = torch.autograd.grad(query_error(maml, task), list(maml.parameters()))
    found = sum((g * d).sum() for g, d in zip(gradients, direction)).item()
    ends, h = [], 1e-5
    for sign in (1, -1):
        with torch.no_grad():
            for parameter, p, d in zip(maml.parameters(), start, direction):
                parameter.copy_(p + sign * h * d)
        ends.append(query_error(maml, task).item())
    assert found == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-5)
