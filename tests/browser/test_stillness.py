"""A step moves nothing but what it draws, in a real headless Chromium."""

import pytest
from playwright.sync_api import expect

from benchmarks.screens import wait_until_still

pytestmark = pytest.mark.browser

PLAYER = ".st-key-player .mfp"
# Where every element of the page is, the player's included. What a step draws is inside of figures
# and formulas, and a number that is longer widens its own words, and moves those behind it in the
# same line.
BOXES = """() => {
  const ends = "svg, .mfp-equation, .map-head, .map-legend-line, details:not([open])";
  const boxes = (root, path) => [...root.children].flatMap((element, k) => {
    const style = getComputedStyle(element), own = `${path}/${k} ${element.nodeName}.${element.className}`;
    const { x, y, width, height } = element.getBoundingClientRect();
    const box = [x, y, element.children.length ? width : "", height].join();
    const inside = element.matches(ends) ? [] : boxes(element.shadowRoot ?? element, own);
    return style.display === "inline" ? inside : [[own, box], ...inside];
  });
  return Object.fromEntries(boxes(document.querySelector("[data-testid=stMain]"), ""));
}"""
# Notes every shift of the layout that the browser reports, also those that follow a key.
SHIFTS = """() => {
  window.shifts = 0;
  const note = (list) => list.getEntries().forEach(({ value }) => (shifts += value));
  new PerformanceObserver(note).observe({ type: "layout-shift" });
}"""


def at(page, t):
    expect(page.locator(PLAYER)).to_have_attribute("data-t", str(t))
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


@pytest.mark.parametrize(
    "address, last",
    [
        ("?t=0&data=Film+night", 10),
        ("?t=0&data=Film+night&factors=true", 10),
        ("?t=0&model=Universal&factors=true", 4),  # its sweeps
    ],
)
def test_steps_shift_nothing(visit, address, last):
    page = visit(address, calm=True)
    at(page, 0)
    page.locator(f"{PLAYER} canvas").first.wait_for()
    wait_until_still(page)
    boxes = page.evaluate(BOXES)
    assert len(boxes) > 100
    page.evaluate(SHIFTS)
    for t in range(1, last + 1):  # 9 becomes 10
        page.keyboard.press("ArrowRight")
        at(page, t)
        now = page.evaluate(BOXES)
        assert now.items() - boxes.items() == set(), t
    assert page.evaluate("shifts") < 0.001
