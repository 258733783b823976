"""What the descriptions of the example matrices say of methods, on several choices of the given
ratings."""

from dataclasses import replace

import numpy as np
import pytest

from metamf import datasets
from metamf.answer.division import Matrix, divide
from metamf.answer.significance import lead
from metamf.baselines.mf import MFSettings, factorize
from metamf.datasets import example_matrices
from metamf.datasets.examples import LIKED, OLD_AND_NEW
from metamf.datasets.loading import GENRES
from metamf.webapp.run.comparison import of_baseline
from metamf.webapp.run.measured_run import run


def errors(name, seed, steps=10):
    """Errors on hidden cells of the paper's model, of its prior, of two simple methods and of MF
    with one factor."""
    example = example_matrices()[name].matrix
    task = divide(Matrix(name, "", example.ratings, example.truth), 0.5, "at random", seed)
    found = run(task, "ml-1m", steps)
    prior, *_, paper = found.hidden_errors
    simple = {
        key: of_baseline(key, task, found.answer.limits, None).rmse
        for key in ("mean", "crossed_effects")
    }
    one_factor = factorize(task.given, MFSettings(rank=1, weight_decay=0.3)).rmse(task.hidden)[-1]
    return simple | {"paper": paper, "prior": prior, "one factor": one_factor}


@pytest.mark.parametrize("seed", [1, 2])
def test_methods_do_as_the_descriptions_say(seed):
    hot, more = errors("Hot or mild", seed), errors("Hot or mild", seed, steps=40)
    assert hot["paper"] < 0.9 * hot["prior"]
    assert more["paper"] < 0.8 * hot["paper"]
    assert hot["paper"] < min(hot["mean"], hot["crossed_effects"])
    assert hot["one factor"] < 0.6 * hot["paper"]
    films = example_matrices()[OLD_AND_NEW].matrix
    both = films.ratings, replace(films.ratings, col_features=None)
    tasks = [divide(Matrix("", "", known, films.truth), 0.5, "at random", seed) for known in both]
    squares = (run(task, "ml-1m-genres", 10).hidden_squares for task in tasks)
    assert lead(*squares, tasks[0].hidden).ahead


@pytest.mark.data
def test_genre_and_year_count_as_in_movielens():
    found = []
    for name in ("ml-100k", "ml-1m"):
        ratings = datasets.load(name, features=("genre", "year"))
        rated = ratings.col_counts >= 20
        sums = np.bincount(ratings.cols, ratings.values, ratings.n_cols)
        design = np.insert(ratings.col_features[rated], 0, 1, axis=1)
        mean = sums[rated] / ratings.col_counts[rated]
        found.append(np.linalg.lstsq(design, mean)[0][1:])
    effects = dict(zip((*GENRES, "year"), np.mean(found, axis=0)))
    expected = LIKED | {"year": -0.3}
    assert expected == pytest.approx({name: effects[name] for name in expected}, abs=0.1)
