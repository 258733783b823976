"""Node, which the tests of the player's JavaScript run in."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def node(*arguments, given=""):
    """What ``node`` says. Without Node or its packages the test is skipped, unless METAMF_REQUIRE
    asks for tiers, as CI does."""
    program = shutil.which("node")
    if program is None or not (REPOSITORY / "node_modules").is_dir():
        said = "needs Node 20 or later (Debian: apt-get install nodejs) and npm ci"
        pytest.fail(said) if os.environ.get("METAMF_REQUIRE") else pytest.skip(said)
    done = subprocess.run(
        [program, *arguments], cwd=REPOSITORY, input=given, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{done.stdout[-20_000:]}\n{done.stderr[-20_000:]}"
    return done.stdout


def answer(script, given):
    """What a script of ``tests/webapp/player`` answers, as JSON."""
    return json.loads(node(f"tests/webapp/player/{script}.mjs", given=json.dumps(given)))
