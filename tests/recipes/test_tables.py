"""Meta-training of the table network: its units, its lessons, and that it learns."""

import numpy as np
import pytest
import torch

from metamf.network.tables.network import TableNetwork, TableNetworkConfig
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import By, SidedUnits
from metamf.recipes.made_up_tables import GIVEN_AT_LEAST, MadeUpTables
from metamf.recipes.tables import (
    fit_deviation,
    lesson,
    loss_of,
    most_likely_deviation,
    shared_units,
)


@pytest.fixture(autouse=True)
def seeded():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        yield


def test_tables_vary_and_every_column_keeps_some_cells():
    world = MadeUpTables("cpu")
    for N, M in ((14, 3), (40, 8), (20, 30)):
        x = world.draw(30, N, M)
        given = world.given(x)
        assert x.shape == given.shape == (30, N, M) and torch.isfinite(x).all()
        assert (x.std(1) > 0).all() and (given.sum(1) >= GIVEN_AT_LEAST).all()
        assert set(given.unique().tolist()) == {0, 1}


def test_units_are_those_in_which_a_matrix_is_read():
    world = MadeUpTables("cpu")
    x = world.draw(10, 25, 8)
    given = world.given(x)
    mean, std = shared_units(x.double(), given.double())
    for b in range(10):
        rows, cols = np.nonzero(given[b].numpy())
        given_of = Ratings(rows, cols, x[b].double().numpy()[rows, cols], (25, 8))
        units = SidedUnits(By.COLUMN).of(given_of)
        np.testing.assert_allclose(units.mean, mean[b, 0], rtol=1e-6, atol=1e-6 * units.std.max())
        np.testing.assert_allclose(units.std, std[b, 0], rtol=1e-6)


@pytest.mark.slow
def test_without_training_the_loss_is_zero_and_a_few_updates_lower_it():
    network = TableNetwork(TableNetworkConfig(width=16, layers=1, heads=2, hidden=16))
    lessons_of_one_size = [lesson(MadeUpTables("cpu"), 40, 30, 6) for _ in range(4)]
    assert loss_of(network, lessons_of_one_size[0]).item() == pytest.approx(0, abs=1e-6)
    optimizer = torch.optim.AdamW(network.parameters(), 1e-2)
    for _ in range(8):
        for each in lessons_of_one_size:
            optimizer.zero_grad()
            loss_of(network, each).backward()
            optimizer.step()
    assert np.mean([loss_of(network, each).item() for each in lessons_of_one_size]) < -0.02


def test_the_deviation_of_errors_is_found():
    states = torch.randn(20_000, 3)
    log = 0.5 * states[:, 0] - 0.2 * states[:, 2] - 1.0
    errors = log.exp() * torch.distributions.StudentT(8.0).sample((20_000,))
    weight, bias = most_likely_deviation(states, errors)
    torch.testing.assert_close(weight, torch.tensor([0.5, 0.0, -0.2]), atol=0.03, rtol=0)
    assert bias.item() == pytest.approx(-1.0, abs=0.03)


@pytest.mark.slow
def test_the_deviation_is_fitted_with_the_other_outputs_held():
    network = TableNetwork(TableNetworkConfig(width=16, layers=1, heads=2, hidden=16))
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    tables, entries = fit_deviation(network, 1.0, "cpu", 600, 0)
    assert 0 < tables < entries
    after = network.state_dict()
    assert after["head.weight"][3].abs().sum() > 0
    before["head.weight"][3] = after["head.weight"][3]
    before["head.bias"][3] = after["head.bias"][3]
    for name, tensor in after.items():
        torch.testing.assert_close(tensor, before[name], rtol=0, atol=0)
