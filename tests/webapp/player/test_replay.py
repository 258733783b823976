"""A run as a browser gets it: everything arrives, and the browser's matrices are those of the library."""

import json
from base64 import b64decode
from dataclasses import replace

import numpy as np
import pytest
from javascript import node
from tasks_of_tests import example, made_up_matrix  # noqa: F401  a fixture

from metamf.answer.division import Matrix, Task, divide
from metamf.baselines.mf import MFSettings, factorize
from metamf.figures.window import Window
from metamf.ratings.matrix import Ratings
from metamf.webapp.explore.run import run
from metamf.webapp.player.replay import replay, replay_of_mf

MATRICES = ("product", "estimate", "filled", "residual", "change", "error")  # of the library and of the browser
ASK = """
import { readFileSync } from "node:fs";
import { decodeRun } from "./metamf/webapp/player/js/run.js";
import * as run from "./metamf/webapp/player/js/run.js";
const found = decodeRun(JSON.parse(readFileSync(0, "utf8")));
const matrix = (name, t) => [...run[name](found, t)].map((value) => (Number.isNaN(value) ? null : value));
const steps = [0, 1, found.T].map((t) => Object.fromEntries(NAMES.map((name) => [name, matrix(name, t)])));
const rows = [...Array(found.n).keys()].map((i) => run.pullsOf(found, 1, "row", i));
console.log(JSON.stringify({ steps, pulls: rows.map(({ data, prior }) => [[...data], [...prior]]) }));
""".replace("NAMES", json.dumps([*MATRICES, "difference"]))


def window_of(result, **place):
    return Window.of(result.task.given.shape, **place)


def library(result, window, name, t):
    product = result.answer.trajectory.estimate(t)[window.rows, window.cols]
    if name == "change":
        return product - result.answer.trajectory.estimate(max(t - 1, 0))[window.rows, window.cols]
    estimate = result.answer.limits.clip(product)
    given = window.dense(result.task.given)
    return {
        "product": product,
        "estimate": estimate,
        "filled": np.where(np.isnan(given), estimate, given),
        "residual": product - given,
        "error": estimate - window.dense(result.task.hidden),
    }[name]


def decoded(payload, name):
    return np.frombuffer(b64decode(payload[name]), "<f4")


def in_the_browser(payload):
    return json.loads(node("--input-type=module", "--eval", ASK, given=json.dumps(payload, allow_nan=False)))


@pytest.fixture(scope="module")
def paper():
    """The paper's model on the same matrix."""
    return run(divide(made_up_matrix(), 0.5, "at random", 1), "ml-1m", 5)


def test_the_browser_computes_what_the_library_computes(example, paper):
    for result in (example, paper):
        window = window_of(result, top=2, left=1, largest=8)
        found = in_the_browser(replay(result, window))
        for t, step in zip((0, 1, result.T), found["steps"]):
            for name in MATRICES:
                values = np.array(step[name], dtype=float).reshape(8, 8)
                np.testing.assert_allclose(values, library(result, window, name, t), atol=1e-4, err_msg=f"{name}({t})")


def test_the_pulls_of_all_rows_add_up_to_those_of_the_run(paper):
    found = in_the_browser(replay(paper))["pulls"]
    for term, expected in zip(np.array(found).transpose(1, 0, 2), (paper.pulls.data[1], paper.pulls.prior[1])):
        assert np.linalg.norm(term) == pytest.approx(expected, rel=1e-3)


def test_the_factors_of_all_steps_travel_with_their_names_and_units(example, paper):
    payload = replay(example)
    T, n, m, K = payload["T"], payload["n"], payload["m"], payload["K"]
    assert (T, n, m) == (6, 12, 9)
    np.testing.assert_allclose(
        decoded(payload, "U").reshape(T + 1, n, K), example.answer.trajectory.U, rtol=1e-6, atol=1e-30
    )
    assert decoded(payload, "V").size == (T + 1) * m * K
    assert payload["model"]["kind"] == "universal" and payload["eta"] is None and payload["pulls"] is None
    ones = decoded(payload, "U").reshape(T + 1, n, K)[:, :, payload["constants"]["U"]]
    assert ones.size and (ones == 1).all()
    assert (decoded(payload, "V").reshape(T + 1, m, K)[:, :, payload["constants"]["V"]] == 1).all()
    assert (decoded(payload, "lower") <= decoded(payload, "upper")).all() and payload["level"] == 0.9
    other = replay(paper)
    assert other["model"]["kind"] == "paper" and other["eta"] > 0 and other["lambda"] > 0 and other["lower"] is None
    assert other["constants"] == {"U": [], "V": []} and len(other["errors"]["hidden"]) == 6


def test_another_run_has_another_name_and_the_same_run_the_same(example, paper):
    assert replay(example)["id"] == replay(example)["id"]
    parts = [replay(example, window_of(example, top=top, largest=8)) for top in (1, 2)]
    assert len({found["id"] for found in (replay(example), replay(paper), *parts)}) == 4


def test_names_are_those_of_the_window():
    ratings = made_up_matrix().ratings
    named = Ratings(
        ratings.rows,
        ratings.cols,
        ratings.values,
        ratings.shape,
        tuple(f"r{i}" for i in range(12)),
        tuple(f"c{j}" for j in range(9)),
    )
    result = run(divide(Matrix("named", "", named), 0.5, "at random", 1), "universal", 1)
    payload = replay(result, window_of(result, top=3, left=2, largest=4))
    assert payload["rows"] == ["r3", "r4", "r5", "r6"] and payload["cols"] == ["c2", "c3", "c4", "c5"]
    assert (payload["top"], payload["left"], payload["total_rows"], payload["total_cols"]) == (3, 2, 12, 9)


def test_one_value_and_nothing_hidden_travel_too():
    given = Ratings([0, 1], [0, 1], np.array([4.0, 4.0]), (2, 3))
    result = run(Task(Matrix("one value", "", given), given, Ratings([], [], np.array([]), (2, 3))), "universal", 2)
    payload = replay(result)
    assert payload["truth"] is None and payload["errors"]["hidden"] is None
    for step in in_the_browser(payload)["steps"]:
        assert step["filled"] == [4] * 6 and step["error"] == [None] * 6


@pytest.mark.slow
def test_the_run_on_the_data_travels_with_one_on_edits_and_the_browser_draws_the_difference(paper):
    task = paper.task
    values = task.given.values.copy()
    values[0] = 1.0 if values[0] > 3 else 5.0
    edited = run(replace(task, given=replace(task.given, values=values)), "ml-1m", 5)
    window = window_of(paper, top=2, left=1, largest=8)
    found = in_the_browser(replay(edited, window, pinned=paper))
    for t, step in zip((0, 1, 5), found["steps"]):
        after, before = (library(result, window, "estimate", t) for result in (edited, paper))
        expected = after - before
        np.testing.assert_allclose(np.reshape(step["difference"], (8, 8)), expected, atol=1e-4)
        assert np.abs(expected).max() > 0.01
    assert {value for step in in_the_browser(replay(paper, window))["steps"] for value in step["difference"]} == {0}


def test_the_browser_multiplies_the_factors_of_mf(paper):
    window = window_of(paper, top=2, left=1, largest=8)
    path = factorize(paper.task.given, MFSettings(rank=2, weight_decay=0, steps=20, learning_rate=0.1))
    payload = replay_of_mf(path, paper, window)
    assert (payload["K"], payload["T"], payload["model"]["kind"]) == (2, 20, "mf")
    found = in_the_browser(payload)["steps"]
    for t, step in zip((0, 1, 20), found):
        np.testing.assert_allclose(np.reshape(step["product"], (8, 8)), path.estimate(t)[2:10, 1:9], atol=1e-4)
    assert payload["errors"]["given"] == pytest.approx(path.rmse(paper.task.given))
    assert payload["limits"]["residual"] >= np.nanmax(
        np.abs(path.estimate(20)[2:10, 1:9] - window.dense(paper.task.given))
    )
    assert payload["eta"] is payload["lambda"] is payload["pulls"] is payload["lower"] is None
    assert len(payload["errors"]["hidden"]) == 21
