"""Pictures of the app's pages for docs/gallery.md, light and dark, from headless Chromium.

    python -m benchmarks.report.gallery

Starts the app without any data set, opens each page as a visitor would, waits until everything on it is drawn, and
writes docs/gallery/<page>-<scheme>.webp, and the README's docs/app.png from the first of them. ``--check`` takes the
pictures without writing them.
"""

from __future__ import annotations

import argparse
import io
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from benchmarks.browser import CHROMIUM, FLAGS, served

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "gallery"
SCHEMES = ("light", "dark")
SIZE = {"width": 1440, "height": 1080}
QUALITY = 80  # of WebP; chosen by eye: text is sharp, and every picture has less than 200 kB
FRONT, COLOURS = (1440, 900), 256  # size and palette of the README's picture; chosen by eye
HEATMAP, CHART = ".js-plotly-plot .heatmaplayer image", ".js-plotly-plot .main-svg"
CANVAS = "canvas"  # of the component that draws Fill in and Watch
PAGES = {  # address, and what shows that the page is complete
    "fill-in": ("", CANVAS),
    "watch": ("watch?t=3", CANVAS),
    "compare": ("compare", HEATMAP),
    "inside": ("inside", CHART),
    "train": ("train", ".mf-title"),
    "lesson": ("lesson?lesson=2", CHART),
    "room": ("room", ".mf-title"),
    "paper": ("paper", CHART),
    "your-table": ("your_table", HEATMAP),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    for name, screenshot in pictures():
        content = compressed(screenshot)
        print(f"{name}: {len(content) / 1024:.0f} kB", flush=True)
        if not arguments.check:
            FOLDER.mkdir(exist_ok=True)
            (FOLDER / f"{name}.webp").write_bytes(content)
            if name == "fill-in-light":
                screenshot.crop((0, 0, *FRONT)).quantize(COLOURS).save(FOLDER.parent / "app.png", optimize=True)


def pictures() -> Iterator[tuple[str, Image.Image]]:
    """The name and the screenshot of every picture."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright, served(folder) as server:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for scheme in SCHEMES:
            for name, (path, sign) in PAGES.items():
                page = browser.new_page(viewport=SIZE, color_scheme=scheme)
                page.goto(f"{server.address}/{path}")
                if name == "your-table":
                    page.locator(".st-key-table_example button").click(timeout=120_000)
                wait_until_drawn(page, sign)
                yield f"{name}-{scheme}", Image.open(io.BytesIO(page.screenshot())).convert("RGB")
                page.close()
        browser.close()


def wait_until_drawn(page: Page, sign: str) -> None:
    """Returns when ``sign`` is on the page, no script runs, and the page has looked the same for a second."""
    expect(page.locator(sign).first).to_be_visible(timeout=180_000)
    before, now = b"", page.screenshot()
    while before != now:
        expect(page.locator("[data-testid=stStatusWidget]")).to_have_count(0, timeout=180_000)
        page.wait_for_timeout(1500)
        before, now = now, page.screenshot()


def compressed(picture: Image.Image) -> bytes:
    """A picture as WebP."""
    file = io.BytesIO()
    picture.save(file, "WEBP", quality=QUALITY, method=6)
    return file.getvalue()


if __name__ == "__main__":
    main()
