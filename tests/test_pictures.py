"""The comparison of pictures: quiet where two pictures are alike, awake where something moved or is missing."""

import io

import numpy as np
import pytest
from pictures import BLOCK, OTHER_RENDERER, SAME_RENDERER, SCALE, Album, differing, encoded, read, reduced
from PIL import Image, ImageDraw

PAPER, INK = (253, 252, 249), (35, 39, 47)


def screenshot(words_at=(40, 40), legend_at=(40, 140), figure=True, height=240, shade=0):
    """A page of words, a figure and its legend, as a browser's PNG."""
    image = Image.new("RGB", (400, height), PAPER)
    draw = ImageDraw.Draw(image)
    draw.text(words_at, "Most of the ratings are missing.", INK, font_size=16)
    if figure:
        draw.rectangle((40, 70, 240, 130), (31 + shade, 111 + shade, 120 + shade))
    draw.text(legend_at, "too low    too high", INK, font_size=14)
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def blocks(tolerance=SAME_RENDERER, **changes):
    return differing(reduced(screenshot()), reduced(screenshot(**changes)), tolerance)


def test_two_takes_of_a_page_are_equal_and_a_kept_one_is_what_it_was():
    assert not blocks().any()
    assert read(encoded(screenshot())).tobytes() == reduced(screenshot()).tobytes()


@pytest.mark.parametrize("moved", [(43, 140), (40, 142), (38, 140)])
def test_a_legend_that_moved_by_some_pixels_is_found_where_it_is(moved):
    rows, cols = np.nonzero(blocks(legend_at=moved))
    assert len(rows)
    top, left = (140 // SCALE) // BLOCK, (36 // SCALE) // BLOCK
    assert top - 1 <= rows.min() and rows.max() <= top + 2 and left <= cols.min()


def test_a_shade_that_nobody_sees_is_nothing_and_one_that_is_seen_is_found():
    assert not blocks(shade=3).any()
    assert blocks(shade=24).any()


def test_what_only_one_of_two_pictures_has_differs():
    longer = blocks(height=320)
    assert longer.shape[0] == 320 // SCALE // BLOCK and longer[-1].all() and not longer[0].any()


def test_another_renderer_may_shift_letters_and_not_lose_a_figure():
    assert blocks(words_at=(41, 41), legend_at=(41, 139)).any()
    assert not blocks(OTHER_RENDERER, words_at=(41, 41), legend_at=(41, 139)).any()
    assert blocks(OTHER_RENDERER, figure=False).any()


def test_an_album_says_what_differs_and_shows_it(tmp_path):
    album = Album(tmp_path / "kept", tmp_path / "differences")
    assert album.difference("page", screenshot()) == "page: no picture is kept"
    album.keep("page", screenshot())
    assert album.difference("page", screenshot()) == "" and not album.differences.exists()
    said = album.difference("page", screenshot(figure=False))
    path = tmp_path / "differences" / "page.png"
    assert said.endswith(str(path)) and "the first at x = 32, y = 64" in said
    with Image.open(path) as shown:
        assert shown.size == (3 * 400 // SCALE, 240 // SCALE)
