"""A class that visits the app: N sessions against one server on this machine, which also runs the visitors.

Every visitor comes within ten seconds of the others, looks at the first page for a minute (steps are drawn by the
browser: no request), hides more of the ratings, takes another seed and another model, brings a CSV, compares methods on
it, takes a file away and leaves. Sessions speak Streamlit's own websocket protocol; a few visitors are real Chromium
pages, in which the time of a step is measured while the others work. Written down are seconds and bytes of each action,
errors, and the server's memory before, at its largest, and some time after all have left.

    python -m benchmarks.load.visits --out benchmarks/results/load.csv  # 1, 10, 20, and 40 three times: 50 minutes
    python -m benchmarks.load.visits --out FILE --sessions 3 --pause 0.3 --after 5  # a trial
    python -m benchmarks.load.visits --out FILE --threads 2 --sessions 1 10 40  # another policy of threads

A class's figures need a machine with nothing beside it: the load that was there before is in the file.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import tempfile
import time
from collections import Counter, defaultdict
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.browser import CHROMIUM, FLAGS, Server, memory_of, served
from benchmarks.load.session import Session, visit

WITHIN = 10  # seconds in which all come
SOON = 30  # seconds until memory is read after a class that is not the largest
STEPS = 30  # of a visitor on the first page, which the browser draws
_KB = (("kB 50 %", 0.5), ("kB 95 %", 0.95))
THINGS, TABLE_PEOPLE = range(12), range(40)


def small_table(seed: int) -> bytes:
    """A visitor's own CSV of ratings from 1 to 5."""
    rng = random.Random(seed)
    ratings = [[str(rng.randint(1, 5)) if (n + m) % 3 else "" for m in THINGS] for n in TABLE_PEOPLE]
    lines = [["name", *(f"thing {m}" for m in THINGS)], *([f"person {n}", *ratings[n]] for n in TABLE_PEOPLE)]
    return "\n".join(map(",".join, lines)).encode()


class Figures:
    """Measurements: seconds and bytes by action, and errors by action and kind."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, list[float]] = defaultdict(list)
        self.bytes: defaultdict[str, list[int]] = defaultdict(list)
        self.errors: Counter[str] = Counter()

    def rows(self) -> list[dict[str, object]]:
        """A row for each action."""
        found = []
        for action, seconds in self.seconds.items():
            at = {f"seconds {q} %": round(float(np.quantile(seconds, q / 100)), 4) for q in (50, 95, 99)}
            sent = self.bytes.get(action)
            kilobytes = {} if sent is None else {name: round(float(np.quantile(sent, q)) / 1000, 1) for name, q in _KB}
            errors = sum(n for name, n in self.errors.items() if name.startswith(f"{action}:"))
            found.append({"what": action, "n": len(seconds), **at, **kilobytes, "errors": errors})
        only_errors = {name.split(":")[0] for name in self.errors} - self.seconds.keys()
        return found + [
            {"what": action, "n": 0, "errors": sum(n for k, n in self.errors.items() if k.startswith(f"{action}:"))}
            for action in sorted(only_errors)
        ]


async def one_visit(address: str, number: int, pause: float, within: float, found: Figures) -> None:
    """One visit; an error ends it and is counted under the action in which it happened."""
    rng, session, action = random.Random(number), None, "first result"

    async def measured(name: str, act) -> None:
        nonlocal action
        action = name
        before, start = session.received, time.perf_counter()
        await act
        no_exception(session)
        found.seconds[name].append(time.perf_counter() - start)
        found.bytes[name].append(session.received - before)
        await asyncio.sleep(rng.uniform(0.5, 1.5) * pause)

    await asyncio.sleep(rng.uniform(0, within))
    try:
        start = time.perf_counter()
        session = await visit(address)
        no_exception(session)
        found.seconds[action].append(time.perf_counter() - start)
        found.bytes[action].append(session.received)
        await asyncio.sleep(STEPS * pause)
        for keep in (40, 25):
            await measured("a change of the mask", session.run(**{session.of_key("keep"): [float(keep)]}))
        for _ in range(2):
            seed = float(rng.randrange(1, 9999))
            await measured("a change of the seed", session.run(**{session.of_key("seed"): seed}))
        for model in ("Universal", "MovieLens 1M"):
            await measured("a change of the model", session.run(**{session.of_key("model"): model}))
        await session.run(**{session.of_key("data"): "Your own file"})
        await measured("an upload", session.upload(session.of_key("file"), f"class {number}.csv", small_table(number)))
        await measured("Compare, on one's own file", session.go_to("compare"))
        await measured("back to Fill in", session.go_to(""))
        await measured("a file taken away", taken(session))
    except Exception as error:
        found.errors[f"{action}: {type(error).__name__}"] += 1
    finally:
        if session is not None:
            await session.close()


def no_exception(session: Session) -> None:
    """Raises RuntimeError where the page shows an error of the program's."""
    if session.exceptions:
        raise RuntimeError(f"the page shows {session.exceptions}")


async def taken(session: Session) -> None:
    """Takes the run away as a page of its own."""
    content = await session.take_away(session.of_key("take_away"))
    if "– MetaMF</title>" not in content[:2000].decode("utf-8", "replace"):  # Streamlit answers with its own page, too
        raise ValueError("what was taken away is not a run")


async def looker(address: str, number: int, pause: float, within: float, found: Figures) -> None:
    """A visitor with a real browser: seconds to the first picture, and of steps while the others work."""
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
            found.seconds["first picture in Chromium"].append(time.perf_counter() - start)
            for step in range(STEPS):
                found.seconds["a step in Chromium"].append(await slider.evaluate(_STEP, step % 11))
                await asyncio.sleep(pause)
        except Exception as error:
            found.errors[f"a step in Chromium: {type(error).__name__}"] += 1
        finally:
            await browser.close()


# Moves the slider; the seconds until the frame after the next one, in which the new step is seen.
_STEP = """(slider, t) => new Promise((done) => {
  const start = performance.now();
  slider.value = t;
  slider.dispatchEvent(new Event("input"));
  requestAnimationFrame(() => requestAnimationFrame(() => done((performance.now() - start) / 1000)));
})"""


async def largest(pid: int, ended: asyncio.Event) -> float:
    """The largest memory of a process, in MiB, until ``ended``."""
    most = 0.0
    while not ended.is_set():
        most = max(most, memory_of(pid))
        await asyncio.sleep(0.5)
    return most


def numbers(of_class: int, count: int) -> range:
    """Numbers of the visitors of a class, which no other class has: what they ask for was never computed before."""
    return range(1000 * of_class, 1000 * of_class + count)


async def measure(
    server: Server, visitors: range, browsers: int, pause: float, after_seconds: float
) -> list[dict[str, object]]:
    """The rows of a class of given numbers, of whom the last ``browsers`` have a real browser."""
    sessions = len(visitors)
    found, ended, before = Figures(), asyncio.Event(), memory_of(server.pid)
    watching, within = asyncio.create_task(largest(server.pid, ended)), min(WITHIN, sessions / 4)
    lookers = min(browsers, sessions)
    await asyncio.gather(
        *(one_visit(server.address, number, pause, within, found) for number in visitors[: sessions - lookers]),
        *(looker(server.address, number, pause, within, found) for number in visitors[sessions - lookers :]),
    )
    ended.set()
    most = await watching
    await asyncio.sleep(after_seconds)
    each = (most - before) / sessions
    memory = {"before": before, "at the most": most, "for a session": each, "after": memory_of(server.pid)}
    rows = [{"what": f"memory {name}", "n": 1, "MiB": round(value, 1)} for name, value in memory.items()]
    rows[-1]["waited, s"] = after_seconds
    return [*found.rows(), *rows]


def write_rows(rows: list[dict], path: Path) -> None:
    """Writes the rows, with the version of Streamlit."""
    pd.DataFrame(rows).assign(streamlit=version("streamlit")).to_csv(path, index=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the CSV of the figures")
    classes = [1, 10, 20, 40, 40, 40]
    parser.add_argument(
        "--sessions", type=int, nargs="+", default=classes, help="visitors of one class after the other"
    )
    parser.add_argument("--browsers", type=int, default=2, help="how many of them have a real browser")
    parser.add_argument("--pause", type=float, default=2, help="seconds between two actions, on average")
    parser.add_argument("--after", type=float, default=600, help="seconds until memory is read, after the largest")
    parser.add_argument("--threads", type=int, default=1, help="cores for an operation of a visitor's")
    arguments = parser.parse_args()
    os.environ["METAMF_THREADS"] = str(arguments.threads)
    load, rows = round(os.getloadavg()[0], 1), []
    with tempfile.TemporaryDirectory() as folder, served(folder) as server:
        asyncio.run(one_visit(server.address, 0, 0.1, 0, Figures()))  # all that is imported by the first visits
        for of_class, sessions in enumerate(arguments.sessions, start=1):
            browsers = arguments.browsers if sessions > 1 else 0
            after = arguments.after if sessions == max(arguments.sessions) else min(SOON, arguments.after)
            found = asyncio.run(measure(server, numbers(of_class, sessions), browsers, arguments.pause, after))
            time_of = arguments.sessions[:of_class].count(sessions)
            setting = {"sessions": sessions, "time": time_of, "threads": arguments.threads, "load before": load}
            rows += [setting | row for row in found]
            write_rows(rows, arguments.out.with_suffix(".partial"))
    arguments.out.with_suffix(".partial").replace(arguments.out)
    print(pd.DataFrame(rows).to_string(index=False))


if __name__ == "__main__":
    main()
