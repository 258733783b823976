"""A class that visits the app: N browser pages against one server on this machine, which also runs the browser.

Every visitor is a session in a page of its own, comes within a minute of the others, looks at the first page, moves
steps, changes mask, seed and model, uploads a CSV, compares methods on it, downloads a file and leaves. The CSV has
seconds and bytes of each action, errors, and the memory of the server with its child processes before, at most, and
after. "First result" is the server's own time: from the first message that a browser sends to the one that has the
sentence with the errors. All else is as a visitor sees it, the browser's work included.

    python -m benchmarks.load.visits --out benchmarks/results/load.csv  # 1, 10, and 40 three times: 40 minutes
    python -m benchmarks.load.visits --out FILE --sessions 3 --pause 0.3 --after 5  # a trial

The figures need a machine with nothing else running: the load before is in the file.
"""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import time
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from pathlib import Path

import pandas as pd
from playwright.async_api import Browser, Page, WebSocket, async_playwright

from benchmarks.browser import CHROMIUM, FLAGS, memory_of, served
from benchmarks.rows import command_line
from benchmarks.screens import CANVAS, PATIENCE

WITHIN, SOON = 60, 30  # seconds in which all come, and after which memory is read except after the largest class
STEPS = 10  # of a visitor on the first page
RESULT = b'class="mf-finding'  # is in the message with the sentence on the errors
MOVE_SLIDER = """(slider, t) => new Promise((done) => {
  const start = performance.now();
  slider.value = t;
  slider.dispatchEvent(new Event("input"));
  requestAnimationFrame(() => requestAnimationFrame(() => done((performance.now() - start) / 1000)));
})"""  # resolves with the seconds until the frame after the next, which shows the step
RUN = """() => new Promise((done) => {
  const start = performance.now(), app = document.querySelector("[data-testid=stApp]");
  new MutationObserver((_, watch) => {  // a short run may have ended when it is told of
    if (app.dataset.testScriptState !== "notRunning") return;
    watch.disconnect();
    done((performance.now() - start) / 1000);
  }).observe(app, { attributes: true, attributeFilter: ["data-test-script-state"] });
})"""  # resolves with the seconds until the page has run


def small_table(seed: int) -> bytes:
    """A visitor's own CSV of ratings from 1 to 5."""
    rng, things = random.Random(seed), range(12)
    ratings = [[str(rng.randint(1, 5)) if (n + m) % 3 else "" for m in things] for n in range(40)]
    lines = [["name", *(f"thing {m}" for m in things)], *([f"person {n}", *row] for n, row in enumerate(ratings))]
    return "\n".join(map(",".join, lines)).encode()


Figures = list[dict[str, object]]  # of each action what it was, and its seconds and bytes, or its error


def summary(found: Figures) -> list[dict[str, object]]:
    """A row for each action."""
    rows, frame = [], pd.DataFrame(found, columns=["what", "seconds", "bytes", "error"])
    for action, group in frame.groupby("what", sort=False):
        row: dict[str, object] = {"what": action, "n": int(group.seconds.count()), "errors": int(group.error.count())}
        if row["n"]:
            row |= {f"seconds {q} %": round(group.seconds.quantile(q / 100), 4) for q in (50, 95, 99)}
        if group.bytes.any():
            row |= {f"kB {q} %": round(group.bytes.quantile(q / 100) / 1000, 1) for q in (50, 95)}
        rows.append(row)
    return rows


class Wire:
    """What goes over the connections of a page: bytes received, and seconds until the first result."""

    def __init__(self, page: Page) -> None:
        self.received, self.sent, self.result = 0, 0.0, 0.0
        page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framesent", self._send)
        socket.on("framereceived", self._receive)

    def _send(self, _: bytes | str) -> None:
        self.sent = self.sent or time.perf_counter()

    def _receive(self, message: bytes | str) -> None:
        content = message if isinstance(message, bytes) else message.encode()
        self.received += len(content)
        if not self.result and RESULT in content:
            self.result = time.perf_counter() - self.sent


async def one_visit(browser: Browser, address: str, number: int, pause: float, within: float, found: Figures) -> None:
    """One visit; an error ends it and is counted under the action in which it happened."""
    rng, action = random.Random(number), "first result"
    await asyncio.sleep(rng.uniform(0, within))
    context = await browser.new_context(viewport={"width": 1440, "height": 900})
    try:
        page = await context.new_page()
        page.set_default_timeout(PATIENCE)
        wire, start = Wire(page), time.perf_counter()
        await page.goto(address)
        await page.locator(CANVAS).first.wait_for()
        found.append({"what": "first result", "seconds": wire.result, "bytes": wire.received})
        found.append({"what": "first picture in Chromium", "seconds": time.perf_counter() - start})
        action, slider = "a step in Chromium", page.locator(".mfp-slider").first
        for step in range(STEPS):
            found.append({"what": action, "seconds": await slider.evaluate(MOVE_SLIDER, step % 11)})
            await asyncio.sleep(pause)
        for action, act in _actions(page, number, rng):
            ran, before = asyncio.create_task(page.evaluate(RUN)), wire.received
            await asyncio.sleep(0)  # the page watches from now on
            try:
                await act()
            except BaseException:
                ran.cancel()
                raise
            found.append(
                {
                    "what": action,
                    "seconds": await asyncio.wait_for(ran, PATIENCE / 1000),
                    "bytes": wire.received - before,
                }
            )
            await asyncio.sleep(rng.uniform(0.5, 1.5) * pause)
        action, start = "a file taken away", time.perf_counter()
        async with page.expect_download() as caught:
            await page.locator(".st-key-table_get_csv button").click()
        await (await caught.value).path()
        found.append({"what": action, "seconds": time.perf_counter() - start})
    except Exception as error:
        found.append({"what": action, "error": type(error).__name__})
    finally:
        await context.close()


def _actions(page: Page, number: int, rng: random.Random) -> list[tuple[str, Callable[[], Awaitable[object]]]]:
    """What a visitor does, one after the other."""

    async def seed() -> None:
        field = page.locator(".st-key-seed input")
        await field.fill(str(rng.randrange(1, 9999)))
        await field.press("Enter")

    async def upload() -> None:
        file = {"name": f"class {number}.csv", "mimeType": "text/csv", "buffer": small_table(number)}
        await page.locator(".stFileUploader input").set_input_files(files=[file])  # type: ignore[list-item]

    def mask(key: str) -> Callable[[], Awaitable[object]]:
        return lambda: page.locator(".st-key-keep input").press(key)

    def model(label: str) -> Callable[[], Awaitable[object]]:
        return lambda: page.locator(".st-key-model").get_by_text(label, exact=True).click()

    def place(name: str) -> Callable[[], Awaitable[object]]:
        return lambda: page.get_by_role("link", name=name).first.click()

    return [
        ("a change of the mask", mask("ArrowLeft")),
        ("a change of the mask", mask("ArrowRight")),
        ("a change of the seed", seed),
        ("a change of the seed", seed),
        ("a change of the model", model("Universal")),
        ("a change of the model", model("Trained on films")),
        ("another page", place("Your table")),
        ("an upload", upload),
        ("Compare", place("Compare")),
        ("back to Your table", place("Your table")),
    ]


async def measure(address: str, pid: int, visitors: range, pause: float, wait: float) -> list[dict]:
    """The rows of a class."""
    found: Figures = []
    before, most = memory_of(pid), 0.0

    async def watch() -> None:
        nonlocal most
        while True:
            most = max(most, memory_of(pid))
            await asyncio.sleep(0.5)

    watching, within = asyncio.create_task(watch()), min(WITHIN, 1.5 * len(visitors))
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        await asyncio.gather(*(one_visit(browser, address, number, pause, within, found) for number in visitors))
        await browser.close()
    watching.cancel()
    await asyncio.sleep(wait)
    each = (most - before) / len(visitors)
    memory = {"before": before, "at the most": most, "for a session": each, "after": memory_of(pid)}
    rows: list[dict] = [{"what": f"memory {name}", "n": 1, "MiB": round(value, 1)} for name, value in memory.items()]
    rows[-1]["waited, s"] = wait
    return [*summary(found), *rows]


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--out", type=Path, required=True, help="CSV file for the figures")
    parser.add_argument("--sessions", type=int, nargs="+", default=[1, 10, 40, 40, 40], help="visitors of a class")
    parser.add_argument("--pause", type=float, default=2, help="seconds between two actions, on average")
    parser.add_argument("--after", type=float, default=600, help="seconds until memory is read after the largest class")
    arguments = parser.parse_args()
    load, partial, rows = round(os.getloadavg()[0], 1), arguments.out.with_suffix(".partial"), []
    with tempfile.TemporaryDirectory() as folder, served(folder) as server:
        asyncio.run(measure(server.address, server.pid, range(1), 0.1, 0))  # imports everything that a visit needs
        for number, sessions in enumerate(arguments.sessions, start=1):
            wait = arguments.after if sessions == max(arguments.sessions) else min(SOON, arguments.after)
            visitors = range(1000 * number, 1000 * number + sessions)  # no two classes ask for the same
            found = asyncio.run(measure(server.address, server.pid, visitors, arguments.pause, wait))
            time_of = arguments.sessions[:number].count(sessions)
            rows += [{"sessions": sessions, "time": time_of, "threads": 1, "load before": load} | row for row in found]
            pd.DataFrame(rows).assign(streamlit=version("streamlit")).to_csv(partial, index=False)
    partial.replace(arguments.out)
    print(pd.DataFrame(rows).to_string(index=False))


if __name__ == "__main__":
    main()
