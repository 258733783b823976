"""What a network that was tuned to one matrix says of itself."""

import pytest
from checkpoint_files import INFO
from problems import ratings_matrix

from metamf import Ratings
from metamf.checkpoints.tuned import tuned_info, width_factor_of, with_width_factor
from metamf.learning.tuning import Tuning, TuningReport

REPORT = TuningReport(40, 20, 0.9, 0.8, 0.17, 0.02, 15, 1.5)


def test_a_tuned_network_says_where_it_comes_from_and_what_tuning_did():
    ratings = Ratings.from_dense(ratings_matrix())
    info = tuned_info(INFO, ratings, Tuning(40, None, 3), REPORT)
    told = info.recipe["tuning"]
    assert (info.name, told["from"], told["settings"]) == (
        "small-tuned",
        "small",
        {"steps": 40, "seconds": None, "seed": 3},
    )
    assert told["matrix"] == {"rows": 12, "columns": 9, "entries": ratings.nnz} and told["report"]["kept"] == 20
    assert info.errors == {} and INFO.errors  # those of the network before tell nothing of this one
    assert info.recipe["preset"] == INFO.recipe["preset"] and "tuning" not in INFO.recipe


def test_the_factor_of_the_half_widths_travels_with_a_tuned_network_only():
    tuned = tuned_info(INFO, Ratings.from_dense(ratings_matrix()), Tuning(), REPORT)
    assert width_factor_of(with_width_factor(tuned, 1.25)) == 1.25
    assert width_factor_of(tuned) == 1 and with_width_factor(INFO, 1.25) == INFO


@pytest.mark.parametrize("factor", [0, -1, float("inf"), float("nan"), "wide", None])
def test_a_factor_that_no_width_can_have_counts_as_one(factor):
    assert (
        width_factor_of(with_width_factor(tuned_info(INFO, Ratings.from_dense([[1.0]]), Tuning(), REPORT), factor)) == 1
    )
