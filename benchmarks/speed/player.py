"""How long a step takes to draw in a browser: the player's scenes, and a Plotly heatmap of the same estimates.

    python -m benchmarks.speed.player --out benchmarks/results/player.csv

Headless Chromium on this machine, without a GPU. A matrix is uploaded to the app, and drawn by the pages that a visitor
takes away (nothing else runs in them), and by one Plotly heatmap that gets the numbers of all steps beforehand and
changes them by ``Plotly.react``, the quickest way that Plotly has. A time is that of the main thread in the frame of a
step: "script" until the step's own code has ended, "drawn" until layout and painting have, too. The first round, in
which the browser compiles and the player multiplies the factors, does not count. Player and Plotly take turns, so that
what else the machine does touches both. "play" is a run through all steps at the pace "fast", ten steps a second: the
steps that were seen in a second, and the longest time between two of them.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import re
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.browser import CHROMIUM, FLAGS, served
from metamf.datasets import synthetic
from metamf.figures.maps import rating_map
from metamf.figures.window import Axes
from metamf.ratings.scale import RatingScale

SIZES = (30, 300)  # rows and columns: what the paper trains on, and the largest window
T = 10
ROUNDS = 6  # times that all steps are drawn

TIMED = """
async (draw) => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const rendered = () => new Promise((done) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => done(performance.now());
    channel.port2.postMessage(null);
  });
  let begun, ended;
  requestAnimationFrame(() => { begun = performance.now(); });
  const finished = draw();
  await new Promise((done) => requestAnimationFrame(() => { ended = performance.now(); done(); }));
  const drawn = await rendered();
  await finished;
  await frame();
  return { script: ended - begun, drawn: drawn - begun };
}
"""
PLAYER = f"""
async (t) => {{
  const slider = document.querySelector(".mfp-slider");
  return await ({TIMED})(() => {{ slider.value = t; slider.dispatchEvent(new Event("input")); }});
}}
"""
PLOTLY = f"""
async (t) => await ({TIMED})(() => new Promise((done) => requestAnimationFrame(async () => {{
  await Plotly.react("chart", steps[t], layout);
  done();
}})))
"""
PLAYED = """
() => new Promise((done) => {
  const player = document.querySelector(".mfp"), times = [], button = (name) => [...player.querySelectorAll("button")]
    .find((one) => (one.getAttribute("aria-label") || one.textContent).includes(name));
  [...player.querySelectorAll("label")].find((one) => one.textContent.includes("fast")).click();
  button("To the prior").click();
  const observer = new MutationObserver(() => {
    times.push(performance.now());
    if (+player.dataset.t < LAST) return;
    observer.disconnect();
    done(times);
  });
  observer.observe(player, { attributeFilter: ["data-t"] });
  button("Play").click();
})
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        with served(folder) as server:
            taken = {size: taken_away(browser, server.address, size) for size in SIZES}
        frame = pd.DataFrame([row for size in SIZES for row in rows_of_size(browser, Path(folder), size, taken[size])])
        browser.close()
    partial = arguments.out.with_suffix(".partial")
    frame.round(2).to_csv(partial, index=False)
    partial.replace(arguments.out)
    print(frame.round(1).to_string(index=False))


def taken_away(browser: Browser, address: str, size: int) -> dict[str, str]:
    """The HTML of Fill in and of Watch for a made-up matrix in stars, as the paper's model fills it in."""
    made = synthetic(np.random.default_rng(0), size, size, density=0.4, scale=RatingScale(1, 5, 1))
    stream = io.BytesIO()
    np.save(stream, made.ratings.to_dense())
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(f"{address}/?data=Your+own+file&steps={T}")
    file = {"name": "made-up.npy", "mimeType": "application/octet-stream", "buffer": stream.getvalue()}
    page.locator(".stFileUploader input").set_input_files(file)
    found = {}
    for name in ("Fill in", "Watch"):
        page.get_by_test_id("stTopNavLink").filter(has_text=name).click()
        page.get_by_role("heading", name="Most of the ratings" if name == "Fill in" else "Watch it adapt").wait_for()
        page.locator(".st-key-player .mfp canvas").first.wait_for(timeout=120_000)
        with page.expect_download() as download:
            page.get_by_role("button", name="Take this run away").click()
        found[f"player, {name}"] = Path(download.value.path()).read_text("utf-8")
    page.close()
    return found


def rows_of_size(browser: Browser, folder: Path, size: int, taken: dict[str, str]) -> list[dict]:
    """A row for each way to draw a matrix of ``size`` rows and columns."""
    run = json.loads(re.search(r'id="data">(.*?)</script>', next(iter(taken.values())), re.S)[1])["run"]
    pages = taken | {"Plotly, one heatmap": plotly_page(run)}
    times: dict[str, list[dict]] = {name: [] for name in pages}
    opened: dict[str, Page] = {}
    for number, (name, text) in enumerate(pages.items()):
        file = folder / f"{size}-{number}.html"
        file.write_text(text, "utf-8")
        opened[name] = browser.new_page(viewport={"width": 1440, "height": 900})
        opened[name].goto(file.as_uri())
        opened[name].wait_for_selector("canvas" if name.startswith("player") else ".heatmaplayer image")
    for turn in range(ROUNDS):
        for t in range(T + 1):
            for name, page in opened.items():
                page.bring_to_front()
                time = page.evaluate(PLAYER if name.startswith("player") else PLOTLY, t)
                if turn:
                    times[name].append(time)
    gaps = {
        name: np.diff(page.evaluate(PLAYED.replace("LAST", str(T))))
        for name, page in opened.items()
        if "player" in name
    }
    for page in opened.values():
        page.close()
    return [
        {
            "rows": size,
            "columns": size,
            "T": T,
            "drawn by": name,
            "steps": len(found),
            "script, median ms": np.median([time["script"] for time in found]),
            "drawn, median ms": np.median([time["drawn"] for time in found]),
            "drawn, 95 % ms": np.quantile([time["drawn"] for time in found], 0.95),
            "play, steps a second": 1000 / gaps[name].mean() if name in gaps else np.nan,
            "play, longest gap ms": gaps[name].max() if name in gaps else np.nan,
            "page, MB": len(pages[name].encode()) / 1e6,
            "run, MB": len(json.dumps(run)) / 1e6,
            "Chromium": browser.version,
        }
        for name, found in times.items()
    ]


def plotly_page(run: dict) -> str:
    """A page with the figure of the filled matrix that the app drew before, and the numbers of all its steps."""
    from plotly.offline import get_plotlyjs

    def array(name: str, *shape: int) -> np.ndarray:
        return np.frombuffer(base64.b64decode(run[name]), "<f4").reshape(shape)

    n, m, K = run["n"], run["m"], run["K"]
    X, U, V = array("X", n, m), array("U", T + 1, n, K), array("V", T + 1, m, K)
    given, charts = ~np.isnan(X), []
    for t in range(T + 1):
        estimate = np.clip(run["mean"] + run["std"] * U[t] @ V[t].T, run["low"], run["high"])
        filled = np.where(given, X, estimate).astype(float)
        chart = rating_map(filled, run["low"], run["high"], Axes(), given=given, height=430)
        charts.append(json.loads(chart.to_json()))
    steps = json.dumps([chart["data"] for chart in charts]).replace("<", "\\u003c")
    layout = json.dumps(charts[0]["layout"]).replace("<", "\\u003c")
    return (
        f'<!doctype html><meta charset="utf-8"><div id="chart" style="width:440px"></div>'
        f"<script>{get_plotlyjs()}</script>"
        f"<script>const steps = {steps}, layout = {layout}; Plotly.newPlot('chart', steps[0], layout);</script>"
    )


if __name__ == "__main__":
    main()
