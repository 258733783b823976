"""Runs of matrices that all visitors share are computed once for all; nobody's own run is kept for another."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from metamf.answer.division import Matrix
from metamf.checkpoints import bundled
from metamf.webapp.explore import choices, view
from metamf.webapp.explore.edits import Edit
from metamf.webapp.explore.view import RunKey, run_of


@pytest.fixture
def computed(monkeypatch):
    """The keys that were computed, in empty caches."""
    found = []
    monkeypatch.setattr(view, "compute", lambda key, matrix: found.append(key) or object())
    view.st.cache_resource.clear()
    yield found
    view.st.cache_resource.clear()


MATRIX = choices.example("Film night")
KEY = RunKey(MATRIX.digest, 50, "at random", 4242, "ml-1m", 10)


def test_a_class_that_takes_the_same_seed_computes_it_once(computed):
    with ThreadPoolExecutor(8) as visitors:
        runs = set(visitors.map(lambda _: run_of(KEY, choices.example("Film night")), range(8)))
    assert len(runs) == 1
    assert run_of(replace(KEY, seed=4243), MATRIX) not in runs
    assert [key.seed for key in computed] == [4242, 4243]


def test_what_is_a_visitors_own_is_kept_for_nobody_else(computed, monkeypatch):
    own = Matrix("Film night.csv", MATRIX.description, MATRIX.ratings, MATRIX.truth)  # the same numbers in a file
    for key, matrix in (
        (replace(KEY, digest=own.digest), own),
        (replace(KEY, made=(Edit(0, 0, 5.0),)), MATRIX),
        (replace(KEY, model="/elsewhere/Trained by you.safetensors"), MATRIX),
    ):
        for session in ({}, {}):  # two visitors
            monkeypatch.setattr(view.st, "session_state", session)
            assert run_of(key, matrix) is run_of(key, matrix)
        assert computed == [key, key]
        computed.clear()


def test_a_checkpoint_that_is_replaced_while_it_is_served_computes_anew(computed, monkeypatch, tmp_path):
    file = tmp_path / "ml-1m.safetensors"
    file.write_bytes(bundled.find_checkpoint("ml-1m").read_bytes())
    monkeypatch.setattr(bundled, "PRETRAINED", tmp_path)
    before = run_of(KEY, MATRIX)
    os.utime(file, ns=(1, 1))
    assert run_of(KEY, MATRIX) is not before and len(computed) == 2


def test_the_engine_computes_a_large_run_as_a_small_one_is_computed_here(monkeypatch, straight_engine):
    monkeypatch.setattr(view.st, "session_state", {})
    small = run_of(KEY, MATRIX)
    monkeypatch.setattr(view, "_LARGE", 10)
    large = run_of(KEY, MATRIX)
    assert large.rmse == small.rmse and large.covered == small.covered and large is not small
    assert run_of(KEY, MATRIX) is large and straight_engine.called == ["measured_run"]
