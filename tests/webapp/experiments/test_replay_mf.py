"""MF as a run for the browser: its factors, its errors, and nothing of a prior."""

import json

import numpy as np
import pytest
from javascript import node
from tasks_of_tests import made_up_matrix

from metamf.baselines.mf import MFSettings, factorize
from metamf.evaluate.run import View, run
from metamf.evaluate.task import divide
from metamf.figures.window import Window
from metamf.webapp.experiments.replay import replay_of_mf

ASK = """
import { readFileSync } from "node:fs";
import { decodeRun } from "./metamf/webapp/player/js/payload.js";
import { product } from "./metamf/webapp/player/js/run.js";
const found = decodeRun(JSON.parse(readFileSync(0, "utf8")));
console.log(JSON.stringify([0, found.T].map((t) => [...product(found, t)])));
"""


@pytest.fixture(scope="module")
def view():
    found = run(divide(made_up_matrix(), 0.5, "at random", 1), "ml-1m", 1)
    return View(found, Window.of(found.task.given.shape, 2, 1, 8))


def test_the_browser_multiplies_the_factors_of_mf(view):
    path = factorize(view.run.task.given, MFSettings(rank=2, weight_decay=0, steps=20, learning_rate=0.1))
    payload = replay_of_mf(path, view)
    assert (payload["K"], payload["T"], payload["model"]["kind"]) == (2, 20, "mf")
    estimates = json.loads(node("--input-type=module", "--eval", ASK, given=json.dumps(payload, allow_nan=False)))
    for t, found in zip((0, 20), estimates):
        np.testing.assert_allclose(np.reshape(found, (8, 8)), path.estimate(t)[2:10, 1:9], atol=1e-4)
    assert payload["errors"]["given"] == pytest.approx(path.rmse(view.run.task.given))
    assert payload["limits"]["residual"] >= np.nanmax(np.abs(path.estimate(20)[2:10, 1:9] - view.given))
    assert payload["eta"] is payload["lambda"] is payload["pulls"] is payload["lower"] is None
    assert len(payload["errors"]["hidden"]) == 21
