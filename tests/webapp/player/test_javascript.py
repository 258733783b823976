"""The player's JavaScript in Node: its unit tests, and that what the inspector shows of a cell adds up."""

import json
import re

import numpy as np
import pytest
from javascript import REPOSITORY, node
from tasks_of_tests import made_up_matrix

from metamf.answer.division import Matrix, divide
from metamf.figures.window import Window
from metamf.ratings.matrix import Ratings
from metamf.webapp.explore.run import run
from metamf.webapp.player.replay import replay

pytestmark = pytest.mark.slow

TESTS = sorted(REPOSITORY.glob("tests/webapp/player/js/*.test.mjs"))


def test_the_modules_of_the_player_pass_their_own_tests():
    said = node("--test", "--test-reporter=tap", *map(str, TESTS))
    passed = int(re.search(r"^# pass (\d+)$", said, re.M)[1])
    assert passed >= len(TESTS) and re.search(r"^# skipped 0$", said, re.M), said


def shown(task, checkpoint, steps, window=None):
    found = run(task, checkpoint, steps)
    payload = replay(found, window)
    return payload, json.loads(node("tests/webapp/player/adds_up.mjs", given=json.dumps(payload)))


@pytest.mark.parametrize(
    "checkpoint, rule", [("ml-1m", "paper"), ("jester", "paper"), ("universal", "exact"), ("ml-1m-nmf", "nmf")]
)
def test_the_bars_add_up_to_the_estimate_and_the_pulls_to_the_step(checkpoint, rule):
    payload, off = shown(divide(made_up_matrix(), 0.5, "at random", 1), checkpoint, 4)
    assert payload["model"]["rule"] == rule
    assert off["bars"] < 1e-5 and off["step"] < 2e-6 and off["ratings"] < 1e-9
    assert (off["moved"] > 1e-3) == (rule == "paper")  # there were steps to check


def test_safe_steps_are_checked_with_their_own_length():
    noise = np.random.default_rng(0).normal(size=(150, 6))
    X = np.clip(np.round(3 + noise), 1, 5)  # columns so full that the fixed step overshoots
    task = divide(Matrix("full columns", "", Ratings.from_dense(X)), 1.0, "at random", 1)
    payload, off = shown(task, "ml-1m", 4)
    assert payload["model"]["rule"] == "safe"
    assert off["step"] < 2e-6 and off["moved"] > 1e-3


def test_in_a_window_the_pulls_of_what_lies_outside_are_counted():
    task = divide(made_up_matrix(14, 11), 0.8, "at random", 1)
    _, off = shown(task, "ml-1m", 4, Window.of(task.given.shape, 2, 3, 7))
    assert off["step"] < 2e-6 and off["moved"] > 1e-3
