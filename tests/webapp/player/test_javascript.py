"""The unit tests of the player's JavaScript, run by Node."""

import os
import re

import pytest
from javascript import REPOSITORY, node

TESTS = sorted(REPOSITORY.glob("tests/webapp/player/js/*.test.mjs"))


def test_the_modules_of_the_player_pass_their_own_tests():
    if not (REPOSITORY / "node_modules").is_dir() and not os.environ.get("METAMF_REQUIRE"):
        pytest.skip("needs d3: npm ci")
    said = node("--test", "--test-reporter=tap", *map(str, TESTS))
    passed = int(re.search(r"^# pass (\d+)$", said, re.M)[1])
    assert passed >= len(TESTS) and re.search(r"^# skipped 0$", said, re.M), said
