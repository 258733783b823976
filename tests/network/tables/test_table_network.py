"""The table network: order, new rows, precision, gaps of every kind, and the normal distribution it
begins with."""

import numpy as np
import pytest
import torch

from metamf.checkpoints.bundled import table_network
from metamf.network.tables import network as module
from metamf.network.tables.network import (
    TableNetwork,
    TableNetworkConfig,
    can_fit,
    can_read,
    fit_reader,
)
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
    found = fit_reader(small(), Z).complete(Z)[0]
    again = fit_reader(small(), moved).complete(moved)[0]
    np.testing.assert_allclose(again, found[np.ix_(rows, cols)], atol=1e-8)
    silent = fit_reader(TableNetwork(SMALL), Z).complete(Z)[0]
    assert np.abs(found - silent).max() > 0.05


@pytest.mark.parametrize("context_rows, cells", [(512, 20_000), (25, 20_000), (25, 42)])
def test_a_row_has_the_same_estimates_alone_as_in_its_table(monkeypatch, context_rows, cells):
    """However many rows are attended to, and are read at once; some stand there twice."""
    monkeypatch.setattr(module, "CONTEXT_ROWS", context_rows)
    monkeypatch.setattr(module, "CELLS_OF_A_LAYER", cells)
    monkeypatch.setattr(module, "MOST_READ", cells)
    Z = table()
    Z[10:20] = Z[:10]
    reader = fit_reader(small(), Z)
    expected = fit_reader(None, Z).complete(Z)[0]
    np.testing.assert_allclose(fit_reader(None, Z).complete(Z[5:7])[0], expected[5:7], atol=1e-10)
    np.testing.assert_allclose(reader.complete(Z[3:5])[0], reader.complete(Z)[0][3:5], atol=1e-10)
    np.testing.assert_array_equal(reader.complete(Z)[0][10:20], reader.complete(Z)[0][:10])
    new = np.vstack([Z, np.full((1, Z.shape[1]), np.nan)])
    np.testing.assert_allclose(reader.complete(new)[0][:-1], reader.complete(Z)[0], atol=1e-10)


def test_precision_changes_little(monkeypatch):
    Z = table()
    double = fit_reader(table_network(), Z).complete(Z)[0]
    monkeypatch.setattr(module, "DOUBLE_UP_TO", 0)
    np.testing.assert_allclose(fit_reader(table_network(), Z).complete(Z)[0], double, atol=1e-4)
    assert table_network().head.weight.dtype == torch.float32


@pytest.mark.parametrize(
    "at, value",
    [
        pytest.param(np.s_[3], np.nan, id="a row is missing"),
        pytest.param(np.s_[:, 1], np.nan, id="a column is missing"),
        pytest.param(np.s_[:], np.nan, id="all is missing"),
        pytest.param(
            np.s_[:], np.pad([[1.0]], ((5, 6), (1, 2)), constant_values=np.nan), id="one entry"
        ),
        pytest.param(np.s_[:, 1], 0.5, id="a constant column"),
        pytest.param(np.s_[0, 0], 1e6, id="huge"),
    ],
)
def test_estimates_are_numbers_within_what_columns_hold_whatever_is_missing(at, value):
    Z = table(12, 4)
    Z[at] = value
    found = fit_reader(table_network(), Z).complete(Z)[0]
    assert np.isfinite(found).all()
    seen = ~np.isnan(Z).all(0)
    assert (found[:, seen] <= np.nanmax(Z[:, seen], 0) + 1e-9).all()
    assert (found[:, seen] >= np.nanmin(Z[:, seen], 0) - 1e-9).all()


def test_an_untrained_network_and_none_give_the_estimates_of_the_normal_distribution():
    Z = table()
    given = torch.as_tensor(np.nan_to_num(Z))[None], torch.as_tensor(~np.isnan(Z)).double()[None]
    normals = fit_normals(*given, standard(1, Z.shape[1], given[0]), 0.5, 100, 6)
    expected, variance = (part[0].numpy() for part in left_out(*given, normals))
    expected = np.clip(expected, np.nanmin(Z, 0), np.nanmax(Z, 0))
    for network in (TableNetwork(SMALL), None):
        estimates, deviations = fit_reader(network, Z).complete(Z)
        np.testing.assert_allclose(estimates, expected, atol=0.02)
        np.testing.assert_allclose(deviations, np.sqrt(variance), atol=0.02)


@pytest.mark.slow
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


def bent(N, functions, noise, hidden, seed):
    """Standardised columns that are functions of one number, and the cells that are hidden."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=(N, 1))
    truth = np.hstack([function(u) for function in functions])
    truth += noise * rng.normal(size=truth.shape)
    return (truth - truth.mean(0)) / truth.std(0), rng.random(truth.shape) < hidden


@pytest.mark.slow
def test_the_trained_network_is_better_than_the_normal_distribution_where_columns_bend():
    functions = np.positive, np.abs, lambda u: np.sin(2 * u), np.square, np.exp
    ratios = []
    for seed in range(6):
        truth, hidden = bent(120, functions, 0.1, 0.3, seed)
        Z = np.where(hidden, np.nan, truth)
        estimates = [fit_reader(each, Z).complete(Z)[0] for each in (table_network(), None)]
        trained, linear = (np.mean((each - truth)[hidden] ** 2) for each in estimates)
        ratios.append(trained / linear)
    assert np.mean(ratios) < 0.7


@pytest.mark.slow
def test_deviations_follow_where_columns_bend():
    """The second column is the first one's absolute value: known well where the first is, which no
    normal distribution sees."""
    truth, hidden = bent(200, (np.positive, np.abs, np.square, np.exp), 0.05, 0.2, 0)
    Z = np.where(hidden, np.nan, truth)
    estimates, own = fit_reader(table_network(), Z).complete(Z)
    likelihoods = []
    for deviations in (own, fit_reader(None, Z).complete(Z)[1]):
        errors = (estimates - truth)[hidden] / deviations[hidden]
        best = np.sqrt(np.mean(errors**2))  # one factor, as intervals have
        likelihoods.append(np.mean(-np.log(deviations[hidden] * best)))
    assert likelihoods[0] > likelihoods[1] + 0.1


def test_a_reader_of_nearly_the_same_table_is_where_em_begins():
    Z = table()
    whole = fit_reader(None, Z)
    Z[0, 0] = np.nan
    near = fit_reader(None, Z, whole).columns.normals.covariance
    torch.testing.assert_close(
        near, fit_reader(None, Z).columns.normals.covariance, atol=0.01, rtol=0
    )


def test_what_is_read_follows_from_the_shape():
    assert can_read((300, 30)) and can_read((10_000, 10))
    assert not can_read((100_000, 10)) and can_fit((100_000, 10))
    assert not can_fit((300, 1))
    assert not can_fit((300, 300))
    assert can_fit((50, 200)) and not can_fit((5_000, 200))


@pytest.mark.slow
def test_of_a_long_table_some_rows_say_what_all_do(monkeypatch):
    Z = table(2_000, 4)
    expected = fit_reader(None, Z).complete(Z)[0]
    monkeypatch.setattr(module, "MOST_ROWS", 800)
    found = fit_reader(None, Z).complete(Z)[0]
    assert 0 < np.sqrt(np.mean((found - expected) ** 2)) < 0.1
