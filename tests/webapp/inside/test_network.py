"""Inside the prior network: what is read, and what the section says and draws at every stage."""

import json
import re

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
from metamf.ratings.units import Standardization
from metamf.webapp.choices import DEFAULT, example
from metamf.webapp.inside.network import read_network
from metamf.webapp.run.measured_run import run

RATINGS = made_up_matrix().ratings


@pytest.fixture(scope="module")
def reading():
    units = load_pretrained("ml-1m").impute(RATINGS).trajectory.standardization
    return read_network(open_checkpoint("ml-1m").network.prior, RATINGS, units)


def test_each_term_is_its_weight_times_its_average_and_they_add_up(reading):
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
        expected = z[cells].mean(axis=0) @ weight.detach().numpy()
        np.testing.assert_allclose(getattr(pooled, name), expected, atol=2e-6, err_msg=name)
    total = np.sum(pooled, axis=0)
    np.testing.assert_allclose(reading.layers[1].after[5], np.maximum(total, 0), atol=2e-6)


def test_averages_over_all_cells_add_up_too(reading):
    terms = reading.layers[-1].terms
    own = np.zeros((*RATINGS.shape, len(terms.bias)))
    own[RATINGS.rows, RATINGS.cols] = terms.own
    # (N, M, C), rated or not
    everywhere = own + terms.row[:, None] + terms.column + terms.matrix + terms.bias
    for side, axis, found in (
        ("row", 1, reading.row_averages),
        ("column", 0, reading.col_averages),
    ):
        np.testing.assert_allclose(found, everywhere.mean(axis), atol=1e-5)
        sums = [np.sum(reading.average(side, at), axis=0) for at in range(len(found))]
        np.testing.assert_allclose(sums, found, atol=1e-5)


@pytest.mark.parametrize("name", list(CORNER_CASES))
def test_any_matrix_is_read_as_the_network_reads_it(name):
    torch.manual_seed(0)
    network, ratings = PriorNetwork(4, 3, 5, 2, 3, 0.0), CORNER_CASES[name]
    found = read_network(network, ratings, Standardization(0, 1))
    U0, V0, _ = network(RatingsBatch.of([ratings]))
    np.testing.assert_allclose(found.U0, U0.detach().numpy(), atol=1e-6)
    np.testing.assert_allclose(found.V0, V0.detach().numpy(), atol=1e-6)


def visited(**query):
    return healthy(opened("pages/inside.py", experiment="Inside the network", **query))


@pytest.fixture(scope="module")
def film_night():
    task = divide(example("Film night"), DEFAULT.keep / 100, DEFAULT.by, DEFAULT.seed)
    units = run(task, DEFAULT.model, 10).answer.trajectory.standardization
    return read_network(open_checkpoint(DEFAULT.model).network.prior, task.given, units)


def bars(at, ending="terms"):
    [chart] = [chart.proto for chart in charts(at) if chart.proto.id.endswith(ending)]
    texts = json.loads(chart.spec)["data"][0]["text"]
    return [float(text.replace("−", "-")) for text in texts]


def test_the_terms_of_the_chosen_cell_are_those_of_the_network(film_night):
    n, m = film_night.ratings.rows[7], film_night.ratings.cols[7]
    row, col = film_night.ratings.row_labels[n], film_night.ratings.col_labels[m]
    at = visited(stage="Layer 2", channel=5, cell_row=row, cell_col=col)
    [player] = players(at)
    assert (player["scene"], player["asks"]) == ("pick", ["choose"])
    assert player["run"]["mark"] == {"row": n, "col": m, "text": ""}
    pooled = film_night.layers[1].at(n, m, 7)
    *terms, total, after = bars(at)
    np.testing.assert_allclose(terms, [term[4] for term in pooled], atol=6e-4)
    assert total == pytest.approx(np.sum(pooled, axis=0)[4], abs=6e-4)
    assert after == pytest.approx(max(total, 0), abs=6e-4)
    assert f"{row}, {col}: in channel 5, the five terms add up to" in text(at)
    verb = "negative, so ReLU sets" if total < 0 else "not negative, so ReLU keeps"
    assert f"The sum is {verb}" in text(at)
    [listed] = [
        body for one in at.get("html") if '<dl class="mf-meanings' in (body := one.proto.body)
    ]
    words = re.findall("<dt>(.*?)</dt>", listed)
    assert "layer&#x27;s bias" in words and "bias" not in words  # which is that of estimates


def test_a_cell_that_nobody_rated_has_no_value_of_its_own(film_night):
    n, m = np.argwhere(np.isnan(film_night.ratings.to_dense()))[0]
    row, col = film_night.ratings.row_labels[n], film_night.ratings.col_labels[m]
    at = visited(cell_row=row, cell_col=col)
    assert "The rating is not given" in text(at) and bars(at)[0] == 0
    at = healthy(at.select_slider(key="stage").set_value("Layer 3").run())
    assert "enters the averages of Eq. (5)" in text(at)


def test_the_ratings_come_first_and_the_prior_last(film_night):
    at = visited(stage="Ratings")
    assert not charts(at) and players(at) and "standardised ratings" in text(at)
    at = healthy(at.select_slider(key="stage").set_value("U(0), V(0)").run())
    assert len(charts(at)) == 2 and "f_U" in text(at)
    maps = [player["run"] for player in players(at)]
    nouns = [[side, unit] for side in ("row", "column") for unit in ("channel", "factor")]
    assert [run["nouns"] for run in maps] == nouns
    assert [run["n"] for run in maps] == [20, 20, 12, 12]
    n = film_night.ratings.rows[0]
    assert bars(at, "average-row")[-1] == pytest.approx(film_night.row_averages[n, 19], abs=6e-4)


def test_a_smaller_matrix_takes_back_a_cell_that_it_does_not_have_and_universal_differs():
    at = visited(data="Jokes")
    at = healthy(at.selectbox(key="cell_row").select_index(23).run())
    at = healthy(at.selectbox(key="data").set_value("Film night").run())
    assert at.selectbox(key="cell_row").value < 20 and len(charts(at)) == len(players(at)) == 1
    healthy(at.radio(key="model").set_value("universal").run())
    assert "Universal starts from effects" in text(at) and len(charts(at)) == len(players(at)) == 1
