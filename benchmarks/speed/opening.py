"""How soon the app's first page shows its result, in headless Chromium on this machine, server and browser together.

    python -m benchmarks.speed.opening --out benchmarks/results/opening.csv

In every round a browser with an empty profile opens the page while a server starts, and opens it a second time; another
empty profile opens it on the server that is warm by then; and the first profile opens it while the server starts again.
Times end when the sentence with the errors stands there, and when the three maps are drawn. They begin with the
navigation on a warm server, and with the start of the server's process otherwise. The server's memory is that of its
process at rest after its first visitors, torch imported by then.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
from playwright.sync_api import BrowserContext, Playwright, sync_playwright

from benchmarks.browser import CHROMIUM, FLAGS, free_port, memory_of, served

WATCH = """
window.appeared = {};
const signs = {sentence: () => document.querySelector('.mf-finding'),
               picture: () => document.querySelector('.st-key-player [data-testid=stBidiComponentIsolated]')
                 ?.shadowRoot?.querySelectorAll('.map-figure canvas').length >= 3};
const look = () => {
  for (const name in signs) if (!(name in appeared) && signs[name]()) appeared[name] = performance.now();
  if (Object.keys(appeared).length < 2) requestAnimationFrame(look);
};
look();
"""
EMPTY_PROFILE, SECOND = "empty", "second visit"
WARM, STARTING = "warm", "starting"
REST = 0.02  # share of a core up to which a process is at rest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    with sync_playwright() as playwright:
        rows = [row for number in range(arguments.rounds) for row in rows_of_round(playwright, number)]
    frame = pd.DataFrame(rows).assign(streamlit=version("streamlit"))
    partial = arguments.out.with_suffix(".partial")
    frame.to_csv(partial, index=False)
    partial.replace(arguments.out)
    print(frame.groupby(["server", "profile"]).median(numeric_only=True))


def rows_of_round(playwright: Playwright, number: int) -> Iterator[dict]:
    """The rows of one round: milliseconds until sentence and picture, and the server's memory in MiB."""
    load = round(os.getloadavg()[0], 1)  # what else the machine was doing
    port = free_port()  # the same for both servers: a browser keeps scripts for an address
    with TemporaryDirectory() as data, browser(playwright) as first:

        def row(profile: str, server: str, times: dict[str, float], memory: float | None = None) -> dict:
            whole = {name: round(value) for name, value in times.items()}
            return {"round": number, "profile": profile, "server": server, **whole, "MiB": memory, "load": load}

        with served(data, port) as server:
            appeared = visit(first, server.address, server.started)
            wait_for_rest(server.pid)
            yield row(EMPTY_PROFILE, STARTING, appeared, round(memory_of(server.pid)))
            yield row(SECOND, WARM, visit(first, server.address))
            wait_for_rest(server.pid)
            with browser(playwright) as another:
                yield row(EMPTY_PROFILE, WARM, visit(another, server.address))
        with served(data, port) as server:
            yield row(SECOND, STARTING, visit(first, server.address, server.started))
            wait_for_rest(server.pid)


@contextmanager
def browser(playwright: Playwright) -> Iterator[BrowserContext]:
    """A browser with a profile that has seen nothing yet, started, so that its own start counts nowhere."""
    with TemporaryDirectory() as profile:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=CHROMIUM, args=FLAGS, viewport={"width": 1440, "height": 900}
        )
        try:
            yield context
        finally:
            context.close()


def visit(browser: BrowserContext, address: str, started: float | None = None) -> dict[str, float]:
    """Milliseconds until each sign appears, from the navigation or from the moment ``started``, in seconds of the
    system's clock."""
    page = browser.new_page()
    page.add_init_script(WATCH)
    page.goto(address)
    page.wait_for_function("Object.keys(appeared).length === 2", timeout=60_000)
    before = 0.0 if started is None else page.evaluate("performance.timeOrigin") - 1000 * started
    found = {name: before + after for name, after in page.evaluate("appeared").items()}
    page.close()
    return found


def wait_for_rest(pid: int) -> None:
    """Waits until the process has done next to nothing for three seconds."""
    while True:
        before = processor_seconds(pid)
        time.sleep(3)
        if processor_seconds(pid) - before < 3 * REST:
            return


def processor_seconds(pid: int) -> float:
    """Processor time that the process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100  # clock ticks of a hundredth of a second


if __name__ == "__main__":
    main()
