"""Nothing moves by itself, and a step moves nothing but what it draws, in a real headless Chromium."""

import re

import pytest
from playwright.sync_api import expect

from benchmarks.screens import wait_until_still

pytestmark = pytest.mark.browser

PLAYER = ".st-key-player .mfp"
# Every shift of the layout that the browser reports, also those that follow a key, and what shifted.
SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const { value, sources } of list.getEntries())
    shifts.push([value, ...sources.map(({ node }) => node?.className || node?.nodeName)].join(" "));
}).observe({ type: "layout-shift", buffered: true });
"""
# Where every element of the page is, the player's included. What a step draws is inside of figures and formulas, and a
# number that is longer widens its own words, and moves those behind it in the same line.
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


AT = """([t, name]) => {
  const components = [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")];
  const player = components.map(({ shadowRoot }) => shadowRoot?.querySelector(".mfp")).find(Boolean);
  return player?.dataset.t === t && new URLSearchParams(location.search).get(name) === t;
}"""


def at(page, t, parameter="t"):
    page.wait_for_function(AT, arg=[str(t), parameter])
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def steps_that_move_nothing(page, last, parameter="t"):
    """Goes from the prior to the ``last`` step and back; asserts that nothing moved meanwhile."""
    page.keyboard.press("Home")
    at(page, 0, parameter)
    wait_until_still(page)
    page.evaluate("shifts.length = 0")
    boxes = page.evaluate(BOXES)
    assert len(boxes) > 100
    for t in range(1, last + 1):
        page.keyboard.press("ArrowRight")
        at(page, t, parameter)
        now = page.evaluate(BOXES)
        assert {name: (boxes.get(name), box) for name, box in now.items() if boxes.get(name) != box} == {}, t
    assert page.evaluate("shifts.reduce((sum, shift) => sum + parseFloat(shift), 0)") < 0.001  # 9 becomes 10
    page.keyboard.press("Home")
    at(page, 0, parameter)


def opens_without_a_shift(page):
    expect(page.locator(".mf-title, .mf-lesson").first).to_be_visible()
    wait_until_still(page)
    assert page.evaluate("shifts.reduce((sum, shift) => sum + parseFloat(shift), 0)") < 0.1, page.evaluate("shifts")


def test_steps_shift_nothing_and_nothing_plays_by_itself(visit):
    page = visit(watch=SHIFTS, calm=True)
    opens_without_a_shift(page)
    for factors in ("", "&factors=true"):
        page.goto(f"{page.url.partition('?')[0]}?t=0&data=Film+night{factors}")
        at(page, 0)
        page.locator(f"{PLAYER} .mfp-position").click()
        steps_that_move_nothing(page, 10)
    page.get_by_text("Universal", exact=True).click()
    expect(page.locator(f"{PLAYER} .mfp-position")).to_have_text("0 of 4")
    page.locator(f"{PLAYER} .mfp-position").click()
    steps_that_move_nothing(page, 4)  # its sweeps
    page.goto(f"{page.url.partition('?')[0]}lesson?lesson=3")
    expect(page.locator(".mfp-position")).to_have_text(re.compile("of 10$"))
    page.locator(".mfp-position").click()
    steps_that_move_nothing(page, 10, "lesson_t")


STEPS = """
window.steps = [];
window.since = [];
(function look() {
  const found = document.querySelector(".st-key-player [data-testid=stBidiComponentIsolated]")?.shadowRoot;
  const slider = found?.querySelector(".mfp-slider");
  const step = slider?.valueAsNumber;
  if (slider && getComputedStyle(slider).visibility === "visible" && step !== window.steps.at(-1)) {
    window.steps.push(step);
    window.since.push(performance.now());
  }
  requestAnimationFrame(look);
})();
"""  # the steps that are seen, and since when


def test_the_steps_play_once_by_themselves_when_the_app_opens(visit):
    page = visit(watch=STEPS)
    expect(page.locator(f"{PLAYER} .mfp-position")).to_have_text("10 of 10")
    steps = page.evaluate("steps")
    assert steps[0] == 0 and steps == sorted(steps) and len(steps) > 4
    assert page.evaluate("since[1] - since[0]") > 700, "the guess was gone before anybody saw it"
    page.get_by_role("link", name="Compare").click()
    page.get_by_role("link", name="Explore").click()
    expect(page.locator(f"{PLAYER} .mfp-position")).to_have_text("10 of 10")
    assert page.evaluate("steps") == steps


@pytest.mark.parametrize("address, width", [("compare", 1440), ("lesson?lesson=2", 390)])  # several players; no sidebar
def test_a_page_that_opens_moves_little(visit, address, width):
    opens_without_a_shift(visit(address, width, watch=SHIFTS))
