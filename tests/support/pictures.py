"""Pictures of pages: kept small, compared block by block, and what differs marked.

A kept picture and a new one go through the same reduction and the same coder, so two takes of the same page are equal
to the last bit. What is allowed beyond that depends on who drew them: another Chromium or another font draws every
letter a little differently, and is given the wider tolerance. The coder treats each block for itself, so that a change
in one place of the page shows in no other.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

SCALE = 2  # pixels of the screen, in each direction, that one pixel of a kept picture is the mean of
BLOCK = 8  # pixels of a kept picture; as high as a line of text
QUALITY = 50  # of JPEG; chosen by eye: texts can be read
MARK = (214, 39, 40)


@dataclass(frozen=True)
class Tolerance:
    """What may differ between two pictures.

    Attributes
    ----------
    coarse : factor by which both pictures are made smaller before they are compared
    limit : largest mean difference within a block, of 255, in the colour channel that differs most
    """

    coarse: int
    limit: float


SAME_RENDERER = Tolerance(1, 8.0)  # tests/browser/test_screens.py: a legend moved by 3 pixels is far beyond it
OTHER_RENDERER = Tolerance(4, 24.0)  # letters of another font pass, a figure that is missing does not


def reduced(screenshot: bytes) -> Image.Image:
    """A screenshot as it is kept: smaller, and as JPEG leaves it, which codes each block of 8 x 8 pixels for itself."""
    return read(encoded(screenshot))


def encoded(screenshot: bytes) -> bytes:
    """A screenshot as the file that is kept."""
    file = io.BytesIO()
    Image.open(io.BytesIO(screenshot)).convert("RGB").reduce(SCALE).save(file, "JPEG", quality=QUALITY, subsampling=0)
    return file.getvalue()


def read(content: bytes) -> Image.Image:
    """A kept picture."""
    return Image.open(io.BytesIO(content)).convert("RGB")


def differing(kept: Image.Image, new: Image.Image, tolerance: Tolerance) -> np.ndarray:
    """Which blocks differ, as an array of truth values; all of those that only one of the pictures has do."""
    small = [np.asarray(picture.reduce(tolerance.coarse), np.int16) for picture in (kept, new)]
    height, width = np.max([array.shape[:2] for array in small], axis=0)
    rows, cols = -(-height // BLOCK), -(-width // BLOCK)
    sheets = np.zeros((2, rows * BLOCK, cols * BLOCK, 3), np.int16)
    covered = np.zeros(sheets.shape[:3], bool)
    for sheet, there, array in zip(sheets, covered, small):
        sheet[: array.shape[0], : array.shape[1]] = array
        there[: array.shape[0], : array.shape[1]] = True
    apart = np.abs(sheets[0] - sheets[1])
    apart[covered[0] != covered[1]] = 255
    means = apart.reshape(rows, BLOCK, cols, BLOCK, 3).mean((1, 3))  # (rows, cols, 3)
    return means.max(-1) > tolerance.limit


def marked(kept: Image.Image, new: Image.Image, blocks: np.ndarray, tolerance: Tolerance) -> Image.Image:
    """The kept picture, the new one, and the new one in grey with the blocks that differ framed, side by side."""
    size = BLOCK * tolerance.coarse
    third = new.convert("L").convert("RGB")
    draw = ImageDraw.Draw(third)
    for row, col in np.argwhere(blocks):
        draw.rectangle((col * size, row * size, (col + 1) * size - 1, (row + 1) * size - 1), outline=MARK)
    panels = (kept, new, third)
    sheet = Image.new("RGB", (sum(panel.width for panel in panels), max(panel.height for panel in panels)), MARK)
    left = 0
    for panel in panels:
        sheet.paste(panel, (left, 0))
        left += panel.width
    return sheet


@dataclass(frozen=True)
class Album:
    """The kept pictures of a folder.

    Attributes
    ----------
    folder : of the kept pictures
    differences : folder that a picture of each difference is written into
    tolerance : what may differ
    """

    folder: Path
    differences: Path
    tolerance: Tolerance = SAME_RENDERER

    def keep(self, name: str, screenshot: bytes) -> None:
        """Keeps a screenshot in the place of the one that was kept."""
        self.folder.mkdir(exist_ok=True)
        (self.folder / f"{name}.jpg").write_bytes(encoded(screenshot))

    def difference(self, name: str, screenshot: bytes) -> str:
        """What differs between the kept picture and a screenshot, in a sentence; empty where nothing does."""
        path = self.folder / f"{name}.jpg"
        if not path.is_file():
            return f"{name}: no picture is kept"
        kept, new = read(path.read_bytes()), reduced(screenshot)
        blocks = differing(kept, new, self.tolerance)
        if not blocks.any():
            return ""
        self.differences.mkdir(exist_ok=True)
        shown = self.differences / f"{name}.png"
        marked(kept, new, blocks, self.tolerance).save(shown)
        side = BLOCK * self.tolerance.coarse * SCALE
        (top, left), count = np.argwhere(blocks)[0] * side, int(blocks.sum())
        return f"{name}: {count} blocks of {side} x {side} pixels differ, the first at x = {left}, y = {top}: {shown}"
