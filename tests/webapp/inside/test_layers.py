"""Inside the prior network."""

import numpy as np
import pytest
import torch
from problems import CORNER_CASES
from tasks_of_tests import made_up_matrix

from metamf.checkpoints.bundled import open_checkpoint
from metamf.imputer.estimator import load_pretrained
from metamf.model.prior import PriorNetwork
from metamf.ratings.batch import RatingsBatch
from metamf.webapp.inside.network import read_layers, read_network

RATINGS = made_up_matrix().ratings


@pytest.fixture(scope="module")
def reading():
    return read_layers(RATINGS, load_pretrained("ml-1m").impute(RATINGS).trajectory.standardization, "ml-1m")


def test_the_way_ends_in_the_prior_means_of_the_model(reading):
    path = load_pretrained("ml-1m").impute(RATINGS).trajectory
    np.testing.assert_allclose(reading.U0, path.U[0], atol=1e-6)
    np.testing.assert_allclose(reading.V0, path.V[0], atol=1e-6)


def test_the_terms_of_every_cell_add_up_to_what_the_model_s_layer_computes(reading):
    """The forward pass of the network itself, watched by hooks."""
    network, seen = open_checkpoint("ml-1m")[0].network.prior, []
    hooks = [
        layer.register_forward_hook(lambda _, inputs, terms: seen.append((inputs, terms))) for layer in network.layers
    ]
    try:
        batch = RatingsBatch.of([RATINGS.with_values(reading.x)])
        network(batch)
    finally:
        for hook in hooks:
            hook.remove()
    assert len(seen) == len(reading.layers) - 1  # the last layer is asked for its averages
    for ((_, batch, _), terms), layer in zip(seen, reading.layers):
        expected = terms.at_observed(batch).detach().numpy()
        np.testing.assert_array_equal(layer.after, np.maximum(expected, 0))
        for entry, (n, m) in enumerate(zip(RATINGS.rows, RATINGS.cols)):
            pooled = layer.at(n, m, entry)
            np.testing.assert_allclose(pooled.total, expected[entry], atol=2e-6)


def test_each_term_is_its_weight_times_its_average(reading):
    """Eq. (4), written out for one cell."""
    layer, z = open_checkpoint("ml-1m")[0].network.prior.layers[1], reading.layers[0].after
    n, m = RATINGS.rows[5], RATINGS.cols[5]
    assert not reading.layers[1].at(n, m, None).own.any()  # where nobody rated
    pooled = reading.layers[1].at(n, m, reading.entry(n, m))
    for name, weight, cells in (
        ("own", layer.entry, [5]),
        ("row", layer.row, RATINGS.rows == n),
        ("column", layer.column, RATINGS.cols == m),
        ("matrix", layer.matrix, slice(None)),
    ):
        np.testing.assert_allclose(
            getattr(pooled, name), z[cells].mean(axis=0) @ weight.detach().numpy(), atol=2e-6, err_msg=name
        )


def test_averages_over_all_cells_add_up_too(reading):
    last = reading.layers[-1]
    own = np.zeros((*RATINGS.shape, last.channels))
    terms = last.terms
    own[RATINGS.rows, RATINGS.cols] = terms.own
    everywhere = own + terms.row[:, None] + terms.column + terms.matrix + terms.bias  # (N, M, C), rated or not
    np.testing.assert_allclose(reading.row_averages, everywhere.mean(axis=1), atol=1e-5)
    np.testing.assert_allclose(reading.col_averages, everywhere.mean(axis=0), atol=1e-5)
    for n in range(RATINGS.n_rows):
        np.testing.assert_allclose(reading.average("row", n).total, reading.row_averages[n], atol=1e-5)
    for m in range(RATINGS.n_cols):
        np.testing.assert_allclose(reading.average("column", m).total, reading.col_averages[m], atol=1e-5)


@pytest.mark.parametrize("name", list(CORNER_CASES))
def test_any_matrix_is_read_as_the_network_reads_it(name):
    torch.manual_seed(0)
    network, ratings = PriorNetwork(4, 3, 5, 2, 3, 0.0), CORNER_CASES[name]
    batch = RatingsBatch.of([ratings])
    found = read_network(network, batch, ratings)
    U0, V0, _ = network(batch)
    np.testing.assert_allclose(found.U0, U0.detach().numpy(), atol=1e-6)
    np.testing.assert_allclose(found.V0, V0.detach().numpy(), atol=1e-6)


def test_a_checkpoint_with_other_layers_is_refused():
    with pytest.raises(ValueError, match="other layers than the paper's"):
        read_layers(RATINGS, load_pretrained("ml-1m").impute(RATINGS).trajectory.standardization, "universal")
