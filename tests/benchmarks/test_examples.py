"""benchmarks/accuracy/examples.py: what the descriptions of the example matrices say of methods, as bands."""

import pandas as pd
import pytest

from benchmarks.accuracy import examples
from benchmarks.rows import RESULTS
from metamf.baselines import SIMPLE
from metamf.evaluate.comparison import BASELINES


@pytest.fixture(scope="module")
def rows():
    return pd.read_csv(RESULTS / "examples.csv")


@pytest.fixture(scope="module")
def found(rows):
    return examples.claims(rows)


def test_every_method_was_measured_on_every_example_and_seed(rows):
    measured = rows.groupby(["example", "seed"]).method.agg(set)
    assert len(measured) == 6 * examples.SEEDS and all(set(BASELINES) <= methods for methods in measured)


def test_in_hot_or_mild_the_steps_find_the_factor_and_more_steps_come_closer(found):
    hot = found.loc["Hot or mild"]
    assert (hot["paper / its prior"] < 0.9).all() and (hot["40 steps / 10 steps"] < 0.8).all()
    assert (hot["paper / best of mean and effects"] < 1).all() and (hot["MF with one factor / paper"] < 0.6).all()


def test_in_popular_few_the_learned_prior_wins_against_all_that_see_this_matrix_alone(found):
    assert (found.loc["Popular few"]["paper / best that sees this alone"] < 0.9).all()


def test_in_two_tastes_the_prior_hurts_and_one_factor_without_it_finds_the_pattern(found):
    tastes = found.loc["Two tastes"]
    assert (tastes["paper / mean"] > 1.05).all() and (tastes["MF with one factor / paper"] < 0.5).all()


def test_in_the_film_club_the_model_leads(found):
    club = found.loc["Film club"]
    assert (club["paper / best that sees this alone"] < 1).all() and club["paper / its prior"].mean() < 0.95


@pytest.mark.parametrize("name", ["Film club", "Hot or mild", "Two tastes", "Popular few"])
def test_the_committed_errors_are_those_of_the_code(rows, name):
    again = pd.DataFrame(examples.rows_of(name, 1, SIMPLE)).set_index("method").rmse
    written = rows[(rows.example == name) & (rows.seed == 1)].set_index("method").rmse
    pd.testing.assert_series_equal(written.loc[again.index], again, atol=0.01)
