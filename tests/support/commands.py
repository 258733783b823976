"""Commands run in this process or in one of their own, for the tests of the command line."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from metamf import datasets
from metamf.__main__ import main
from metamf.datasets import synthetic
from metamf.ratings.scale import RatingScale
from metamf.recipes.presets import PRESETS

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run(capsysbinary):
    """Runs a command; its exit code, what it wrote, and what it said."""

    def run(*argv):
        try:
            code = main([str(word) for word in argv])
        except SystemExit as leave:
            code = leave.code
        out, said = capsysbinary.readouterr()
        return SimpleNamespace(
            code=code, out=out.decode(errors="replace"), said=said.decode(), bytes=out
        )

    return run


def made_up_ratings(name="ml-100k", folder=None, features=()):
    rng, stars = np.random.default_rng(0), RatingScale(1, 5, 1)
    ratings = synthetic(rng, 100, 80, density=0.4, scale=stars).ratings
    if features:
        return replace(ratings, col_features=datasets.load_features(name, features, folder))
    return ratings


@pytest.fixture
def data(monkeypatch):
    """Instead of MovieLens: a small matrix, and epochs of a few updates."""
    paper = PRESETS["paper"]
    quick = replace(paper, training=replace(paper.training, updates_per_epoch=4))
    monkeypatch.setitem(PRESETS, "paper", quick)
    monkeypatch.setattr(datasets, "load", made_up_ratings)
    monkeypatch.setattr(
        datasets, "load_features", lambda *_: np.random.default_rng(0).standard_normal((80, 3))
    )


def process(*argv, **options):
    """A Python process on one thread that finds the package and these helpers from any folder."""
    path = os.pathsep.join(map(str, (REPOSITORY, REPOSITORY / "tests" / "support")))
    environment = os.environ | {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen([sys.executable, *argv], env=environment, **pipes, **options)


def failure(result, code: int = 1) -> str:
    """The one line that a failed command said."""
    assert result.code == code and result.out == ""
    [line] = [line for line in result.said.splitlines() if line.startswith("error: ")]
    assert "Traceback" not in result.said and result.said.endswith(line + "\n")
    return line
