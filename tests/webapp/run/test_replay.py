"""A run as a browser gets it: everything arrives, and the browser's matrices are those of the
library."""

import json
from dataclasses import replace

import numpy as np
import pytest
from javascript import node
from payloads import floats_of
from tasks_of_tests import example, made_up_matrix  # noqa: F401  a fixture

from metamf.answer.division import Matrix, Task, divide
from metamf.baselines.mf import MFSettings, factorize
from metamf.figures.window import Window
from metamf.ratings.matrix import Ratings
from metamf.webapp.run.measured_run import run
from metamf.webapp.run.replay import replay, replay_of_mf

NAMES = ("product", "estimate", "residual", "error", "difference")  # of functions of run.js
ASK = """
import { readFileSync } from "node:fs";
import * as run from "./metamf/webapp/player/js/run.js";
const found = run.decodeRun(JSON.parse(readFileSync(0, "utf8")));
const matrix = (name, t) => [...run[name](found, t)].map((value) => (Number.isNaN(value) ? null : value));
const steps = [0, 1, found.T].map((t) => Object.fromEntries(NAMES.map((name) => [name, matrix(name, t)])));
console.log(JSON.stringify(steps));
""".replace("NAMES", json.dumps(NAMES))
WINDOW = Window.of((12, 9), top=2, left=1, largest=8)


def library(result, name, t):
    product = WINDOW.part(result.answer.trajectory.estimate(t))
    estimate = result.answer.limits.clip(product)
    return {
        "product": product,
        "estimate": estimate,
        "residual": product - WINDOW.dense(result.task.given),
        "error": estimate - WINDOW.dense(result.task.hidden),
    }[name]


def in_the_browser(payload):
    given = json.dumps(payload, allow_nan=False)
    return json.loads(node("--input-type=module", "--eval", ASK, given=given))


def assert_same(values, expected):
    np.testing.assert_allclose(np.reshape(np.array(values, float), (8, 8)), expected, atol=1e-4)


@pytest.fixture(scope="module")
def paper():
    """The paper's model on the same matrix."""
    return run(divide(made_up_matrix(), 0.5, "at random", 1), "ml-1m", 5)


def test_the_browser_computes_what_the_library_computes(example, paper):
    for result in (example, paper):
        for t, step in zip((0, 1, result.T), in_the_browser(replay(result, WINDOW))):
            for name in NAMES[:-1]:
                assert_same(step[name], library(result, name, t))


def test_the_factors_of_all_steps_travel_with_their_units_and_the_names_of_the_window(
    example, paper
):
    payload = replay(example)
    T, n, m, K = (payload[name] for name in "TnmK")
    assert (T, n, m) == (6, 12, 9)
    U = floats_of(payload["U"]).reshape(T + 1, n, K)
    V = floats_of(payload["V"]).reshape(T + 1, m, K)
    np.testing.assert_allclose(U, example.answer.trajectory.U, rtol=1e-6, atol=1e-30)
    assert (U[:, :, payload["constants"]["U"]] == 1).all()
    assert (V[:, :, payload["constants"]["V"]] == 1).all()
    assert (floats_of(payload["lower"]) <= floats_of(payload["upper"])).all()
    assert (payload["model"]["kind"], payload["eta"], payload["level"]) == ("universal", None, 0.9)
    other = replay(paper)
    assert (other["model"]["kind"], other["lower"]) == ("paper", None)
    assert min(other["eta"], other["lambda"]) > 0
    assert other["constants"] == {"U": [], "V": []}
    assert len(other["errors"]["hidden"]) == 6
    assert replay(example)["id"] == payload["id"]
    parts = [replay(example, replace(WINDOW, top=top)) for top in (1, 2)]
    assert len({found["id"] for found in (payload, other, *parts)}) == 4  # another picture each
    rows, cols = (tuple(f"{side}{at}" for at in range(12)) for side in "rc")
    named = replace(made_up_matrix().ratings, row_labels=rows, col_labels=cols[:9])
    result = run(divide(Matrix("named", "", named), 0.5, "at random", 1), "universal", 1)
    part = replay(result, Window.of((12, 9), top=3, left=2, largest=4))
    assert part["rows"] == ["r3", "r4", "r5", "r6"]
    assert part["cols"] == ["c2", "c3", "c4", "c5"]
    place = [part[name] for name in ("top", "left", "total_rows", "total_cols")]
    assert place == [3, 2, 12, 9]


def test_one_value_and_nothing_hidden_travel_too():
    given = Ratings([0, 1], [0, 1], np.array([4.0, 4.0]), (2, 3))
    nothing = Ratings([], [], np.array([]), (2, 3))
    payload = replay(run(Task(Matrix("one value", "", given), given, nothing), "universal", 2))
    assert payload["truth"] is payload["errors"]["hidden"] is None
    for step in in_the_browser(payload):
        assert (step["estimate"], step["error"]) == ([4] * 6, [None] * 6)


def test_the_run_on_the_data_travels_with_one_on_edits_and_the_browser_draws_the_difference(paper):
    task = paper.task
    values = task.given.values.copy()
    values[0] = 1.0 if values[0] > 3 else 5.0
    edited = run(replace(task, given=replace(task.given, values=values)), "ml-1m", 5)
    for t, step in zip((0, 1, 5), in_the_browser(replay(edited, WINDOW, pinned=paper))):
        expected = library(edited, "estimate", t) - library(paper, "estimate", t)
        assert_same(step["difference"], expected)
        assert np.abs(expected).max() > 0.01


def test_the_browser_multiplies_the_factors_of_mf(paper):
    settings = MFSettings(rank=2, weight_decay=0, steps=20, learning_rate=0.1)
    path = factorize(paper.task.given, settings)
    payload = replay_of_mf(path, paper, WINDOW)
    for t, step in zip((0, 1, 20), in_the_browser(payload)):
        assert_same(step["product"], WINDOW.part(path.estimate(t)))
    assert payload["errors"]["given"] == pytest.approx(path.rmse(paper.task.given))
    assert len(payload["errors"]["hidden"]) == 21
    residual = WINDOW.part(path.estimate(20)) - WINDOW.dense(paper.task.given)
    assert payload["limits"]["residual"] >= np.nanmax(np.abs(residual))
    assert payload["eta"] is payload["lambda"] is payload["lower"] is None
