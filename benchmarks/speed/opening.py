"""How soon the app's first page shows its result, in headless Chromium on this machine, server and browser together.

    python -m benchmarks.speed.opening --out benchmarks/results/opening.csv

One server, one browser profile, visit after visit, each a new session of the app. Times are the page's own clock, from
the start of the navigation until the sentence with the errors stands there and until its three heatmaps are drawn.
The first visit makes the server import torch and fills the browser's cache; the others are warm.
"""

from __future__ import annotations

import argparse
import tempfile
from importlib.metadata import version
from pathlib import Path

import pandas as pd
from playwright.sync_api import sync_playwright

from benchmarks.browser import CHROMIUM, FLAGS, served

WATCH = """
window.appeared = {};
const signs = {sentence: () => document.querySelector('.mf-finding'),
               heatmaps: () => document.querySelector('.st-key-player [data-testid=stBidiComponentIsolated]')
                 ?.shadowRoot?.querySelectorAll('.map-figure canvas').length >= 3};
const look = () => {
  for (const name in signs) if (!(name in appeared) && signs[name]()) appeared[name] = performance.now();
  if (Object.keys(appeared).length < 2) requestAnimationFrame(look);
};
look();
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--visits", type=int, default=12)
    arguments = parser.parse_args()
    rows = visits(arguments.visits)
    frame = pd.DataFrame(rows).assign(streamlit=version("streamlit"))
    partial = arguments.out.with_suffix(".partial")
    frame.round(0).to_csv(partial, index=False)
    partial.replace(arguments.out)
    print(frame.groupby("visit").median(numeric_only=True))


def visits(count: int) -> list[dict]:
    """A row for each visit: 'first' or 'warm', and the milliseconds until the sentence and until the heatmaps."""
    rows = []
    with tempfile.TemporaryDirectory() as profile, sync_playwright() as playwright, served(profile) as server:
        browser = playwright.chromium.launch_persistent_context(
            profile, executable_path=CHROMIUM, args=FLAGS, viewport={"width": 1440, "height": 900}
        )
        for visit in range(count):
            page = browser.new_page()
            page.add_init_script(WATCH)
            page.goto(server.address)
            page.wait_for_function("Object.keys(appeared).length === 2", timeout=30_000)
            rows.append({"visit": "warm" if visit else "first", **page.evaluate("appeared")})
            page.wait_for_timeout(8000)  # until the cores are idle again
            page.close()
        browser.close()
    return rows


if __name__ == "__main__":
    main()
