"""A class that visits the app: N sessions against one server on this machine, which also runs the visitors.

Every visitor comes within ten seconds of the others, looks at the first page for a minute, changes mask, seed and
model, uploads a CSV, compares methods on it, downloads a file and leaves. Visitors speak Streamlit's own websocket
protocol, but for two in real Chromium pages, in which a step is measured while the others work. The CSV has seconds and
bytes of each action, errors, and the memory of the server with its child processes before, at most, and after.

    python -m benchmarks.load.visits --out benchmarks/results/load.csv  # 1, 10, 20, and 40 three times: 50 minutes
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

from benchmarks.browser import CHROMIUM, FLAGS, memory_of, served
from benchmarks.load.session import Session, visit
from benchmarks.rows import command_line

WITHIN, SOON = 10, 30  # seconds in which all come, and after which memory is read except after the largest class
STEPS = 30  # of a visitor on the first page
BROWSERS = 2  # visitors of a class with a real browser
MOVE_SLIDER = """(slider, t) => new Promise((done) => {
  const start = performance.now();
  slider.value = t;
  slider.dispatchEvent(new Event("input"));
  requestAnimationFrame(() => requestAnimationFrame(() => done((performance.now() - start) / 1000)));
})"""  # resolves with the seconds until the frame after the next, which shows the step


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


async def one_visit(address: str, number: int, pause: float, within: float, found: Figures) -> None:
    """One visit; an error ends it and is counted under the action in which it happened."""
    rng, session, action = random.Random(number), None, "first result"

    def measured(start: float, before: int) -> None:
        if session.exceptions:
            raise RuntimeError(f"the page shows {session.exceptions}")
        seconds = time.perf_counter() - start
        found.append({"what": action, "seconds": seconds, "bytes": session.received - before})

    await asyncio.sleep(rng.uniform(0, within))
    try:
        start = time.perf_counter()
        session = await visit(address)
        measured(start, 0)
        await asyncio.sleep(STEPS * pause)

        def change(key: str, value: object) -> Callable[[], Awaitable[None]]:
            return lambda: session.run(**{session.of_key(key): value})

        for action, act in (
            ("a change of the mask", change("keep", [40.0])),
            ("a change of the mask", change("keep", [25.0])),
            ("a change of the seed", change("seed", float(rng.randrange(1, 9999)))),
            ("a change of the seed", change("seed", float(rng.randrange(1, 9999)))),
            ("a change of the model", change("model", "Universal")),
            ("a change of the model", change("model", "MovieLens 1M")),
            ("", lambda: session.go_to("your_table")),
            ("an upload", lambda: session.upload("table_file_0", f"class {number}.csv", small_table(number))),
            ("Compare", lambda: session.go_to("compare")),
            ("back to Explore", lambda: session.go_to("")),
            ("a file taken away", lambda: taken(session)),
        ):
            start, before = time.perf_counter(), session.received
            await act()
            if action:
                measured(start, before)
                await asyncio.sleep(rng.uniform(0.5, 1.5) * pause)
    except Exception as error:
        found.append({"what": action, "error": type(error).__name__})
    finally:
        if session is not None:
            await session.close()


async def taken(session: Session) -> None:
    """Downloads the run as a page of its own."""
    content = await session.download("take_away")
    if "– MetaMF</title>" not in content[:2000].decode("utf-8", "replace"):  # Streamlit may answer with its own page
        raise ValueError("the downloaded file is not a run")


async def looker(address: str, number: int, pause: float, within: float, found: Figures) -> None:
    """A visitor with a real browser: seconds until the first picture, and of steps while the others work."""
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            page = await browser.new_page(viewport={"width": 1440, "height": 900})
            await asyncio.sleep(random.Random(number).uniform(0, within))
            start = time.perf_counter()
            await page.goto(address)
            slider = page.locator(".mfp-slider").first
            await slider.wait_for(timeout=120_000)
            found.append({"what": "first picture in Chromium", "seconds": time.perf_counter() - start})
            for step in range(STEPS):
                seconds = await slider.evaluate(MOVE_SLIDER, step % 11)
                found.append({"what": "a step in Chromium", "seconds": seconds})
                await asyncio.sleep(pause)
        except Exception as error:
            found.append({"what": "a step in Chromium", "error": type(error).__name__})
        finally:
            await browser.close()


async def measure(address: str, pid: int, visitors: range, browsers: int, pause: float, wait: float) -> list[dict]:
    """The rows of a class, whose last ``browsers`` visitors have a real browser."""
    found: Figures = []
    before, most = memory_of(pid), 0.0

    async def watch() -> None:
        nonlocal most
        while True:
            most = max(most, memory_of(pid))
            await asyncio.sleep(0.5)

    watching, within = asyncio.create_task(watch()), min(WITHIN, len(visitors) / 4)
    by_protocol = len(visitors) - browsers
    await asyncio.gather(
        *(one_visit(address, number, pause, within, found) for number in visitors[:by_protocol]),
        *(looker(address, number, pause, within, found) for number in visitors[by_protocol:]),
    )
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
    parser.add_argument("--sessions", type=int, nargs="+", default=[1, 10, 20, 40, 40, 40], help="visitors of a class")
    parser.add_argument("--pause", type=float, default=2, help="seconds between two actions, on average")
    parser.add_argument("--after", type=float, default=600, help="seconds until memory is read after the largest class")
    arguments = parser.parse_args()
    load, partial, rows = round(os.getloadavg()[0], 1), arguments.out.with_suffix(".partial"), []
    with tempfile.TemporaryDirectory() as folder, served(folder) as server:
        asyncio.run(one_visit(server.address, 0, 0.1, 0, []))  # imports everything that a visit needs
        for number, sessions in enumerate(arguments.sessions, start=1):
            browsers = BROWSERS if sessions > 1 else 0
            wait = arguments.after if sessions == max(arguments.sessions) else min(SOON, arguments.after)
            visitors = range(1000 * number, 1000 * number + sessions)  # no two classes ask for the same
            found = asyncio.run(measure(server.address, server.pid, visitors, browsers, arguments.pause, wait))
            time_of = arguments.sessions[:number].count(sessions)
            rows += [{"sessions": sessions, "time": time_of, "threads": 1, "load before": load} | row for row in found]
            pd.DataFrame(rows).assign(streamlit=version("streamlit")).to_csv(partial, index=False)
    partial.replace(arguments.out)
    print(pd.DataFrame(rows).to_string(index=False))


if __name__ == "__main__":
    main()
