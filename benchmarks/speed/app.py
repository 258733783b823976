"""How fast the app is, in headless Chromium on this machine, server and browser together.

    python -m benchmarks.speed.app opening
    python -m benchmarks.speed.app edit

opening : time from the navigation, or from the start of the server's process, until the sentence
    with the errors and until three maps are on the first page, for an empty profile and for a
    second visit. Memory is read at rest.
edit : time from the key that changes a rating in the inspector of Explore, of its estimates and of
    its factors, until all maps show it, and until nothing on the page changes any more. The first
    edits of a page do not count.

Each writes benchmarks/results/<name>.csv.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import psutil
from playwright.sync_api import Browser, BrowserContext, Playwright, sync_playwright

from benchmarks.browser import CHROMIUM, FLAGS, free_port, memory_of, served
from benchmarks.rows import RESULTS, command_line, report
from benchmarks.screens import CANVAS, PATIENCE, wait_until_still

VIEWPORT = {"width": 1440, "height": 900}
ROUNDS = 7  # of opening
EDITS, FIRST_EDITS = 20, 3  # edits that count, and those before them
APPEARED = """
const appeared = {};
const signs = {sentence: () => document.querySelector('.mf-finding'),
               picture: () => document.querySelector('.st-key-player [data-testid=stBidiComponentIsolated]')
                 ?.shadowRoot?.querySelectorAll('.map-figure canvas').length >= 3};
const look = () => {
  for (const name in signs) if (!(name in appeared) && signs[name]()) appeared[name] = performance.now();
  if (Object.keys(appeared).length < 2) return void requestAnimationFrame(look);
  done(appeared);
};
let done;
window.bothAppeared = new Promise((resolve) => { done = resolve; look(); });
"""
FOLLOWED = """
(rating) => ({ followed: new Promise((done) => {
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
    const now = performance.now();
    if (begun !== null && picture === null && about.textContent.includes(`Given: ${rating}.`)) picture = now;
    const rests = app.dataset.testScriptState === "notRunning" && now - last > 500;
    if (picture === null || !rests) return void requestAnimationFrame(look);
    observer.disconnect();
    done({ picture: picture - begun, everything: Math.max(picture, last) - begun });
  };
  requestAnimationFrame(look);
}) })
"""


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("what", choices=BENCHMARKS)
    what = parser.parse_args().what
    out = RESULTS / f"{what}.csv"
    out.unlink(missing_ok=True)
    with sync_playwright() as playwright:
        for row in BENCHMARKS[what](playwright):
            report(out, row | {"streamlit": version("streamlit")})


def opening(playwright: Playwright) -> Iterator[dict]:
    """Milliseconds until sentence and picture, and the server's memory in MiB."""
    for number in range(ROUNDS):
        about = {"round": number, "load": round(os.getloadavg()[0], 1)}
        port = free_port()  # the same for both servers, since a browser caches scripts by address
        with TemporaryDirectory() as data, empty_profile(playwright) as first:
            with served(data, port) as server:
                times = times_of_opening(first, server.address, server.started)
                wait_for_rest(server.pid)
                memory = round(memory_of(server.pid))
                yield about | {"profile": "empty", "server": "starting", "MiB": memory} | times
                times = times_of_opening(first, server.address)
                yield about | {"profile": "second visit", "server": "warm"} | times
                wait_for_rest(server.pid)
                with empty_profile(playwright) as another:
                    times = times_of_opening(another, server.address)
                    yield about | {"profile": "empty", "server": "warm"} | times
            with served(data, port) as server:
                times = times_of_opening(first, server.address, server.started)
                yield about | {"profile": "second visit", "server": "starting"} | times
                wait_for_rest(server.pid)


@contextmanager
def empty_profile(playwright: Playwright) -> Iterator[BrowserContext]:
    """A browser that has started, with a profile that has seen nothing yet."""
    options = {"executable_path": CHROMIUM, "args": FLAGS, "viewport": VIEWPORT}
    launch = playwright.chromium.launch_persistent_context
    with TemporaryDirectory() as folder, launch(folder, **options) as context:
        yield context


def times_of_opening(
    browser: BrowserContext, address: str, started: float | None = None
) -> dict[str, int]:
    """Milliseconds until sentence and picture, from the navigation or from ``started``, in seconds
    of the clock."""
    page = browser.new_page()
    page.add_init_script(APPEARED)
    page.goto(address)
    appeared = page.evaluate("bothAppeared")
    before = 0.0 if started is None else page.evaluate("performance.timeOrigin") - 1000 * started
    found = {name: round(before + after) for name, after in appeared.items()}
    page.close()
    return found


def wait_for_rest(pid: int) -> None:
    """Waits until a process has used less than 2 % of a core for three seconds."""
    process = psutil.Process(pid)
    while process.cpu_percent(interval=3) > 2:
        pass


def edit(playwright: Playwright) -> Iterator[dict]:
    """Medians and 95th percentiles of milliseconds until the picture, and until everything, has
    followed an edit."""
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
    with TemporaryDirectory() as folder, served(folder) as server, browser:
        for name, address in {"Explore": "", "Explore, factors": "?factors=true"}.items():
            found = times_of_edits(browser, f"{server.address}/{address}")
            row: dict[str, object] = {"page": name, "edits": len(found)}
            for part in ("picture", "everything"):
                row[f"{part}, median ms"] = round(float(np.median(found[part])), 1)
                row[f"{part}, 95 % ms"] = round(float(np.quantile(found[part], 0.95)), 1)
            yield row | {"load": f"{os.getloadavg()[0]:.1f}"}


def times_of_edits(browser: Browser, address: str) -> pd.DataFrame:
    """Milliseconds of each edit until the picture, and until everything, has followed."""
    page = browser.new_page(viewport=VIEWPORT)
    page.goto(address)
    page.locator(CANVAS).first.wait_for(timeout=PATIENCE)
    wait_until_still(page)
    page.locator(".map-grid").first.focus()
    page.keyboard.press("Enter")
    page.locator(".mfc-sheet").wait_for()
    found = []
    for number in range(FIRST_EDITS + EDITS):
        rating = 1 + 4 * (number % 2)  # of one to five stars
        waiting = page.evaluate_handle(FOLLOWED, rating)
        page.keyboard.press(str(rating))
        found.append(waiting.evaluate("(handle) => handle.followed"))
        wait_until_still(page)
    page.close()
    return pd.DataFrame(found[FIRST_EDITS:])


BENCHMARKS = {"opening": opening, "edit": edit}

if __name__ == "__main__":
    main()
