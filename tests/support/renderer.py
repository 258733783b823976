"""Who draws the pictures: the Chromium and the fonts of this machine, next to those that drew the kept pictures."""

import base64
import io
from pathlib import Path

import numpy as np
from PIL import Image
from PIL.PngImagePlugin import PngInfo

FAMILIES = ('"Source Sans", sans-serif', '"Source Serif", serif', "sans-serif", "serif")  # first the app's own
LIKE = 16  # largest difference of a pixel, of 255, between two drawings by the same fonts
_NAME, _VERSION = "renderer.png", "Chromium"
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


class Renderer:
    """A browser as a source of pictures: its major version, and a line of text in each of the fonts.

    ``page`` is one of the application's, whose fonts it has.
    """

    def __init__(self, page):
        self.version = page.context.browser.version.partition(".")[0]
        self.probe = Image.open(io.BytesIO(base64.b64decode(page.evaluate(_PROBE, list(FAMILIES))))).convert("RGB")

    def keep(self, folder: Path) -> None:
        """Keeps who draws the pictures of a folder."""
        folder.mkdir(exist_ok=True)
        about = PngInfo()
        about.add_text(_VERSION, self.version)
        self.probe.convert("L").save(folder / _NAME, pnginfo=about, optimize=True)

    def other(self, folder: Path) -> str:
        """How it differs from the one that drew the pictures of a folder; empty where it draws the same."""
        if not (folder / _NAME).is_file():
            return "nobody knows who drew the kept pictures"
        with Image.open(folder / _NAME) as kept:
            if (version := kept.info.get(_VERSION)) != self.version:
                return f"Chromium {version} drew the kept pictures, and this is {self.version}"
            probes = [np.asarray(picture.convert("L"), np.int16) for picture in (kept, self.probe)]
        if probes[0].shape != probes[1].shape or np.abs(probes[0] - probes[1]).max() > LIKE:
            return "other fonts drew the kept pictures"
        return ""
