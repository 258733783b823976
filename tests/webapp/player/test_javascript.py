"""The player's JavaScript in Node: its unit tests; what the inspector shows adds up; its network
takes the steps of torch; and the runs that a page computes are those of the server."""

import os
import re
import shutil
from dataclasses import replace

import numpy as np
import pytest
from javascript import REPOSITORY, answer, node
from tasks_of_tests import made_up_matrix

from metamf.answer.division import Matrix, divide
from metamf.baselines.factorization import factorize_by_steps, random_factors
from metamf.checkpoints import bundled
from metamf.checkpoints.bundled import find_checkpoint
from metamf.datasets.examples import example_matrices
from metamf.datasets.film_nights import film_night
from metamf.datasets.synthetic import synthetic
from metamf.figures.window import Window
from metamf.webapp.player.live import is_live, live_of, runs_in_page, table_of, weights_of
from metamf.webapp.player.payload import text_of
from metamf.webapp.run.edits import Edit, Edits
from metamf.webapp.run.measured_run import run
from metamf.webapp.run.replay import replay

pytestmark = pytest.mark.slow

TESTS = sorted(REPOSITORY.glob("tests/webapp/player/js/*.test.mjs"))


def test_the_modules_of_the_player_pass_their_own_tests():
    said = node("--test", "--test-reporter=tap", *map(str, TESTS))
    passed = int(re.search(r"^# pass (\d+)$", said, re.M)[1])
    assert passed >= len(TESTS) and re.search(r"^# skipped 0$", said, re.M), said


@pytest.mark.parametrize(
    "checkpoint, rule, window",
    [
        ("ml-1m", "paper", None),
        ("ml-1m", "paper", Window.of((14, 11), 2, 3, 7)),  # pulls of what lies outside count
        ("film-nights", "safe", None),
        ("universal", "exact", None),
        ("ml-1m-nmf", "nmf", None),
    ],
)
def test_the_bars_add_up_to_the_estimate_and_the_pulls_to_the_step(checkpoint, rule, window):
    task = divide(made_up_matrix(14, 11), 0.6, "at random", 1)
    payload = replay(run(task, checkpoint, 4), window)
    off = answer("adds_up", payload)
    assert payload["model"]["rule"] == rule
    assert off["bars"] < 1e-5 and off["step"] < 2e-6 and off["ratings"] < 1e-9
    assert (off["moved"] > 1e-3) == (rule in ("paper", "safe"))  # there were steps to check


EVERY_STEP = str(bundled.PRETRAINED / "inside" / "film-nights-every-step.safetensors")
CHECKPOINTS = [name for name in (*bundled.list_pretrained(), EVERY_STEP) if runs_in_page(name)]
STARS = 1e-5  # largest difference, in rating units


def night(seed):
    found = film_night(seed).matrix(seed)
    return Matrix(f"night {seed}", "", found.ratings, found.truth)


@pytest.fixture(scope="module")
def tasks():
    """Ten tasks: film nights at both ends of the shares, other examples, empty lines, full and
    single ratings."""
    liked = "what people like"
    tasks = [divide(night(0), 0.3, by, 0) for by in ("at random", liked)]
    tasks += [divide(night(k), share, "at random", k) for k, share in ((1, 0.01), (2, 1.0))]
    tasks += [divide(night(3), 0.005, liked, 3)]
    for name in ("Hot or mild", "Jokes", "Old and new"):
        matrix = example_matrices()[name].matrix
        ratings = replace(matrix.ratings, col_features=None)
        tasks.append(divide(Matrix(name, "", ratings, matrix.truth), 0.5, "at random", 5))
    crowded = synthetic(np.random.default_rng(2), 60, 8, density=1.0)  # fixed steps overshoot
    tasks.append(divide(Matrix("crowded", "", crowded.ratings), 1.0, "at random", 0))
    small = synthetic(np.random.default_rng(1), 2, 3, density=1.0)
    return [*tasks, divide(Matrix("small", "", small.ratings), 0.6, "at random", 0)]


def _sent(task, units, **more):
    given = task.given
    return more | {
        "N": given.n_rows,
        "M": given.n_cols,
        "row": given.rows.tolist(),
        "col": given.cols.tolist(),
        "values": given.values.tolist(),
        "mean": float(units.mean),
        "std": float(units.spread),
        "T": 10,
    }


@pytest.mark.parametrize("checkpoint", CHECKPOINTS)
def test_every_step_of_ten_matrices_is_that_of_torch(checkpoint, tasks):
    if bundled.describe(checkpoint).features:  # those that a network reads of films
        matrix = example_matrices()["Old and new"].matrix
        told = Matrix("told", "", matrix.ratings, matrix.truth)
        tasks = [*tasks[:9], divide(told, 0.5, "at random", 5)]
    runs = [run(task, checkpoint, 10) for task in tasks]
    sent = []
    for found in runs:
        features = text_of(found.task.given.col_features)
        units = found.answer.trajectory.standardization
        sent.append(_sent(found.task, units, colFeatures=features))
    said = answer("network_frames", {"weights": weights_of(checkpoint), "matrices": sent})
    assert [page["rule"] for page in said] == [found.answer.step_rule for found in runs]
    for found, page in zip(runs, said, strict=True):
        rows, cols = np.indices(found.task.given.shape).reshape(2, -1)
        expected = found.answer.trajectory.estimate_at(rows, cols)
        assert np.abs(np.array(page["frames"]) - expected).max() < STARS
    if checkpoint == "ml-1m":
        assert {page["rule"] for page in said} == {"paper", "safe"}


def test_matrix_factorization_takes_the_same_steps_in_the_page(tasks):
    paths = [factorize_by_steps(task.given, 10) for task in tasks]
    sent = []
    for task, path in zip(tasks, paths):
        starts = [random_factors(length, side) for side, length in enumerate(task.given.shape)]
        sent.append(_sent(task, path.units, start=[text_of(start) for start in starts]))
    said = answer("network_frames", {"weights": weights_of(CHECKPOINTS[0]), "matrices": sent})
    for path, page in zip(paths, said, strict=True):
        expected = np.stack([path.estimate(t).ravel() for t in range(11)])
        assert np.abs(np.array(page["frames"]) - expected).max() < STARS


EDITS = [[6, 1, 1], [0, 0, None]]
CHOICES = [
    {"seed": seed, "keep": keep, "by": by, "steps": 10, "made": made}
    for seed, keep, by, made in (
        (0, 30, "at random", []),
        (1, 5, "at random", []),
        (0, 100, "what people like", []),
        (1, 45, "what people like", EDITS),
    )
]


def of_page(checkpoint, tables, matrix, choices):
    base = replay(run(divide(matrix, 0.3, "at random", 0), checkpoint, 10))
    given = {"live": live_of(checkpoint, tables), "base": base, "choices": choices}
    return answer("live_runs", given)


def test_the_same_ratings_are_given_and_all_errors_are_the_same():
    def of_server(chosen):
        task = divide(night(chosen["seed"]), chosen["keep"] / 100, chosen["by"], chosen["seed"])
        edited = Edits(tuple(Edit(*one) for one in chosen["made"])).apply(task)
        return run(edited, "film-nights", chosen["steps"])

    tables = [table_of(night(seed), seed, film_night(seed).groups()) for seed in (0, 1)]
    found = of_page("film-nights", tables, night(0), CHOICES)
    for page, chosen in zip(found, CHOICES, strict=True):
        server = of_server(chosen)
        given, hidden = server.task.given, server.task.hidden
        np.testing.assert_array_equal(np.array(page["X"], float), given.to_dense().ravel())
        np.testing.assert_allclose(page["errors"]["given"], server.given_errors, atol=1e-5)
        if not hidden.nnz:
            assert page["errors"]["hidden"] is None
            continue
        np.testing.assert_allclose(page["errors"]["hidden"], server.hidden_errors, atol=1e-5)
        mf = factorize_by_steps(given, 10)
        np.testing.assert_allclose(page["mf"]["hidden"], mf.rmse(hidden), atol=1e-5)
    data = of_server(CHOICES[-1] | {"made": []})  # with which edits are compared
    np.testing.assert_allclose(found[-1]["pinned"]["hidden"], data.hidden_errors, atol=1e-5)


@pytest.mark.parametrize(
    "name, checkpoint",
    [("Hot or mild", "film-nights"), ("Hot or mild", "ml-1m"), ("Jokes", "jester")],
)
def test_units_and_ends_of_the_scale_are_those_of_the_server(name, checkpoint):
    matrix = example_matrices()[name].matrix
    task_matrix = Matrix(name, "", matrix.ratings, matrix.truth)
    [page] = of_page(checkpoint, [table_of(task_matrix, 0)], task_matrix, CHOICES[:1])
    server = run(divide(task_matrix, 0.3, "at random", 0), checkpoint, 10)
    rows, cols = np.indices(matrix.ratings.shape).reshape(2, -1)
    np.testing.assert_allclose(page["estimates"], server.answer.at(rows, cols), atol=1e-5)


def test_large_matrices_and_other_networks_are_left_to_the_server():
    ratings = night(0).ratings
    assert is_live("film-nights", ratings)
    assert not is_live("universal", ratings)
    assert not is_live("ml-1m-nmf", ratings)
    assert not is_live("film-nights", example_matrices()["Full house"].matrix.ratings)


def test_what_a_page_keeps_is_named_by_its_numbers_and_not_by_the_time_of_a_file(tmp_path):
    path = shutil.copy(find_checkpoint("film-nights"), tmp_path)
    before = live_of(path, [])["id"]
    os.utime(path, (0, 0))
    assert live_of(path, [])["id"] == before
    assert live_of("jester", [])["id"] != before
