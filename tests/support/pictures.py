"""Pictures of pages: kept small, compared block by block, and what differs marked.

A kept picture and a new one go through the same reduction and the same coder, so two takes of the
same page are equal to the last bit. What is allowed beyond that depends on who drew them: another
Chromium or another font draws every letter a little differently, and is given the wider tolerance.
The coder treats each block for itself, so that a change in one place of the page shows in no other.
"""

import base64
import io
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageChops, ImageDraw
from PIL.PngImagePlugin import PngInfo

SCALE = 2  # pixels of the screen, in each direction, for one of a kept picture
BLOCK = 8  # pixels of a kept picture; as high as a line of text
QUALITY = 50  # of JPEG; chosen by eye: texts can be read
MARK = (214, 39, 40)
# first the app's own
FAMILIES = ('"Source Sans", sans-serif', '"Source Serif", serif', "sans-serif", "serif")
LIKE = 16  # largest difference of a pixel, of 255, between two drawings by the same fonts
_PROBE = """async (families) => {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [760, 36 * families.length];
  const context = canvas.getContext("2d");
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = "black";
  for (const [row, family] of families.entries()) {
    context.font = `20px ${family}`;
    await document.fonts.load(context.font);
    context.fillText("Film night: 0.82 ± 3 − 45 % · U Vᵀ, uₙ ≈ ★ → 'Waltz for a Submarine'", 8, 36 * row + 24);
  }
  return canvas.toDataURL().split(",")[1];
}"""


class Tolerance(NamedTuple):
    """What may differ: ``coarse``, by which both pictures are made smaller before they are
    compared, and ``limit``, the largest mean difference within a block, of 255, in the colour
    channel that differs most."""

    coarse: int
    limit: float


SAME_RENDERER = Tolerance(1, 8.0)  # a legend moved by 3 pixels is far beyond it
OTHER_RENDERER = Tolerance(4, 24.0)  # letters of another font pass, a missing figure does not


def encoded(screenshot: bytes) -> bytes:
    """A screenshot as the file that is kept."""
    file = io.BytesIO()
    picture = Image.open(io.BytesIO(screenshot)).convert("RGB").reduce(SCALE)
    picture.save(file, "JPEG", quality=QUALITY, subsampling=0)
    return file.getvalue()


def differing(kept: Image.Image, new: Image.Image, tolerance: Tolerance) -> np.ndarray:
    """Which blocks differ, as an array of truth values; all of those that only one of the pictures
    has do."""
    side = BLOCK * tolerance.coarse
    width, height = (-(-max(sizes) // side) * side for sizes in zip(kept.size, new.size))
    sheets = [Image.new("RGB", (width, height)) for _ in range(2)]
    for sheet, picture in zip(sheets, (kept, new)):
        sheet.paste(picture)
    apart = np.asarray(ImageChops.difference(*(sheet.reduce(tolerance.coarse) for sheet in sheets)))
    means = apart.reshape(height // side, BLOCK, width // side, BLOCK, 3).mean((1, 3))
    found = means.max(-1) > tolerance.limit
    if kept.size != new.size:
        found[min(kept.height, new.height) // side :] = True
        found[:, min(kept.width, new.width) // side :] = True
    return found


def marked(kept: Image.Image, new: Image.Image, blocks: np.ndarray, side: int) -> Image.Image:
    """The kept picture, and the new one with the blocks that differ framed, side by side."""
    draw = ImageDraw.Draw(new)
    for top, left in np.argwhere(blocks) * side:
        draw.rectangle((left, top, left + side - 1, top + side - 1), outline=MARK)
    sheet = Image.new("RGB", (kept.width + new.width, max(kept.height, new.height)), MARK)
    sheet.paste(kept)
    sheet.paste(new, (kept.width, 0))
    return sheet


class Album(NamedTuple):
    """The kept pictures of a ``folder``; a picture of each difference goes into ``differences``."""

    folder: Path
    differences: Path
    tolerance: Tolerance = SAME_RENDERER

    def keep(self, name: str, screenshot: bytes) -> None:
        """Keeps a screenshot in the place of the one that was kept."""
        (self.folder / f"{name}.jpg").write_bytes(encoded(screenshot))

    def difference(self, name: str, screenshot: bytes) -> str:
        """What differs between the kept picture and a screenshot, in a sentence; empty where
        nothing does."""
        kept = Image.open(self.folder / f"{name}.jpg").convert("RGB")
        new = Image.open(io.BytesIO(encoded(screenshot))).convert("RGB")
        blocks = differing(kept, new, self.tolerance)
        if not blocks.any():
            return ""
        self.differences.mkdir(exist_ok=True)
        shown, side = self.differences / f"{name}.png", BLOCK * self.tolerance.coarse
        marked(kept, new, blocks, side).save(shown)
        top, left = np.argwhere(blocks)[0] * side * SCALE
        return (
            f"{name}: {blocks.sum()} blocks of {side * SCALE} x {side * SCALE} pixels differ, the "
            f"first at x = {left}, y = {top}: {shown}"
        )

    def other_renderer(self, page, keep: bool) -> str:
        """How the Chromium and the fonts of this machine differ from those that drew the pictures;
        empty where they draw the same.

        ``page`` is one of the application's, whose fonts it has; ``keep``: these draw them from now
        on.
        """
        path = self.folder / "renderer.png"
        version = page.context.browser.version.partition(".")[0]
        drawn = base64.b64decode(page.evaluate(_PROBE, list(FAMILIES)))
        now = Image.open(io.BytesIO(drawn)).convert("L")
        if keep:
            about = PngInfo()
            about.add_text("Chromium", version)
            now.save(path, pnginfo=about, optimize=True)
        with Image.open(path) as kept:
            before = kept.convert("L")
            by = kept.info.get("Chromium")
        if by != version:
            return f"Chromium {by} drew the kept pictures, and this is {version}"
        apart = before.size != now.size or ImageChops.difference(before, now).getextrema()[1] > LIKE
        return "other fonts drew the kept pictures" if apart else ""
