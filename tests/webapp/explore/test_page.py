"""What every page on one matrix starts with: its matrix, from wherever the visitor takes it."""

import pytest
from opened import PAGES, charts, healthy, no_data_sets, opened, players, text  # noqa: F401  a fixture

from metamf import datasets
from metamf.datasets import example_matrices
from metamf.datasets.examples import FULL_HOUSE
from metamf.webapp.explore import choices
from metamf.webapp.explore.choices import GRID
from metamf.webapp.explore.page import DOWNLOADS

MATRICES = [*sorted(example_matrices().keys() - {FULL_HOUSE}), GRID]  # that one takes long: test_race opens it


@pytest.mark.parametrize("data", [pytest.param(name, marks=[pytest.mark.slow] * (name != GRID)) for name in MATRICES])
def test_explore_shows_every_matrix_that_needs_no_file(data):
    assert players(healthy(opened(data=data)))


@pytest.mark.slow
@pytest.mark.parametrize("data", MATRICES)
def test_compare_shows_every_matrix_that_needs_no_file(data):
    at = healthy(opened(PAGES[1], data=data))
    assert "maps" in [player["scene"] for player in players(at)]
    assert data == GRID or example_matrices()[data].description in text(at)


@pytest.mark.data
@pytest.mark.parametrize("name", datasets.NAMES)
def test_a_held_out_block_is_scored_on_rated_cells_only(name):
    at = healthy(opened(data=datasets.ARCHIVES[name].title + " block", block=3))
    assert players(at) and "Nobody knows the ratings of the others" in text(at)
    block = choices.held_out_block(name, 3)
    rows, cols = block.ratings.shape
    assert (rows, cols) == (30, 20 if name == "jester" else 30)
    assert block.digest != choices.held_out_block(name, 4).digest


def test_a_data_set_that_is_not_here_is_offered_with_size_and_licence(monkeypatch, tmp_path):
    asked = []

    def download(name, progress):
        asked.append(name)
        progress(1_000_000, 4_924_029)
        raise datasets.DownloadError("no route to host, put it into /secret/folder")

    monkeypatch.setattr(datasets, "download", download)
    at = healthy(opened(data="MovieLens 100K block"))
    assert "4.9 MB" in text(at) and "no redistribution" in text(at) and not players(at)
    [button] = [button for button in at.main.button if "Download" in button.label]
    healthy(button.click().run())
    assert asked == ["ml-100k"]
    assert "could not be downloaded" in text(at) and "/secret" not in text(at)


def test_where_a_server_says_so_no_visitor_downloads_anything(monkeypatch):
    monkeypatch.setenv(DOWNLOADS, "OFF")
    monkeypatch.setattr(datasets, "download", lambda *_, **__: pytest.fail("a visitor reached the network"))
    at = healthy(opened(data="MovieLens 1M block"))
    assert not [button for button in at.main.button if "Download" in button.label]
    assert "MovieLens 1M is not on this server" in text(at) and "metamf download ml-1m" in text(at)


def test_a_data_folder_that_cannot_be_written_to_is_said_when_a_download_is_asked_for(monkeypatch):
    monkeypatch.setenv("METAMF_DATA", "/proc/metamf")  # where a root may write nothing either
    at = healthy(opened(data="MovieLens 100K block"))
    [button] = [button for button in at.main.button if "Download" in button.label]
    healthy(button.click().run())
    assert "could not be downloaded now" in text(at) and "/proc" not in text(at)


def test_an_archive_that_cannot_be_read_is_said_without_its_place(monkeypatch, tmp_path):
    archive = tmp_path / datasets.ARCHIVES["ml-100k"].file_name
    archive.symlink_to("/proc/self/mem")  # a file whose reading fails
    choices._test_part.clear()  # another test may have read the real one
    monkeypatch.setenv("METAMF_DATA", str(tmp_path))
    at = healthy(opened(data="MovieLens 100K block"))
    assert "MovieLens 100K cannot be read on this server now" in text(at) and str(tmp_path) not in text(at)


def test_with_nothing_hidden_pages_say_so():
    for page in PAGES:
        at = healthy(opened(page, data=GRID, keep=100))
        assert "no error can be measured" in text(at)
