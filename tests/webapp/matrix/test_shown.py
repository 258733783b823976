"""Runs of matrices that all visitors share are computed once for all; nobody's own run is kept for another."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from heavy_work import heavy_work  # noqa: F401  a fixture

from metamf.checkpoints import bundled
from metamf.evaluate import comparison
from metamf.evaluate.task import Matrix
from metamf.figures.window import Window
from metamf.ratings.matrix import Ratings
from metamf.webapp.experiments.edits import Edit
from metamf.webapp.matrix import shown, sources
from metamf.webapp.matrix.shown import RunKey, ShownView, compute, run_of


@pytest.fixture
def computed(monkeypatch):
    """The keys that were computed: for all visitors, and in a session."""
    found = {"for all": [], "in a session": []}
    monkeypatch.setattr(shown, "compute", lambda key, matrix: found["for all"].append(key) or object())
    monkeypatch.setattr(shown, "_run", lambda key, matrix: found["in a session"].append(key) or object())
    shown._run_for_all.clear()
    yield found
    shown._run_for_all.clear()


MATRIX = sources.example("Film club")
KEY = RunKey(MATRIX.digest, 50, "at random", 4242, "ml-1m", 10)


def test_a_class_that_takes_the_same_seed_computes_it_once(computed):
    assert run_of(KEY, MATRIX) is run_of(KEY, sources.example("Film club"))
    assert run_of(replace(KEY, seed=4243), MATRIX) is not run_of(KEY, MATRIX)
    assert [key.seed for key in computed["for all"]] == [4242, 4243] and not computed["in a session"]


def test_what_is_a_visitors_own_is_computed_in_the_session(computed):
    own = Matrix("Film club.csv", MATRIX.description, MATRIX.ratings, MATRIX.truth)  # the same numbers in a file
    run_of(replace(KEY, digest=own.digest), own)
    run_of(replace(KEY, made=(Edit(0, 0, 5.0),)), MATRIX)
    run_of(replace(KEY, model="/tmp/job/Trained by you.safetensors"), MATRIX)
    assert len(computed["in a session"]) == 3 and not computed["for all"]


def test_a_checkpoint_that_is_replaced_while_it_is_served_computes_anew(computed, monkeypatch, tmp_path):
    file = tmp_path / "ml-1m.safetensors"
    file.write_bytes(bundled.find_checkpoint("ml-1m").read_bytes())
    monkeypatch.setattr(bundled, "PRETRAINED", tmp_path)
    before = run_of(KEY, MATRIX)
    os.utime(file, ns=(1, 1))
    assert run_of(KEY, MATRIX) is not before and len(computed["for all"]) == 2


@pytest.fixture
def simple(monkeypatch):
    """The tasks of which the simple methods' errors were computed."""
    found, squares, for_all = [], comparison.simple_squares, shown._squares_for_all
    monkeypatch.setattr(shown, "_simple_squares", lambda task, scale: found.append(task) or squares(task, scale))
    for_all.clear()
    yield found
    for_all.clear()


def lead_on(key, matrix):
    """The lead of a new view on a run that is computed now."""
    return ShownView(key, matrix, Window.of(matrix.ratings.shape), find=compute).lead()


def test_another_model_on_the_same_ratings_is_compared_with_simple_methods_that_are_remembered(simple):
    leads = [lead_on(key, MATRIX) for key in (KEY, replace(KEY, model="universal", steps=4), replace(KEY, steps=3))]
    assert len(simple) == 1 and len({ahead.share for ahead in leads}) == 3
    assert leads[1] == comparison.lead_of(compute(replace(KEY, model="universal", steps=4), MATRIX))
    for other in (replace(KEY, seed=4243), replace(KEY, keep=40), replace(KEY, by="popular columns")):
        assert lead_on(other, MATRIX) == comparison.lead_of(compute(other, MATRIX))
    assert len(simple) == 4


def test_what_simple_methods_say_of_a_visitors_own_ratings_stays_in_the_session(simple, monkeypatch):
    kept = []
    monkeypatch.setattr(shown, "_squares_for_all", lambda key, scale, task: pytest.fail("kept for all visitors"))
    monkeypatch.setattr(
        shown, "_squares", lambda key, scale, task: kept.append(key) or {"mean": np.ones(task.hidden.nnz)}
    )
    own = Matrix("Film club.csv", MATRIX.description, MATRIX.ratings, MATRIX.truth)  # the same numbers in a file
    edited = replace(KEY, made=(Edit(0, 0, 5.0),))
    assert lead_on(replace(KEY, digest=own.digest), own).over == lead_on(edited, MATRIX).over == "mean"
    assert [(key.digest, key.made) for key in kept] == [(own.digest, ()), (MATRIX.digest, edited.made)]


def test_of_a_large_matrix_nothing_is_kept_but_the_run(simple, monkeypatch):
    monkeypatch.setattr(shown, "SMALL", 100)
    assert lead_on(KEY, MATRIX) == lead_on(KEY, MATRIX) and len(simple) == 2


@pytest.fixture
def busy(monkeypatch):
    """How many computed at once, whenever one began."""
    inside, found, lock = [], [], threading.Lock()

    def compute(key, matrix):
        with lock:
            inside.append(key)
            found.append(len(inside))
        time.sleep(0.05)
        with lock:
            inside.remove(key)
        return object()

    monkeypatch.setattr(shown, "compute", compute)
    monkeypatch.setattr(shown, "_run", compute)
    shown._run_for_all.clear()
    yield found
    shown._run_for_all.clear()


def test_what_takes_a_moment_is_computed_one_visitor_after_the_other(busy):
    with ThreadPoolExecutor(8) as visitors:
        list(visitors.map(lambda seed: run_of(replace(KEY, seed=seed), MATRIX), range(8)))
    assert busy == [1] * 8


def test_what_takes_longer_makes_nobody_wait(busy):
    large = Matrix("large.csv", "", Ratings(np.arange(60), np.arange(60), np.ones(60), (60, 60)), None)
    with ThreadPoolExecutor(4) as visitors:
        list(visitors.map(lambda seed: run_of(replace(KEY, seed=seed), large), range(4)))
    assert max(busy) > 1


def test_visitors_who_draw_and_who_compare_the_same_run_never_wait_for_each_other(busy):
    def drawn(number):
        view = ShownView(KEY, MATRIX, Window.of(MATRIX.ratings.shape))
        return view.once("words", lambda: view.run) if number % 2 else run_of(KEY, MATRIX)

    visitors = ThreadPoolExecutor(8)
    runs = [answer.result(timeout=20) for answer in [visitors.submit(drawn, number) for number in range(8)]]
    assert len(set(map(id, runs))) == 1 and busy == [1]


def no_run(*work):
    """A run that takes no time."""
    return object


@pytest.mark.parametrize("heavy_from, called", [(200_000, []), (10, ["on_all_cores"])])
def test_a_large_run_is_kept_and_a_larger_one_made_elsewhere(monkeypatch, heavy_work, heavy_from, called):  # noqa: F811
    session = {}
    monkeypatch.setattr(shown.st, "session_state", session)
    small = run_of(KEY, MATRIX)
    monkeypatch.setattr(shown, "_LARGE", 10)
    monkeypatch.setattr(shown, "_HEAVY", heavy_from)
    large = run_of(KEY, MATRIX)
    assert large.summaries == small.summaries and large is not small
    assert run_of(KEY, MATRIX) is large and heavy_work == called
    monkeypatch.setattr("metamf.evaluate.run.measured_run", no_run)
    for seed in range(shown._KEPT):
        run_of(replace(KEY, seed=seed), MATRIX)
    assert len(session[shown._LARGE_RUNS]) == shown._KEPT and KEY not in session[shown._LARGE_RUNS]
