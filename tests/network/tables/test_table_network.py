"""The table network: order, new rows, precision, gaps of every kind, and the normal distribution it begins with."""

import numpy as np
import pytest
import torch

from metamf.baselines.normal import fit_normal
from metamf.checkpoints.bundled import table_network
from metamf.network.tables import network as module
from metamf.network.tables.network import TableNetwork, TableNetworkConfig, can_read, fit_reader
from metamf.network.tables.normal import fit_normals, left_out, standard

SMALL = TableNetworkConfig(width=16, layers=2, heads=2, hidden=24)


def table(N=40, M=6, hidden=0.3, seed=0):
    """(N, M) standardised columns that vary together, with gaps."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(N, 2)) @ rng.normal(size=(2, M)) + 0.5 * rng.normal(size=(N, M))
    Z = (Z - Z.mean(0)) / Z.std(0)
    return np.where(rng.random(Z.shape) < hidden, np.nan, Z)


def small():
    """A network whose outputs are not zero."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = TableNetwork(SMALL)
        torch.nn.init.normal_(network.head.weight, std=0.3)
    return network.requires_grad_(False)


@pytest.mark.parametrize("context_rows", [512, 25])
def test_nothing_depends_on_the_order_of_rows_and_columns(monkeypatch, context_rows):
    monkeypatch.setattr(module, "CONTEXT_ROWS", context_rows)
    Z = table()
    rng = np.random.default_rng(1)
    rows, cols = (rng.permutation(size) for size in Z.shape)
    moved = Z[np.ix_(rows, cols)]
    found = fit_reader(small(), Z).complete(Z)
    np.testing.assert_allclose(fit_reader(small(), moved).complete(moved), found[np.ix_(rows, cols)], atol=1e-8)
    assert np.abs(found - fit_reader(TableNetwork(SMALL), Z).complete(Z)).max() > 0.05, "the network says something"


def test_a_row_has_the_same_estimates_alone_as_in_its_table():
    Z = table()
    reader = fit_reader(small(), Z)
    np.testing.assert_allclose(reader.complete(Z[3:5]), reader.complete(Z)[3:5], atol=1e-10)
    new = np.vstack([Z, np.full((1, Z.shape[1]), np.nan)])
    np.testing.assert_allclose(reader.complete(new)[:-1], reader.complete(Z), atol=1e-10)


def test_precision_changes_little(monkeypatch):
    Z = table()
    double = fit_reader(table_network(), Z).complete(Z)
    monkeypatch.setattr(module, "DOUBLE_UP_TO", 0)
    np.testing.assert_allclose(fit_reader(table_network(), Z).complete(Z), double, atol=1e-4)
    assert table_network().head.weight.dtype == torch.float32


@pytest.mark.parametrize("gap", ["a row", "a column", "all", "one entry", "a constant column", "huge"])
def test_estimates_are_numbers_within_what_columns_hold_whatever_is_missing(gap):
    Z = table(12, 4)
    if gap == "a row":
        Z[3] = np.nan
    elif gap == "a column":
        Z[:, 1] = np.nan
    elif gap == "all":
        Z[:] = np.nan
    elif gap == "one entry":
        Z = np.where(np.arange(Z.size).reshape(Z.shape) == 5, 1.0, np.nan)
    elif gap == "a constant column":
        Z[:, 1] = np.where(np.isnan(Z[:, 1]), np.nan, 0.5)
    else:
        Z[0, 0] = 1e6
    found = fit_reader(table_network(), Z).complete(Z)
    assert np.isfinite(found).all()
    seen = ~np.isnan(Z).all(0)
    assert (found[:, seen] <= np.nanmax(Z[:, seen], 0) + 1e-9).all()
    assert (found[:, seen] >= np.nanmin(Z[:, seen], 0) - 1e-9).all()


def test_an_untrained_network_gives_the_estimates_of_the_normal_distribution():
    Z = table()
    entries = torch.as_tensor(Z[~np.isnan(Z)])
    row, col = (torch.as_tensor(at) for at in np.nonzero(~np.isnan(Z)))
    normal = fit_normal(entries, row, col, Z.shape)
    expected = normal.left_out(entries, row, col, len(Z)).numpy()
    expected = np.clip(expected, np.nanmin(Z, 0), np.nanmax(Z, 0))
    np.testing.assert_allclose(fit_reader(TableNetwork(SMALL), Z).complete(Z), expected, atol=0.02)


def test_em_ends_where_it_ends_without_relaxation():
    Z = torch.as_tensor(table()).unsqueeze(0)
    B = (~torch.isnan(Z)).double()
    Z = Z.nan_to_num()
    start = standard(1, Z.shape[2], Z)
    relaxed = fit_normals(Z, B, start, 0.5, 100, 6)
    plain = fit_normals(Z, B, start, 0.5, 1000, 1000)
    for found, expected in zip(relaxed, plain):
        torch.testing.assert_close(found, expected, atol=1e-6, rtol=1e-6)
    both = torch.cat([Z, Z.flip(2)]), torch.cat([B, B.flip(2)])
    together = left_out(*both, fit_normals(*both, standard(2, Z.shape[2], Z), 0.5, 100, 6))[0]
    torch.testing.assert_close(together[:1], left_out(Z, B, relaxed)[0], atol=1e-8, rtol=1e-8)


@pytest.mark.slow
def test_the_trained_network_is_better_than_the_normal_distribution_where_columns_bend():
    ratios = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        u = rng.normal(size=(120, 1))
        truth = np.hstack([u, np.abs(u), np.sin(2 * u), u**2, np.exp(u)]) + 0.1 * rng.normal(size=(120, 5))
        truth = (truth - truth.mean(0)) / truth.std(0)
        hidden = rng.random(truth.shape) < 0.3
        Z = np.where(hidden, np.nan, truth)
        trained, linear = (fit_reader(each, Z).complete(Z) for each in (table_network(), TableNetwork(SMALL)))
        errors = [np.mean(((each - truth)[hidden]) ** 2) for each in (trained, linear)]
        ratios.append(errors[0] / errors[1])
    assert np.mean(ratios) < 0.7


def test_large_tables_and_single_columns_are_not_read():
    assert can_read((300, 30)) and can_read((3, 2))
    assert not can_read((500, 30)) and not can_read((1_000, 20)) and not can_read((50, 1))
