"""Pictures of the app's pages for docs/gallery.md, light and dark, from headless Chromium.

    python -m benchmarks.report.gallery

Opens each page of the app without any data set, and writes docs/gallery/<page>-<scheme>.webp once everything on it is
drawn, and the README's docs/app.png from the first of them.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from benchmarks.browser import CHROMIUM, FLAGS, served
from benchmarks.rows import command_line
from benchmarks.screens import SCREENS, wait_until_complete, wait_until_still

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "gallery"
SCHEMES = ("light", "dark")
SIZE = {"width": 1440, "height": 1080}
QUALITY = 80  # of WebP; chosen by eye: text is sharp, and every picture has less than 200 kB
FRONT, COLOURS = (1440, 900), 256  # size and palette of the README's picture; chosen by eye


def main() -> None:
    command_line(__doc__).parse_args()
    for name, screenshot in pictures():
        screenshot.save(FOLDER / f"{name}.webp", quality=QUALITY, method=6)
        print(name, flush=True)
        if name == "explore-light":
            screenshot.crop((0, 0, *FRONT)).quantize(COLOURS).save(FOLDER.parent / "app.png", optimize=True)


def pictures() -> Iterator[tuple[str, Image.Image]]:
    """The name and the screenshot of every picture."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright, served(folder) as server:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for scheme in SCHEMES:
            for screen in SCREENS:
                page = browser.new_page(viewport=SIZE, color_scheme=scheme)
                page.goto(f"{server.address}/{screen.address}")
                wait_until_complete(page, screen)
                yield f"{screen.name}-{scheme}", Image.open(io.BytesIO(drawn(page))).convert("RGB")
                page.close()
        browser.close()


def drawn(page: Page) -> bytes:
    """A screenshot of a page that has looked the same twice."""
    before, now = b"", page.screenshot()
    while before != now:
        wait_until_still(page)
        before, now = now, page.screenshot()
    return now


if __name__ == "__main__":
    main()
