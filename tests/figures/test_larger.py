"""Figures for a room: the same picture in larger type."""

import numpy as np

from metamf.figures.larger import HEIGHT, TYPE, larger
from metamf.figures.maps import rating_map
from metamf.figures.race import step_lengths
from metamf.figures.window import Axes


def test_a_map_grows_with_its_type_and_shows_the_same():
    axes = Axes(("Ada", "Ben"), ("Tea", "Coffee", "Juice"))
    usual = rating_map(np.array([[1.0, np.nan, 3], [5, 4, 2]]), 1, 5, axes)
    before = usual.to_json()
    grown = larger(usual)
    assert usual.to_json() == before
    assert grown.layout.height == HEIGHT * usual.layout.height
    assert grown.layout.margin.t == TYPE * usual.layout.margin.t  # the names above it need more room
    assert grown.layout.xaxis.tickfont.size == TYPE * usual.layout.xaxis.tickfont.size
    assert grown.data[-1].textfont.size == TYPE * usual.data[-1].textfont.size  # the numbers in the cells
    assert grown.data[-1].text == usual.data[-1].text and grown.layout.xaxis.ticktext == usual.layout.xaxis.ticktext


def test_what_says_no_size_gets_one_and_notes_grow():
    usual = step_lengths(np.array([0.4, 0.2]), 0.1, 1)
    grown = larger(usual)
    assert grown.layout.font.size == TYPE * (usual.layout.font.size or 12)
    assert grown.layout.legend.font.size == TYPE * (usual.layout.legend.font.size or 12)
    assert [note.text for note in grown.layout.annotations] == [note.text for note in usual.layout.annotations]
    assert all(note.font.size >= 12 * TYPE for note in grown.layout.annotations)
