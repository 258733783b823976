"""A room's matrix on its way out: as a file and as the grid of the other pages."""

import csv
import io

import numpy as np
import pytest
import streamlit as st

from metamf.tables import read_table
from metamf.webapp import sidebar
from metamf.webapp.matrix.choices import DEFAULT, GRID
from metamf.webapp.matrix.grid import GridDesk
from metamf.webapp.rooms import expectations
from metamf.webapp.rooms.onward import as_csv, take
from metamf.webapp.rooms.room import Room, Scale


def a_room():
    room = Room.new("Films", ["Alien, the first", '=HYPERLINK("x")', "Psycho"], Scale(0, 10), "d").start()
    for n, name in enumerate(["@Ada", 'Bo "B"', "Cy"]):
        room = room.join(f"id{n}", name).rate(f"id{n}", n, 10 - n)
    return room


def test_the_file_is_a_table_that_no_spreadsheet_runs_and_that_is_read_back_as_it_was():
    content = as_csv(a_room())
    lines = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
    assert lines[0][1:] == ["Alien, the first", '\'=HYPERLINK("x")', "Psycho"] and lines[1] == ["'@Ada", "10", "", ""]
    back, room = read_table(content, "room.csv").ratings, expectations.ratings(a_room())
    assert back.row_labels == room.row_labels and back.col_labels == room.col_labels
    np.testing.assert_array_equal(back.values, room.values)


def test_the_grid_has_the_names_and_empty_cells_of_the_room():
    desk, ratings = GridDesk(), expectations.ratings(a_room())
    desk.bring(ratings)
    assert desk.matrix.ratings is ratings and desk.touched and desk.note == ""
    assert desk.sheet.rows == ("@Ada", 'Bo "B"', "Cy") and desk.sheet.cols[2] == "Psycho"
    assert desk.sheet.cells == (("10", "", ""), ("", "9", ""), ("", "", "8"))
    np.testing.assert_array_equal(desk.sheet.matrix().ratings.to_dense(), ratings.to_dense())


class Session(dict):
    """A session: its names are attributes, too."""

    __getattr__, __setattr__ = dict.__getitem__, dict.__setitem__


@pytest.mark.parametrize("before", [{}, {"keep": 30}])
def test_the_share_that_is_given_is_the_visitors_own_again_with_other_data(monkeypatch, before):
    session = Session(before)
    monkeypatch.setattr(st, "session_state", session)
    take(a_room())
    assert (session.data, session.keep) == (GRID, 80)
    session.data = "Film club"
    sidebar._share_of_data()
    assert session.keep == before.get("keep", DEFAULT.keep)
