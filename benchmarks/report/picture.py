"""Takes the picture of the app that the README shows, docs/app.png, in headless Chromium.

python -m benchmarks.report.picture
"""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from benchmarks.browser import CHROMIUM, FLAGS, served
from benchmarks.rows import command_line
from benchmarks.screens import SCREENS, wait_until_complete, wait_until_still

PATH = Path(__file__).resolve().parents[2] / "docs" / "app.png"
SIZE = {"width": 1440, "height": 900}
COLOURS = 256  # of the palette


def main() -> None:
    command_line(__doc__).parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        sync_playwright() as playwright,
        served(folder) as server,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport=SIZE, reduced_motion="reduce")
        page.goto(server.address)
        wait_until_complete(page, SCREENS[0])
        before = b""
        now = page.screenshot()
        while before != now:
            wait_until_still(page)
            before = now
            now = page.screenshot()
        browser.close()
    Image.open(io.BytesIO(now)).convert("RGB").quantize(COLOURS).save(PATH, optimize=True)


if __name__ == "__main__":
    main()
