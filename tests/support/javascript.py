"""Node, which the tests of the player's JavaScript run in."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def node(*arguments, given=""):
    """What ``node`` says. Without Node the test is skipped, unless METAMF_REQUIRE asks for tiers, as CI does."""
    if (program := shutil.which("node")) is None:
        said = "needs Node 20 or later (Debian: apt-get install nodejs)"
        pytest.fail(said) if os.environ.get("METAMF_REQUIRE") else pytest.skip(said)
    done = subprocess.run([program, *arguments], cwd=REPOSITORY, input=given, capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stdout[-20_000:]}\n{done.stderr[-20_000:]}"
    return done.stdout
