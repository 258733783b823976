"""Inside the prior network: what is read, and what the section says and draws at every stage."""

import json

import numpy as np
import pytest
import torch
from opened import charts, healthy, no_data_sets, opened, players, text  # noqa: F401  a fixture
from problems import CORNER_CASES
from tasks_of_tests import made_up_matrix

from metamf.answer.division import divide
from metamf.answer.estimator import load_pretrained
from metamf.checkpoints.bundled import open_checkpoint
from metamf.network.prior import PriorNetwork
from metamf.ratings.batch import RatingsBatch
from metamf.webapp.explore.choices import DEFAULT, example
from metamf.webapp.explore.run import run
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
    network, seen = open_checkpoint("ml-1m").network.prior, []
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
            np.testing.assert_allclose(np.sum(pooled, axis=0), expected[entry], atol=2e-6)


def test_each_term_is_its_weight_times_its_average(reading):
    """Eq. (4), written out for one cell."""
    layer, z = open_checkpoint("ml-1m").network.prior.layers[1], reading.layers[0].after
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
    own = np.zeros((*RATINGS.shape, len(last.terms.bias)))
    terms = last.terms
    own[RATINGS.rows, RATINGS.cols] = terms.own
    everywhere = own + terms.row[:, None] + terms.column + terms.matrix + terms.bias  # (N, M, C), rated or not
    np.testing.assert_allclose(reading.row_averages, everywhere.mean(axis=1), atol=1e-5)
    np.testing.assert_allclose(reading.col_averages, everywhere.mean(axis=0), atol=1e-5)
    for n in range(RATINGS.n_rows):
        np.testing.assert_allclose(np.sum(reading.average("row", n), axis=0), reading.row_averages[n], atol=1e-5)
    for m in range(RATINGS.n_cols):
        np.testing.assert_allclose(np.sum(reading.average("column", m), axis=0), reading.col_averages[m], atol=1e-5)


@pytest.mark.parametrize("name", list(CORNER_CASES))
def test_any_matrix_is_read_as_the_network_reads_it(name):
    torch.manual_seed(0)
    network, ratings = PriorNetwork(4, 3, 5, 2, 3, 0.0), CORNER_CASES[name]
    batch = RatingsBatch.of([ratings])
    found = read_network(network, batch, ratings)
    U0, V0, _ = network(batch)
    np.testing.assert_allclose(found.U0, U0.detach().numpy(), atol=1e-6)
    np.testing.assert_allclose(found.V0, V0.detach().numpy(), atol=1e-6)


PAGE, SECTION = "pages/inside.py", "Inside the network"


@pytest.fixture(scope="module")
def film_night():
    task = divide(example("Film night"), DEFAULT.keep / 100, DEFAULT.by, DEFAULT.seed)
    units = run(task, DEFAULT.model, 10).answer.trajectory.standardization
    return read_layers(task.given, units, DEFAULT.model)


def drawn(at):
    return {chart.proto.id: json.loads(chart.proto.spec) for chart in charts(at)}


def bars(at, ending="terms"):
    spec = next(spec for name, spec in drawn(at).items() if name.endswith(ending))
    return [float(text.replace("−", "-")) for text in spec["data"][0]["text"]]


def test_the_terms_of_the_chosen_cell_are_those_of_the_network(film_night):
    n, m = film_night.ratings.rows[7], film_night.ratings.cols[7]
    query = {
        "stage": "Layer 2",
        "channel": 5,
        "cell_row": film_night.ratings.row_labels[n],
        "cell_col": film_night.ratings.col_labels[m],
    }
    at = healthy(opened(PAGE, experiment=SECTION, **query))
    [chart], [player] = charts(at), players(at)
    assert "sum" in chart.proto.alt and (player["scene"], player["asks"]) == ("pick", ["choose"])
    assert player["run"]["mark"] == {"row": n, "col": m, "text": ""}
    pooled = film_night.layers[1].at(n, m, 7)
    *terms, total, after = bars(at)
    np.testing.assert_allclose(terms, [term[4] for term in pooled], atol=6e-4)
    assert total == pytest.approx(np.sum(pooled, axis=0)[4], abs=6e-4) and after == pytest.approx(
        max(total, 0), abs=6e-4
    )
    names = f"{film_night.ratings.row_labels[n]}, {film_night.ratings.col_labels[m]}: the five terms add up to"
    assert names in text(at)


def test_a_cell_that_nobody_rated_has_no_value_of_its_own(film_night):
    n, m = np.argwhere(np.isnan(film_night.ratings.to_dense()))[0]
    row, col = film_night.ratings.row_labels[n], film_night.ratings.col_labels[m]
    at = healthy(opened(PAGE, experiment=SECTION, cell_row=row, cell_col=col))
    assert "The rating is not given" in text(at) and bars(at)[0] == 0
    at = healthy(at.select_slider(key="stage").set_value("Layer 3").run())
    assert "enters the averages of Eq. (5)" in text(at)


def test_the_ratings_come_first_and_the_prior_last(film_night):
    at = healthy(opened(PAGE, experiment=SECTION, stage="Ratings"))
    assert not charts(at) and players(at) and "standardised ratings" in text(at)
    at = healthy(at.select_slider(key="stage").set_value("U(0), V(0)").run())
    assert len(charts(at)) == 2 and "f_U" in text(at)
    maps = [player["run"] for player in players(at)]
    assert [(run["n"], run["nouns"]) for run in maps] == [
        (20, ["row", "channel"]),
        (20, ["row", "factor"]),
        (12, ["column", "channel"]),
        (12, ["column", "factor"]),
    ]
    n = film_night.ratings.rows[0]
    assert bars(at, "average-row")[-1] == pytest.approx(film_night.row_averages[n, 19], abs=6e-4)


def test_the_page_tells_how_universal_differs():
    at = healthy(opened(PAGE, experiment=SECTION, model="Universal"))
    assert "Universal starts from effects" in text(at) and len(charts(at)) == len(players(at)) == 1


def test_a_smaller_matrix_takes_back_a_cell_that_it_does_not_have():
    at = healthy(opened(PAGE, experiment=SECTION))
    at = healthy(at.selectbox(key="cell_row").select_index(19).run())
    at = healthy(at.selectbox(key="data").set_value("Your own grid").run())
    assert at.selectbox(key="cell_row").value <= 5 and len(charts(at)) == len(players(at)) == 1
