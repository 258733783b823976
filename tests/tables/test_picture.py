"""The filled table as a picture: what each cell is, and texts that stay texts."""

from xml.etree import ElementTree

import numpy as np
import pytest
from awkward_files import PLAIN
from exports import fill

from metamf import Ratings, RatingScale
from metamf.tables import TableError, read_table
from metamf.tables.picture import LARGEST_PICTURE
from metamf.tables.write import CLIPPED, HELD_OUT, IMPUTED, OBSERVED, Filled, to_svg

SVG = "{http://www.w3.org/2000/svg}"


def drawn(filled):
    """The picture, read by a parser of XML; what each of its cells says; and all of its words."""
    picture = ElementTree.fromstring(to_svg(filled))
    cells = [cell.find(f"{SVG}title").text for cell in picture.iter(f"{SVG}g")]
    return picture, cells, " ".join(text.text or "" for text in picture.iter(f"{SVG}text"))


def test_each_cell_tells_what_it_is():
    provenance = np.array([[OBSERVED, CLIPPED, HELD_OUT], [IMPUTED, OBSERVED, OBSERVED]])
    ends = np.full((2, 3), 1.5)
    filled = fill(
        read_table(PLAIN.encode()), provenance=provenance, lower=ends, upper=ends + 1, level=0.8, method="ours"
    )
    picture, cells, words = drawn(filled)
    assert len(cells) == 6 and cells[0] == "ann, Alien: given, 5"
    assert cells[1].endswith("estimated, 0.26, cut at the end of the scale; 1.5 to 2.5")
    assert "hidden from the method, which estimates" in cells[2] and "estimated" in cells[3]
    assert len(list(picture.iter(f"{SVG}circle"))) == 4, "a dot for each rating that was given"
    assert "○ given, but hidden" in words and "By ours." in words and "↧" in words and "grey" not in words


def test_a_cell_without_an_estimate_is_grey_and_has_no_number():
    filled = Filled(Ratings([0], [0], [2.0], (1, 2)), np.array([[np.nan, np.nan]]))
    picture, cells, words = drawn(filled)
    assert cells == ["1, 1: given, 2", "1, 2: no estimate"] and "grey: no estimate" in words
    fills = [cell.find(f"{SVG}rect").get("fill") for cell in picture.iter(f"{SVG}g")]
    assert fills[1] == "#dddddd" != fills[0]


def test_colours_run_from_the_smallest_to_the_largest_value_of_the_scale():
    scale = RatingScale(1, 5, 1)
    filled = Filled(Ratings([0, 0], [0, 1], [1.0, 5.0], (1, 3), scale=scale), np.array([[0, 0, 3.0]]))
    picture, _, words = drawn(filled)
    fills = [cell.find(f"{SVG}rect").get("fill") for cell in picture.iter(f"{SVG}g")]
    assert fills[0] == "#472d7b" and fills[1] == "#f2e51d" and fills[2] not in fills[:2]
    inks = [cell.find(f"{SVG}text").get("fill") for cell in picture.iter(f"{SVG}g")]
    assert inks[0] == "#ffffff" and inks[1] == "#1f2328", "numbers are read on dark and on light colours"
    assert words.startswith("1") or " 1 " in words


def test_texts_of_the_table_are_never_markup():
    names = ("<script>alert(1)</script>", 'a" onload="x', "\x00\x1b[0m", "&amp;", "x" * 500)
    ratings = Ratings([0], [0], [1.0], (5, 1), row_labels=names, col_labels=("<b>",))
    filled = Filled(ratings, np.ones((5, 1)), method="<i>&")
    picture, cells, words = drawn(filled)
    allowed = {"svg", "title", "rect", "g", "text", "circle", "defs", "linearGradient", "stop"}
    assert {element.tag.removeprefix(SVG) for element in picture.iter()} <= allowed
    attributes = {name for element in picture.iter() for name in element.attrib}
    assert not any(name.startswith("on") or "href" in name for name in attributes)
    assert "<script>alert(1)</script>, <b>: given, 1" in cells and "x" * 500 not in words
    assert any("x" * 500 in cell for cell in cells), "the whole name is said where the pointer rests"


def test_a_large_table_has_no_numbers_and_a_very_large_one_no_picture():
    _, cells, words = drawn(Filled(Ratings([0], [0], [7.0], (100, 100)), np.full((100, 100), 3.0)))
    assert len(cells) == 10_000 and "italic" not in words and len(words) < 2_000
    with pytest.raises(TableError, match=f"holds {LARGEST_PICTURE:,} cells, the table has 20,100"):
        to_svg(Filled(Ratings([0], [0], [7.0], (201, 100)), np.full((201, 100), 3.0)))
