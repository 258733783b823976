"""How long the app takes from the upload of a large file to its estimates, in headless Chromium on this machine.

    METAMF_DATA=... python -m benchmarks.speed.upload --out benchmarks/results/upload.csv

The file is the whole of ML-1M as people bring it, user, item, rating and a made-up time on a line, in a temporary
folder. Seconds run from the choice of the file until the sentence with the errors stands there and until all figures
are drawn, server and browser together on this machine; memory is the server's peak, which opens with torch in it, and
that of the processes that it starts, each at its own moment: together it is never more.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import sync_playwright

from benchmarks.browser import CHROMIUM, FLAGS, served
from metamf import datasets

FIRST, LAST = 956_703_932, 1_046_454_590  # seconds: the years that the original file is from


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--visits", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ratings.csv"
        lines = write(file)
        rows = [{"lines": lines, "MiB": file.stat().st_size / 2**20} | visit(file) for _ in range(arguments.visits)]
    frame = pd.DataFrame(rows).assign(streamlit=version("streamlit"))
    partial = arguments.out.with_suffix(".partial")
    frame.round(1).to_csv(partial, index=False)
    partial.replace(arguments.out)
    print(frame)


def write(file: Path) -> int:
    """Writes ML-1M as a CSV and returns the number of its ratings."""
    ratings = datasets.load("ml-1m")
    seconds = np.random.default_rng(0).integers(FIRST, LAST, ratings.nnz)
    columns = {
        "user": ratings.rows + 1,
        "item": ratings.cols + 1,
        "rating": ratings.values.astype(int),
        "time": seconds,
    }
    pd.DataFrame(columns).to_csv(file, index=False)
    return ratings.nnz


def visit(file: Path) -> dict[str, float]:
    """One upload to a fresh server: seconds until the sentence and until the figures, and the server's memory."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright, served(folder) as server:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"{server.address}/?data=Your+own+file")
        chooser = page.locator(".stFileUploader input")
        chooser.wait_for(state="attached")
        opened, start = peak_of(server.pid), time.perf_counter()
        chooser.set_input_files(file)
        page.locator(".mf-finding").wait_for(timeout=300_000)
        sentence = time.perf_counter() - start
        for figure in ("filled .heatmaplayer image", "intervals .scatterlayer"):
            page.locator(f".st-key-{figure}").first.wait_for(state="attached", timeout=300_000)
        figures = time.perf_counter() - start
        peak = peak_of(server.pid)
        browser.close()
        return {"sentence": sentence, "figures": figures, "MiB opened": opened, "MiB peak": peak}


def peak_of(pid: int) -> float:
    """The largest resident sizes of a process and of its children so far, in MiB, added up."""
    children = [
        int(child) for task in Path(f"/proc/{pid}/task").glob("*/children") for child in task.read_text().split()
    ]
    peaks = [re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{one}/status").read_text()) for one in (pid, *children)]
    return sum(int(peak[1]) for peak in peaks if peak) / 1024


if __name__ == "__main__":
    main()
