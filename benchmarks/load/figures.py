"""What a server has to hold, each figure measured alone on this machine, with Chromium.

    python -m benchmarks.load.figures                  # all of them: half an hour
    python -m benchmarks.load.figures memory large     # some

memory : all processes of a server with one visitor who computes nothing heavy
together : workers after eight visitors who come at once to a fresh server, each with a table
downloads : downloads of two visitors of a table of 220 x 100, 35 seconds apart, that fail
workbook : what "Excel" costs the server for a file whose second sheet is large, and another visitor
origins : the health check, while five requests a second come from another site and outgoing traffic is dropped
large : the server's memory with three visitors who have brought a file of 21 MiB

The engine's own, 60 quick cancels and two servers at a scheduler, are in tests/webapp/test_engine.py.

Each replaces its rows of benchmarks/results/serving.csv, with the load of the machine before. Memory is the
proportional set size of the processes (PSS), in which what two of them share counts once.
"""

from __future__ import annotations

import io
import os
import random
import re
import socket
import tempfile
import threading
import time
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import openpyxl
import pandas as pd
import psutil
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.browser import CHROMIUM, FLAGS, Server, memory_of, served
from benchmarks.rows import RESULTS, command_line
from benchmarks.screens import CANVAS, wait_until_still

FILE = RESULTS / "serving.csv"
PATIENCE = 300_000  # milliseconds until a page has to be there
REST = 10.0  # seconds until memory is read


class Figure(NamedTuple):
    """A measured figure, and what it has to be at the most."""

    what: str
    value: float
    unit: str
    most: float


@contextmanager
def visited(**variables: str) -> Iterator[tuple[Server, Browser]]:
    """A fresh server and a browser for its visitors."""
    with (
        tempfile.TemporaryDirectory() as folder,
        served(folder, **variables) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield server, browser
        browser.close()


def opened(browser: Browser, address: str) -> Page:
    """A visitor's page."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    return page


def bring(page: Page, name: str, content: bytes | Path) -> None:
    """Uploads a file to "Your table"."""
    field = page.locator(".stFileUploader input")
    if isinstance(content, Path):
        field.set_input_files(content)
    else:
        field.set_input_files({"name": name, "mimeType": "application/octet-stream", "buffer": content})


def wide_table(rows: int, columns: int, digits: int = 0) -> bytes:
    """A CSV of ratings from 1 to 5, of which one in twenty is missing."""
    rng = random.Random(rows)
    lines = [",".join(["name", *(f"thing {m}" for m in range(columns))])]
    for n in range(rows):
        ratings = (f"{rng.uniform(1, 5):.{digits}f}" if rng.random() > 0.05 else "" for _ in range(columns))
        lines.append(",".join([f"person {n}", *ratings]))
    return "\n".join(lines).encode()


def workbook(lines: int, columns: int = 100) -> bytes:
    """A workbook with a small table on its first sheet, and ``lines`` of numbers on its second."""
    book, plain = openpyxl.Workbook(), io.BytesIO()
    for row in [["name", "Tea", "Coffee", "Juice"], *([f"p{n}", 1 + n % 5, 5 - n % 4, None] for n in range(12))]:
        book.active.append(row)
    book.active["D3"], book.active["D5"] = 4, 2
    book.create_sheet("second")
    book.save(plain)
    content = io.BytesIO()
    row = "<row>" + "<c><v>1</v></c>" * columns + "</row>"
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
        for name in old.namelist():
            text = old.read(name)
            if name.endswith("sheet2.xml"):
                text, changed = re.subn(
                    rb"<sheetData\s*/>|<sheetData></sheetData>", f"<sheetData>{row * lines}</sheetData>".encode(), text
                )
                assert changed == 1
            new.writestr(name, text)
    return content.getvalue()


class Slowest:
    """Repeats an act in a thread of its own, as long as the block lasts: ``seconds`` that each took."""

    def __init__(self, act: Callable[[], object], pause: float):
        self.seconds: list[float] = []
        self._act, self._pause = act, pause
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._repeat)

    def __enter__(self) -> Slowest:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _repeat(self) -> None:
        while not self._over.wait(self._pause):
            began = time.perf_counter()
            self._act()
            self.seconds.append(time.perf_counter() - began)

    def quantile(self, share: float) -> float:
        return float(pd.Series(self.seconds).quantile(share))


def memory() -> list[Figure]:
    with visited() as (server, browser):
        page = opened(browser, server.address)
        page.locator(CANVAS).first.wait_for()
        wait_until_still(page)
        time.sleep(REST)
        return [Figure("memory of all processes with one visitor", memory_of(server.pid), "MiB", 750)]


def together() -> list[Figure]:
    with visited(METAMF_WORKERS="3") as (server, browser):
        pages = [browser.new_page() for _ in range(8)]
        for page in pages:
            page.goto(f"{server.address}/your_table", wait_until="commit")
        for page in pages:
            page.locator(".st-key-table_example button").click(timeout=PATIENCE)
        for page in pages:
            page.locator(".st-key-table_get_csv").wait_for(timeout=PATIENCE)
        found = psutil.Process(server.pid).children(recursive=True)
        workers = sum(process.memory_info().rss > 50 * 2**20 for process in found)
        return [Figure("workers after eight visitors, METAMF_WORKERS=3", workers, "", 3)]


def downloads() -> list[Figure]:
    failed = 0
    with visited() as (server, browser):
        pages = [opened(browser, f"{server.address}/your_table") for _ in range(2)]
        for number, page in enumerate(pages):
            bring(page, f"{number}.csv", wide_table(220 + number, 100))
            page.locator(".st-key-table_get_csv a").wait_for()
            wait_until_still(page)
        for turn in range(10):
            for page in pages:
                try:
                    with page.expect_download(timeout=60_000) as caught:
                        page.locator(f".st-key-table_get_{('csv', 'long', 'xlsx')[turn % 3]} a").click()
                    failed += caught.value.path().stat().st_size < 40_000  # the table that was brought has 46,000 bytes
                except Exception as error:
                    print(type(error).__name__, flush=True)
                    failed += 1
            time.sleep(35)
    return [Figure("of 20 downloads of 220 x 100 by two visitors, failed", failed, "", 0)]


def workbooks() -> list[Figure]:
    with visited() as (server, browser):
        page, other = opened(browser, f"{server.address}/your_table"), opened(browser, server.address)
        other.locator(CANVAS).first.wait_for()
        bring(page, "two sheets.xlsx", workbook(4_900))  # as many cells as there may be
        page.locator(".st-key-table_get_xlsx a").wait_for()
        wait_until_still(page)
        time.sleep(REST)
        before, most = memory_of(server.pid, children=False), 0.0
        with Slowest(lambda: health(server.address), 0.1) as asked:
            page.locator(".st-key-table_get_xlsx a").click()
            for _ in range(60):
                most = max(most, memory_of(server.pid, children=False))
                time.sleep(0.5)
        larger = opened(browser, f"{server.address}/your_table")
        bring(larger, "150 kB.xlsx", workbook(42_000))
        larger.get_by_text("more than 500,000 cells").first.wait_for()
    return [
        Figure("two-sheet workbook, Excel pressed: the server's memory, more", most - before, "MiB", 100),
        Figure("two-sheet workbook, Excel pressed: health check meanwhile, 95 %", asked.quantile(0.95), "s", 0.1),
    ]


def health(address: str) -> None:
    urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"{address}/_stcore/health", timeout=60).read()


def origins() -> list[Figure]:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        where = f"http://127.0.0.1:{silent.getsockname()[1]}"
        variables = {name: where for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")}
        with visited(**variables, no_proxy="", NO_PROXY="") as (server, browser):
            opened(browser, server.address).locator(CANVAS).first.wait_for()
            host = server.address.removeprefix("http://")
            name, port = host.split(":")
            lines = [f"GET /_stcore/stream HTTP/1.1\r\nHost: {host}", "Origin: http://evil.example"]
            lines += ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
            request = "\r\n".join([*lines, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", ""]).encode()

            def foreign() -> None:
                with socket.create_connection((name, int(port)), timeout=60) as asks:
                    asks.sendall(request)
                    asks.recv(100)

            with Slowest(foreign, 0.2), Slowest(lambda: health(server.address), 0.1) as asked:
                time.sleep(REST)
    return [Figure("health check under five foreign origins a second, slowest", max(asked.seconds), "s", 0.05)]


def large() -> list[Figure]:
    content, figures = wide_table(5_400, 1_000, digits=2)[: 21 * 2**20], []
    content = content[: content.rfind(b"\n")]
    trim = {"MALLOC_TRIM_THRESHOLD_": "65536"}  # as in deploy/compose.yaml
    with tempfile.TemporaryDirectory() as folder, visited(**trim) as (server, browser):
        file = Path(folder) / "large.csv"
        file.write_bytes(content)
        most, over = 0.0, threading.Event()

        def watch() -> None:
            nonlocal most
            while not over.wait(0.5):
                most = max(most, memory_of(server.pid, children=False))

        watching = threading.Thread(target=watch)
        watching.start()
        for number in range(3):
            page = opened(browser, f"{server.address}/your_table")
            bring(page, "", file)
            page.locator(".st-key-table_get_csv a").wait_for()
            wait_until_still(page)
            time.sleep(REST)
            print(number + 1, memory_of(server.pid, children=False), memory_of(server.pid), flush=True)
        figures.append(Figure("server with three visitors' files of 21 MiB", memory_of(server.pid, False), "MiB", 1000))
        over.set()
        watching.join()
    return [*figures, Figure("server with three visitors' files of 21 MiB, at the most", most, "MiB", 1000)]


FIGURES = {
    "memory": memory,
    "together": together,
    "downloads": downloads,
    "workbook": workbooks,
    "origins": origins,
    "large": large,
}


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("names", nargs="*", choices=[*FIGURES, []], help="figures, all by default")
    parser.add_argument("--out", type=Path, default=FILE, help="CSV file")
    arguments = parser.parse_args()
    for name in arguments.names or FIGURES:
        load = round(os.getloadavg()[0], 1)
        rows = [{"figure": name, **found._asdict(), "load before": load} for found in FIGURES[name]()]
        kept = pd.read_csv(arguments.out) if arguments.out.exists() else pd.DataFrame({"figure": []})
        frame = pd.concat([kept[kept.figure != name], pd.DataFrame(rows)]).round(3)
        frame.to_csv(arguments.out, index=False)
        print(pd.DataFrame(rows).to_string(index=False, header=False), flush=True)


if __name__ == "__main__":
    main()
