"""The section on the layers: what it says and draws at every stage."""

import json

import numpy as np
import pytest
from opened import charts, healthy, no_data_sets, opened, players, text  # noqa: F401  a fixture

from metamf.evaluate.run import run
from metamf.evaluate.task import divide
from metamf.webapp.inside.network import read_layers
from metamf.webapp.matrix.choices import example

PAGE, SECTION = "pages/inside.py", "Inside the network"


@pytest.fixture(scope="module")
def reading():
    task = divide(example("Film night"), 0.5, "at random", 1)
    units = run(task, "ml-1m", 10).imputation.trajectory.standardization
    return read_layers(task.given, units, "ml-1m")


def drawn(at):
    return {chart.proto.id: json.loads(chart.proto.spec) for chart in charts(at)}


def bars(at, ending="terms"):
    spec = next(spec for name, spec in drawn(at).items() if name.endswith(ending))
    return [float(text.replace("−", "-")) for text in spec["data"][0]["text"]]


def test_the_terms_of_the_chosen_cell_are_those_of_the_network(reading):
    n, m = reading.ratings.rows[7], reading.ratings.cols[7]
    query = {"stage": "Layer 2", "channel": 5, "cell_row": n + 1, "cell_col": m + 1}
    at = healthy(opened(PAGE, experiment=SECTION, **query))
    [chart], [player] = charts(at), players(at)
    assert "sum" in chart.proto.alt and (player["scene"], player["asks"]) == ("pick", ["choose"])
    assert player["run"]["mark"] == {"row": n, "col": m, "text": ""}
    pooled = reading.layers[1].at(n, m, 7)
    *terms, total, after = bars(at)
    np.testing.assert_allclose(terms, [term[4] for term in pooled], atol=6e-4)
    assert total == pytest.approx(pooled.total[4], abs=6e-4) and after == pytest.approx(max(total, 0), abs=6e-4)
    names = f"{reading.ratings.row_labels[n]}, {reading.ratings.col_labels[m]}: the five terms add up to"
    assert names in text(at)


def test_a_cell_that_nobody_rated_has_no_value_of_its_own(reading):
    n, m = np.argwhere(np.isnan(reading.ratings.to_dense()))[0]
    at = healthy(opened(PAGE, experiment=SECTION, cell_row=n + 1, cell_col=m + 1))
    assert "The rating is not given" in text(at) and bars(at)[0] == 0
    at = healthy(at.select_slider(key="stage").set_value("Layer 3").run())
    assert "enters the averages of Eq. (5)" in text(at)


def test_the_ratings_come_first_and_the_prior_last(reading):
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
    n = reading.ratings.rows[0]
    assert bars(at, "average-row")[-1] == pytest.approx(reading.row_averages[n, 19], abs=6e-4)


def test_the_page_tells_how_universal_differs():
    at = healthy(opened(PAGE, experiment=SECTION, model="Universal"))
    assert "Universal differs" in text(at) and len(charts(at)) == len(players(at)) == 1


def test_a_smaller_matrix_takes_back_a_cell_that_it_does_not_have():
    at = healthy(opened(PAGE, experiment=SECTION, cell_row=20, cell_col=14))
    at = healthy(at.selectbox(key="data").set_value("Your own grid").run())
    assert at.number_input(key="cell_row").value <= 5 and len(charts(at)) == len(players(at)) == 1
