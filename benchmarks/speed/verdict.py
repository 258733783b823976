"""How long Your table takes to say how good its estimates are, in headless Chromium on this machine.

    python -m benchmarks.speed.verdict --out benchmarks/results/verdict.csv

A made-up survey of 40 x 12 answers from 1 to 7, a quarter of them missing, is uploaded to a fresh server whose first
page has been opened before: at once when Your table has come, and after a visitor has looked for the file for five
seconds (column looks_for). Seconds run from the choice of the file: until the filled table stands there, until the
first row of the verdict, until the row of Universal, until the whole verdict, and until the gain of tuning; server,
worker and browser together on this machine.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import sync_playwright

from benchmarks.browser import CHROMIUM, FLAGS, served

ROWS, COLUMNS, MISSING = 40, 12, 0.25
LOOKS = 0, 5  # seconds for which a visitor looks for the file after the page has come
MOMENTS = {  # name -> what is to be seen then
    "table": "[class*=st-key-table_grid]",
    "first row": ".mf-holdout tbody tr",
    "universal": ".mf-holdout tbody tr:has-text('Universal')",
    "verdict": "text=/hidden ratings .* lay inside/",
    "tuned": "text=/Tuned to this table/",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--visits", type=int, default=3)
    parser.add_argument("--no-tuning", action="store_true", help="end with the whole verdict")
    arguments = parser.parse_args()
    moments = [name for name in MOMENTS if not (arguments.no_tuning and name == "tuned")]
    rows = [
        {"looks_for": looks} | visit(survey(seed), moments, looks)
        for looks in LOOKS
        for seed in range(arguments.visits)
    ]
    frame = pd.DataFrame(rows).assign(rows=ROWS, columns=COLUMNS, streamlit=version("streamlit"))
    partial = arguments.out.with_suffix(".partial")
    frame.round(2).to_csv(partial, index=False)
    partial.replace(arguments.out)
    print(frame)


def survey(seed: int) -> bytes:
    """A CSV of answers with levels of people and questions and two common traits."""
    rng = np.random.default_rng(seed)
    X = 4 + rng.normal(size=(ROWS, 1)) + 0.7 * rng.normal(size=COLUMNS)
    X = X + 0.8 * rng.normal(size=(ROWS, 2)) @ rng.normal(size=(2, COLUMNS)) + 0.5 * rng.normal(size=X.shape)
    lines = [",".join(["name", *(f"question {j + 1}" for j in range(COLUMNS))])]
    for i, row in enumerate(np.clip(np.round(X), 1, 7).astype(int)):
        lines.append(",".join([f"person {i + 1}", *("" if rng.random() < MISSING else str(x) for x in row)]))
    return ("\n".join(lines) + "\n").encode()


def visit(content: bytes, moments: list[str], looks: float) -> dict[str, float]:
    """Seconds from one upload to a fresh server until each of the moments."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright, served(folder) as server:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"{server.address}/watch")  # as most visitors, this one has come from elsewhere
        page.get_by_role("heading", level=1).wait_for(timeout=120_000)
        page.goto(f"{server.address}/your_table")
        chooser = page.locator(".stFileUploader input")
        chooser.wait_for(state="attached", timeout=120_000)
        time.sleep(looks)
        start = time.perf_counter()
        chooser.set_input_files({"name": "survey.csv", "mimeType": "text/csv", "buffer": content})
        seconds = {}
        for name in moments:
            page.locator(MOMENTS[name]).first.wait_for(state="attached", timeout=600_000)
            seconds[name] = time.perf_counter() - start
        browser.close()
        return seconds


if __name__ == "__main__":
    main()
