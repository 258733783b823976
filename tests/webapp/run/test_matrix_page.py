"""Pages on one matrix: where it comes from, and which runs are kept for whom: those of matrices that
all visitors share are computed once for all, nobody's own is kept for another."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from opened import PAGES, healthy, no_data_sets, opened, players, text  # noqa: F401  a fixture
from streamlit.testing.v1 import AppTest

from metamf import datasets
from metamf.answer.division import Matrix
from metamf.checkpoints import bundled
from metamf.datasets import example_matrices
from metamf.datasets.examples import FULL_HOUSE
from metamf.webapp import choices
from metamf.webapp.choices import DEFAULT
from metamf.webapp.run import matrix_page
from metamf.webapp.run.edits import Edit
from metamf.webapp.run.matrix_page import DOWNLOADS, RunKey, run_of

MATRICES = sorted(example_matrices().keys() - {FULL_HOUSE})  # it takes long: test_race opens it
BLOCK = "MovieLens 100K block"


@pytest.mark.parametrize(
    "data",
    [pytest.param(name, marks=[pytest.mark.slow] * (name != DEFAULT.data)) for name in MATRICES],
)
def test_explore_and_compare_show_every_matrix_that_needs_no_file(data):
    assert players(healthy(opened(data=data)))
    at = healthy(opened(PAGES[1], data=data))
    assert "maps" in [player["scene"] for player in players(at)]
    assert example_matrices()[data].description in text(at)


@pytest.mark.data
@pytest.mark.parametrize("name", datasets.NAMES)
def test_a_held_out_block_is_scored_on_rated_cells_only(name):
    at = healthy(opened(data=datasets.ARCHIVES[name].title + " block", block=3))
    assert players(at)
    assert "Nobody knows the ratings of the others" in text(at)
    block = choices.held_out_block(name, 3)
    assert block.ratings.shape == (30, 20 if name == "jester" else 30)
    assert block.digest != choices.held_out_block(name, 4).digest


@pytest.mark.parametrize("error", [datasets.DownloadError, PermissionError])
def test_a_data_set_that_is_not_here_is_offered_with_size_and_licence(monkeypatch, error):
    asked = []

    def download(name, progress):
        asked.append(name)
        progress(1_000_000, 4_924_029)
        raise error("no route to host, put it into /secret/folder")

    monkeypatch.setattr(datasets, "download", download)
    at = healthy(opened(data=BLOCK))
    assert "4.9 MB" in text(at)
    assert "no redistribution" in text(at)
    assert not players(at)
    [button] = [one for one in at.main.button if "Download" in one.label]
    said = text(healthy(button.click().run()))
    assert asked == ["ml-100k"]
    assert "could not be downloaded" in said
    assert "/secret" not in said


def test_where_a_server_says_so_no_visitor_downloads_anything(monkeypatch):
    monkeypatch.setenv(DOWNLOADS, "OFF")
    at = healthy(opened(data="MovieLens 1M block"))
    assert not [button for button in at.main.button if "Download" in button.label]
    assert "MovieLens 1M is not on this server" in text(at)
    assert "metamf download ml-1m" in text(at)


def test_an_archive_that_cannot_be_read_is_said_without_its_place(monkeypatch, tmp_path):
    archive = tmp_path / datasets.ARCHIVES["ml-100k"].file_name
    archive.symlink_to("/proc/self/mem")  # a file whose reading fails
    choices._test_part.clear()  # another test may have read the real one
    monkeypatch.setenv("METAMF_DATA", str(tmp_path))
    said = text(healthy(opened(data=BLOCK)))
    assert "MovieLens 100K cannot be read on this server now" in said
    assert str(tmp_path) not in said


MATRIX = choices.example("Film night")
KEY = RunKey(MATRIX.digest, 50, "at random", 4242, "ml-1m", 10)
EDITED = replace(KEY, made=(Edit(0, 0, 5.0),))


@pytest.fixture
def empty_caches():
    matrix_page.st.cache_resource.clear()
    yield
    matrix_page.st.cache_resource.clear()


@pytest.fixture
def computed(monkeypatch, empty_caches):
    """The keys that were computed, in empty caches."""
    found = []
    monkeypatch.setattr(matrix_page, "compute", lambda key, matrix: found.append(key) or object())
    return found


def in_a_session(*asked):
    """What a visitor gets who asks for the same twice."""

    def script():
        import streamlit as st

        function, *arguments = st.session_state.asked
        st.session_state.found = [function(*arguments) for _ in range(2)]

    at = AppTest.from_function(script)
    at.session_state.asked = asked
    return at.run().session_state.found


def test_a_class_that_takes_the_same_seed_computes_it_once(computed):
    with ThreadPoolExecutor(8) as visitors:
        runs = set(visitors.map(lambda _: run_of(KEY, choices.example("Film night")), range(8)))
    assert len(runs) == 1
    assert run_of(replace(KEY, seed=4243), MATRIX) not in runs
    assert [key.seed for key in computed] == [4242, 4243]


# the same numbers in a file
OWN = Matrix("Film night.csv", MATRIX.description, MATRIX.ratings, MATRIX.truth)


@pytest.mark.parametrize(
    "key, matrix",
    [
        (replace(KEY, digest=OWN.digest), OWN),
        (EDITED, MATRIX),
        (replace(KEY, model="/elsewhere/Trained by you.safetensors"), MATRIX),
    ],
    ids=["table", "edits", "checkpoint"],
)
def test_what_is_a_visitors_own_is_kept_in_the_session_alone(computed, monkeypatch, key, matrix):
    monkeypatch.setattr(matrix_page, "_for_all", lambda *_: pytest.fail("kept for all visitors"))
    first, second = in_a_session(run_of, key, matrix)
    assert first is second
    assert computed == [key]


def test_a_checkpoint_that_is_replaced_while_it_is_served_computes_anew(
    computed, monkeypatch, tmp_path
):
    file = tmp_path / "ml-1m.safetensors"
    file.write_bytes(bundled.find_checkpoint("ml-1m").read_bytes())
    monkeypatch.setattr(bundled, "PRETRAINED", tmp_path)
    before = run_of(KEY, MATRIX)
    os.utime(file, ns=(1, 1))
    assert run_of(KEY, MATRIX) is not before
    assert len(computed) == 2


def test_the_engine_computes_a_large_run_as_a_small_one_is_computed_here(
    monkeypatch, straight_engine
):
    small = run_of(KEY, MATRIX)
    monkeypatch.setattr(matrix_page.st, "session_state", {})
    monkeypatch.setattr(matrix_page, "_LARGE", 10)
    large = run_of(KEY, MATRIX)
    assert large is not small
    assert (large.rmse, large.covered) == (small.rmse, small.covered)
    assert run_of(KEY, MATRIX) is large
    assert straight_engine.called == ["measured_run"]
