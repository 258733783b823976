"""benchmarks.accuracy.film_nights: every method on the same cells, the truth without error."""

import pytest

from benchmarks.accuracy.film_nights import SIMPLE, Case, measure, of_methods
from metamf.datasets.film_nights import STARS, film_night


@pytest.fixture(scope="module")
def cases():
    nights = [film_night(seed) for seed in range(3)]
    return [Case(night.truth, night.given(0.3, 1.0), night.tastes, STARS) for night in nights]


def test_the_truth_has_no_error_and_a_star_more_a_bias_of_one(cases):
    right, high = ([case.truth + more for case in cases] for more in (0, 1))
    assert (measure(cases, right)["rmse"], measure(cases, right)["bias"]) == ("0.0000", "0.0000")
    assert (measure(cases, high)["rmse"], measure(cases, high)["bias"]) == ("1.0000", "1.0000")
    assert measure(cases, [case.tastes for case in cases])["tastes"] == "1.0000"


@pytest.mark.slow
def test_every_method_is_measured_and_the_best_simple_one_is_named(cases):
    found = {row["method"]: row for row in of_methods(cases, ("film-nights",))}
    assert {"film-nights", "eml", "training_mean", "normal", "simple", "mf"} <= found.keys()
    alone = [float(found[key]["rmse"]) for key in (*SIMPLE, "mf")]
    assert float(found["simple"]["rmse"]) == min(alone)
    assert float(found["film-nights"]["rmse"]) < float(found["simple"]["rmse"])
    assert found["mf"]["draws"] == 3
