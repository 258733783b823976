"""A class that visits the app: N browser pages against one server, all on this machine.

Every visitor is a session in a page of its own, comes within a minute of the others, looks at the
first page, changes mask, seed and model, uploads a CSV, compares methods on it, downloads a file
and leaves. Visitors bring computers of their own to a class, so their browsers get only the
processor time that the server leaves (Linux's scheduling class "idle"), and time is taken where
their connections reach the server, by a relay: from the first byte of an action to the last of its
answer. "First result" lasts until the sentence with the errors. The CSV has seconds and bytes of
each action, errors, and the memory of the server with its child processes before, at most, and
after.

    python -m benchmarks.load.visits --out benchmarks/results/load.csv  # 1, 10 and 40 visitors: half an hour
    python -m benchmarks.load.visits --out FILE --sessions 3 --pause 0.3 --after 5  # a trial

The figures need a machine with nothing else running: the load before is in the file.
"""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from importlib.metadata import version
from pathlib import Path

import pandas as pd
import psutil
from playwright.async_api import Browser, Page, async_playwright

from benchmarks.browser import CHROMIUM, FLAGS, Server, memory_of, served
from benchmarks.rows import command_line, rewrite
from benchmarks.screens import CANVAS, PATIENCE

WITHIN = 60  # seconds in which all come
SOON = 30  # seconds after which memory is read, except after the largest class
PAUSE = 2  # seconds between two actions of a visitor, on average
LOOKS = 20  # seconds that a visitor looks at the first page
RESULT = b'class="mf-finding'  # is in the message with the sentence on the errors
DOWNLOAD = "a file taken away"
DOWNLOADED = b" /file/"  # is in the request for a file
READ = 1 << 16  # bytes that are passed on at once, at most
RUN = b"app.py"  # is in the message with which the server begins to run a page
QUIET = 1  # seconds without a message after which an answer is complete
KEPT_ALIVE = 32  # bytes; a smaller message only tells that the other side is there


def small_table(seed: int) -> bytes:
    """A visitor's own CSV of ratings from 1 to 5."""
    rng, things = random.Random(seed), range(12)
    lines = [["name", *(f"thing {m}" for m in things)]]
    for n in range(40):
        ratings = [str(rng.randint(1, 5)) if (n + m) % 3 else "" for m in things]
        lines.append([f"person {n}", *ratings])
    return "\n".join(map(",".join, lines)).encode()


# of each action what it was, and its seconds and bytes, or its error
Figures = list[dict[str, object]]


def summary(found: Figures) -> list[dict[str, object]]:
    """A row for each action."""
    rows, frame = [], pd.DataFrame(found, columns=["what", "seconds", "bytes", "error"])
    for action, group in frame.groupby("what", sort=False):
        row: dict[str, object] = {"what": action, "n": int(group.seconds.count())}
        row["errors"] = int(group.error.count())
        for q in (50, 95, 99) if row["n"] else ():
            row[f"seconds {q} %"] = round(group.seconds.quantile(q / 100), 4)
        for q in (50, 95) if group.bytes.any() else ():
            row[f"kB {q} %"] = round(group.bytes.quantile(q / 100) / 1000, 1)
        rows.append(row)
    return rows


class Relay:
    """Passes on what goes between one visitor's browser and the server, and says when: ``sent`` the
    first bytes of an action, ``result`` the first result, ``last`` and ``received`` the last
    message and the bytes that came back."""

    def __init__(self, port: int) -> None:
        self.port = port  # of the server
        # whether a download is waited for; a page may tell of its progress meanwhile
        self.downloads = False
        self.runs = False  # whether the page runs for an action
        self.sent = 0.0
        self.result = 0.0
        self.last = 0.0
        self.received = 0

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[str]:
        """The address at which a browser finds the server."""
        async with await asyncio.start_server(self._connect, "127.0.0.1") as relay:
            yield f"http://127.0.0.1:{relay.sockets[0].getsockname()[1]}"

    async def answered(
        self, act: Callable[[], Awaitable[object]], downloads: bool = False
    ) -> tuple[float, int]:
        """Seconds and bytes of the server's answer to an action. TimeoutError if there is none."""
        self.downloads = downloads
        self.runs = False
        self.sent = self.last = 0.0
        before = self.received
        await act()
        async with asyncio.timeout(PATIENCE / 1000):
            while not self.last or time.perf_counter() < self.last + QUIET:
                await asyncio.sleep(QUIET / 10)
        return self.last - self.sent, self.received - before

    async def _connect(
        self, browser_in: asyncio.StreamReader, browser_out: asyncio.StreamWriter
    ) -> None:
        server_in, server_out = await asyncio.open_connection("127.0.0.1", self.port)
        head = await browser_in.read(READ)
        server_out.write(head)
        session = b"upgrade: websocket" in head.lower()
        self._hear_request(session=False, data=head)
        with suppress(ConnectionError):
            await asyncio.gather(
                self._pass_on(browser_in, server_out, partial(self._hear_request, session)),
                self._pass_on(server_in, browser_out, partial(self._hear_answer, session)),
            )

    async def _pass_on(
        self,
        source: asyncio.StreamReader,
        target: asyncio.StreamWriter,
        hear: Callable[[bytes], None],
    ) -> None:
        try:
            while data := await source.read(READ):
                hear(data)
                target.write(data)
                await target.drain()
        finally:
            target.close()

    def _hear_request(self, session: bool, data: bytes) -> None:
        if DOWNLOADED in data if self.downloads else session and len(data) > KEPT_ALIVE:
            self.sent = self.sent or time.perf_counter()

    def _hear_answer(self, session: bool, data: bytes) -> None:
        if session == self.downloads:
            return
        self.received += len(data)
        self.runs = self.runs or RUN in data
        if self.sent and (self.runs or self.downloads) and len(data) > KEPT_ALIVE:
            self.last = time.perf_counter()
            if not self.result and RESULT in data:
                self.result = self.last


def yield_processors() -> None:
    """Lets the browsers that this process has started run only where nothing else wants to."""
    for process in psutil.Process().children(recursive=True):
        if "chrom" in process.name():
            for thread in process.threads():
                with suppress(ProcessLookupError):  # it has ended in the meantime
                    os.sched_setscheduler(thread.id, os.SCHED_IDLE, os.sched_param(0))


async def one_visit(
    browser: Browser, port: int, number: int, pause: float, within: float, found: Figures
) -> None:
    """One visit; an error ends it and is counted under the action in which it happened."""
    rng = random.Random(number)
    action = "first result"
    await asyncio.sleep(rng.uniform(0, within))
    relay = Relay(port)
    size = {"width": 1440, "height": 900}
    context = await browser.new_context(viewport=size, reduced_motion="reduce")
    try:
        async with relay.opened() as address:
            page = await context.new_page()
            page.set_default_timeout(PATIENCE)
            await page.goto(address)
            await page.locator(CANVAS).first.wait_for()
            seconds = relay.result - relay.sent
            found.append({"what": action, "seconds": seconds, "bytes": relay.received})
            await asyncio.sleep(LOOKS * pause / PAUSE)
            await page.get_by_role("button", name="Change").first.click()  # opens the sidebar
            for action, act in _actions(page, number, rng):
                seconds, received = await relay.answered(act, downloads=action == DOWNLOAD)
                found.append({"what": action, "seconds": seconds, "bytes": received})
                await asyncio.sleep(rng.uniform(0.5, 1.5) * pause)
            await context.close()
    except Exception as error:
        found.append({"what": action, "error": type(error).__name__})
        await context.close()


def _actions(
    page: Page, number: int, rng: random.Random
) -> list[tuple[str, Callable[[], Awaitable[object]]]]:
    """What a visitor does, one after the other."""

    async def seed() -> None:
        field = page.locator(".st-key-seed input")
        await field.fill(str(rng.randrange(1, 9999)))
        await field.press("Enter")

    async def upload() -> None:
        file = {"name": f"class {number}.csv", "mimeType": "text/csv"}
        file["buffer"] = small_table(number)
        await page.locator(".stFileUploader input").set_input_files(files=[file])  # type: ignore[list-item]

    async def download() -> None:
        async with page.expect_download() as caught:
            await page.locator(".st-key-table_get_csv a").click()
        await (await caught.value).path()

    def mask(key: str) -> Callable[[], Awaitable[object]]:
        return lambda: page.locator(".mfp-share input").press(key)

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
        ("Compare, to the last of twenty hidings", place("Compare")),
        ("back to Your table", place("Your table")),
        (DOWNLOAD, download),
    ]


async def measure(server: Server, visitors: range, pause: float, wait: float) -> list[dict]:
    """The rows of a class."""
    found: Figures = []
    before = memory_of(server.pid)
    most = 0.0

    async def watch() -> None:
        nonlocal most
        while True:
            most = max(most, memory_of(server.pid))
            await asyncio.sleep(0.5)

    watching = asyncio.create_task(watch())
    port = int(server.address.rpartition(":")[2])
    within = min(WITHIN, 1.5 * len(visitors))
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield_processors()
        await asyncio.gather(
            *(one_visit(browser, port, number, pause, within, found) for number in visitors)
        )
        await browser.close()
    watching.cancel()
    await asyncio.sleep(wait)
    each = (most - before) / len(visitors)
    memory = {"before": before, "at the most": most, "for a session": each}
    memory["after"] = memory_of(server.pid)
    rows: list[dict] = summary(found)
    for name, value in memory.items():
        rows.append({"what": f"memory {name}", "n": 1, "MiB": round(value, 1)})
    rows[-1]["waited, s"] = wait
    return rows


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--out", type=Path, required=True, help="CSV file for the figures")
    visitors = "visitors of a class"
    parser.add_argument("--sessions", type=int, nargs="+", default=[1, 10, 40], help=visitors)
    pause = "seconds between two actions, on average"
    parser.add_argument("--pause", type=float, default=PAUSE, help=pause)
    after = "seconds until memory is read after the largest class"
    parser.add_argument("--after", type=float, default=600, help=after)
    arguments = parser.parse_args()
    load = round(os.getloadavg()[0], 1)
    unfinished = arguments.out.with_suffix(".partial")
    rows: list[dict] = []
    with tempfile.TemporaryDirectory() as folder, served(folder) as server:
        asyncio.run(measure(server, range(1), 0.1, 0))  # imports everything that a visit needs
        for number, sessions in enumerate(arguments.sessions, start=1):
            largest = sessions == max(arguments.sessions)
            wait = arguments.after if largest else min(SOON, arguments.after)
            # no two classes ask for the same
            visitors = range(1000 * number, 1000 * number + sessions)
            about = {"sessions": sessions, "time": arguments.sessions[:number].count(sessions)}
            about |= {"threads": 1, "load before": load, "streamlit": version("streamlit")}
            found = asyncio.run(measure(server, visitors, arguments.pause, wait))
            rows += [about | row for row in found]
            rewrite(unfinished, *rows)
    unfinished.replace(arguments.out)
    print(arguments.out.read_text())


if __name__ == "__main__":
    main()
