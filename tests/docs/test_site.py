"""The documentation site builds from pages and docstrings without a warning."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr.strip(), done.stdout + done.stderr
    api = (tmp_path / "api" / "index.html").read_text("utf-8")
    assert "fit_transform" in api and "Parameters" in api
    assert "map_steps" in (tmp_path / "reference" / "index.html").read_text("utf-8")
