"""Result files of the browser: an edit is followed within 300 ms, a step is drawn in a frame, a play keeps its pace."""

import pytest

from benchmarks.rows import RESULTS, read


@pytest.mark.parametrize("page", ["Fill in", "Watch"])
def test_everything_follows_an_edit_within_300_milliseconds(page):
    (row,) = (row for row in read(RESULTS / "edit.csv") if row["page"] == page)
    assert int(row["edits"]) >= 20
    assert float(row["picture, median ms"]) <= float(row["everything, median ms"]) < 300
    assert float(row["everything, 95 % ms"]) < 300


@pytest.mark.parametrize("size", ["30", "300"])
@pytest.mark.parametrize("page", ["Fill in", "Watch"])
def test_a_step_is_drawn_in_two_frames_and_a_play_makes_ten_steps_a_second(page, size):
    (row,) = (row for row in read(RESULTS / "player.csv") if row["rows"] == size and row["drawn by"].endswith(page))
    assert float(row["drawn, median ms"]) < 33
    assert 9.5 < float(row["play, steps a second"]) < 10.5 and float(row["play, longest gap ms"]) < 150
