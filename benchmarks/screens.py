"""The five places and what they lead to, as a browser shows them: addresses, and when each is
complete and at rest."""

from __future__ import annotations

from typing import NamedTuple

from playwright.sync_api import Page, expect

# milliseconds until a page has to be complete: a server's first one waits for torch
PATIENCE = 180_000
CHART = ".js-plotly-plot .main-svg"
CANVAS = "canvas"  # of the component that draws matrices
STILL = 6  # frames of the browser in which nothing moves and no script runs
_AT_REST = """async (frames) => {
  const root = document.querySelector("[data-testid=stApp]");
  const boxes = (node) => [...node.querySelectorAll(":not(svg *)")].map((element) => {  // figures are drawn at once
    const { x, y, width, height } = element.getBoundingClientRect();
    return [x, y, width, height] + (element.shadowRoot ? boxes(element.shadowRoot) : "");
  }).join();
  await document.fonts.ready;
  for (let still = 0, before = ""; still < frames; ) {
    await new Promise(requestAnimationFrame);
    const works = root.dataset.testScriptState !== "notRunning" || root.querySelector("[data-testid=stSkeleton]");
    const now = boxes(root);
    still = works || now !== before ? 0 : still + 1;
    before = now;
  }
}"""


class Screen(NamedTuple):
    """A page as a visitor meets it."""

    name: str  # name of its pictures
    address: str  # address below the server's
    sign: str  # selector of something that is there once the page is complete
    press: str = ""  # selector of a button that is pressed before; empty where the page needs none


SCREENS = (
    Screen("explore", "", CANVAS),
    Screen("compare", "compare", CANVAS),
    Screen("inside", "inside", CHART),
    Screen("lesson", "lesson?lesson=2", CANVAS),
    Screen("room", "room", ".mf-title"),
    Screen("train", "train", ".mf-title"),
    Screen("your-table", "your_table", "text=90 % interval", press=".st-key-table_example button"),
)


def wait_until_complete(page: Page, screen: Screen) -> None:
    """Presses what the page waits for, and returns once all of it is there and at rest."""
    if screen.press:
        page.locator(screen.press).click(timeout=PATIENCE)
    expect(page.locator(screen.sign).first).to_be_visible(timeout=PATIENCE)
    wait_until_still(page)


def wait_until_still(page: Page) -> None:
    """Returns once no script runs and no element has moved for ``STILL`` frames."""
    page.evaluate(_AT_REST, STILL)
