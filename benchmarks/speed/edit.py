"""How long an edit takes: a rating is pressed in the inspector of Fill in and of Watch, and everything follows.

    python -m benchmarks.speed.edit --out benchmarks/results/edit.csv

Headless Chromium and a server of the app on this machine. The page is open with its first example, the inspector shows
a cell, and ratings are pressed one after the other, each once the page is at rest. Times are from the key, in
milliseconds of the browser: "picture" until the inspector tells the new rating, with which all maps are drawn, and
"everything" until the last word of the page has changed, the headline's, too, and the server's run has ended. The first
edits of a page do not count: there the server computes for the first time.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, sync_playwright

from benchmarks.browser import CHROMIUM, FLAGS, served
from benchmarks.screens import CANVAS, PATIENCE, wait_until_still

PAGES = {"Fill in": "", "Watch": "watch"}
EDITS, FIRST = 20, 3  # edits that count, and those before them
QUIET = 500  # milliseconds without a change after which nothing more comes
FOLLOWED = """
(rating) => new Promise((done) => {
  const deep = (selector, root = document) => {
    const found = root.querySelector(selector);
    if (found) return found;
    for (const host of root.querySelectorAll("*")) {
      const inside = host.shadowRoot && deep(selector, host.shadowRoot);
      if (inside) return inside;
    }
    return null;
  };
  const app = document.querySelector("[data-testid=stApp]"), about = deep(".mfc-about");
  let begun = null, picture = null, last = 0;
  document.addEventListener("keydown", () => { begun = performance.now(); }, { capture: true, once: true });
  const observer = new MutationObserver(() => { last = performance.now(); });
  observer.observe(app, { subtree: true, childList: true, characterData: true });
  const look = () => {
    const now = performance.now(), told = about.textContent.includes(`Given: ${rating}.`);
    if (begun !== null && picture === null && told) picture = now;
    const rests = app.dataset.testScriptState === "notRunning" && now - last > QUIET;
    if (picture === null || !rests) return void requestAnimationFrame(look);
    observer.disconnect();
    done({ picture: picture - begun, everything: Math.max(picture, last) - begun });
  };
  requestAnimationFrame(look);
})
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        with served(folder) as server:
            frame = pd.DataFrame([row_of(name, times(browser, f"{server.address}/{PAGES[name]}")) for name in PAGES])
        browser.close()
    partial = arguments.out.with_suffix(".partial")
    frame.to_csv(partial, index=False)
    partial.replace(arguments.out)
    print(frame.to_string(index=False))


def times(browser: Browser, address: str) -> pd.DataFrame:
    """Milliseconds of each edit until the picture, and until everything, has followed."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(address)
    page.locator(CANVAS).first.wait_for(timeout=PATIENCE)
    wait_until_still(page)
    cells = page.locator(".map-grid").first
    cells.focus()
    page.keyboard.press("Enter")
    page.locator(".mfc-sheet").wait_for()
    found = []
    for edit in range(FIRST + EDITS):
        rating = 1 + 4 * (edit % 2)  # of one to five stars
        waiting = page.evaluate_handle(
            f"(rating) => ({{ followed: ({FOLLOWED.replace('QUIET', str(QUIET))})(rating) }})", rating
        )
        page.keyboard.press(str(rating))
        time = waiting.evaluate("(handle) => handle.followed")
        wait_until_still(page)
        found.append(time)
    page.close()
    return pd.DataFrame(found[FIRST:])


def row_of(name: str, found: pd.DataFrame) -> dict:
    """The row of a page."""
    row = {"page": name, "edits": len(found)}
    for part in ("picture", "everything"):
        row |= {
            f"{part}, median ms": round(float(np.median(found[part])), 1),
            f"{part}, 95 % ms": round(float(np.quantile(found[part], 0.95)), 1),
        }
    return row | {"load": f"{os.getloadavg()[0]:.1f}"}


if __name__ == "__main__":
    main()
