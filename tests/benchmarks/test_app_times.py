"""Result files of the app: forty phones lose nothing, an edit is followed in 300 ms, a play keeps its pace."""

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


def test_forty_phones_rate_at_once_and_nothing_is_lost():
    (row,) = read(RESULTS / "rooms.csv")
    assert int(row["phones"]) == int(row["phones in"]) == 40 and int(row["errors"]) == 0
    assert row["all stand in the table"] == "True" and int(row["ratings sent"]) > 400
    assert float(row["answer, 95 % s"]) < 1 and float(row["the last one after s"]) < 5
