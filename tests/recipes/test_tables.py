"""Meta-training of the table network: its units, its lessons, and that it learns."""

import random

import numpy as np
import pytest
import torch

from metamf.network.tables.network import TableNetwork, TableNetworkConfig
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import By, SidedUnits
from metamf.recipes.made_up_tables import GIVEN_AT_LEAST, MadeUpTables
from metamf.recipes.tables import lesson, lessons, loss_of, shared_units


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
        assert (
            (x.std(1) > 0).all() and (given.sum(1) >= GIVEN_AT_LEAST).all() and set(given.unique().tolist()) == {0, 1}
        )


def test_units_are_those_in_which_a_matrix_is_read():
    world = MadeUpTables("cpu")
    x = world.draw(10, 25, 8)
    given = world.given(x)
    mean, std = shared_units(x.double(), given.double())
    for b in range(10):
        rows, cols = np.nonzero(given[b].numpy())
        units = SidedUnits(By.COLUMN).of(Ratings(rows, cols, x[b].double().numpy()[rows, cols], (25, 8)))
        np.testing.assert_allclose(units.mean, mean[b, 0], rtol=1e-6, atol=1e-6 * units.std.max())
        np.testing.assert_allclose(units.std, std[b, 0], rtol=1e-6)


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


def test_lessons_have_about_the_cells_that_are_asked_for():
    stream = lessons("cpu", 600, random.Random(0))
    for _ in range(3):
        B, N, M = next(stream).truth.shape
        assert 1 <= B and B * N * M <= max(600, N * M)
