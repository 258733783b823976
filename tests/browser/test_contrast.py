"""Contrast of text that axe does not see, on canvas and in figures of Plotly, measured on pixels in both themes."""

import base64

import numpy as np
import pytest
from axe import accessible
from drawn_scene import DARK, LIGHT, draw, page, payload  # noqa: F401  a fixture
from pixels import contrast, seen
from playwright.sync_api import expect
from themes import in_theme

from benchmarks.screens import wait_until_still

pytestmark = pytest.mark.browser

TAKES = 10  # until all words are there: a figure is redrawn, part by part, where the theme changes
DENSITY = 2  # at which the strokes of small type have pixels of their own colour
LEAST, OF_CONTROLS = 4.5, 3.0  # WCAG 2.2, 1.4.3 and 1.4.11
BOXES = """(all) => all.flatMap((text) => {
  const { x, y, width, height } = text.getBoundingClientRect();
  const shown = text.textContent.trim() && width > 4 && y >= 0 && y + height <= innerHeight && x >= 0;
  return shown ? [[text.textContent, [x, y, width, height]]] : [];
})"""


def faint(page, texts, least=6):
    """Texts of a locator that are harder to read than they may be; ``least``: how many texts there have to be."""
    for _ in range(TAKES):
        found = texts.evaluate_all(BOXES)
        if len(found) >= least:
            break
        wait_until_still(page)
    assert len(found) >= least
    image, density = seen(page)
    ratios = [(round(contrast(image, density, box), 2), text) for text, box in found]
    return [(ratio, text) for ratio, text in ratios if ratio < LEAST]


@pytest.fixture(scope="module")
def night():
    return payload("ml-1m", 4)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_numbers_in_cells_and_all_words_of_a_scene_are_read(page, night, theme):
    hidden = np.isnan(np.frombuffer(base64.b64decode(night["X"]), "<f4"))
    draw(page, night, "fill", theme=theme)
    image, density = seen(page)
    for k in (1, 2):  # filled in, and errors: cells without a dot, so that the number alone stands out
        boxes = np.array(page.evaluate("cells", k))[hidden]
        ratios = [contrast(image, density, box + [1, 1, -2, -2]) for box in boxes]
        assert len(ratios) > 100 and min(ratios) >= LEAST
    assert not faint(page, page.locator(".map-names text, .map-head b, .map-head span, .map-legend span"), 60)
    draw(page, night, "watch", theme=theme)
    assert not faint(page, page.locator(".map-corner text"), 4)
    page.locator(".map-curves").scroll_into_view_if_needed()
    assert not faint(page, page.locator(".map-curves text"), 12)


def test_rings_of_choices_and_words_of_a_plotly_figure_are_seen_in_both_themes(app, browser):
    page = browser.new_page(viewport={"width": 1440, "height": 1300}, device_scale_factor=DENSITY)
    page.goto(f"{app}/lesson?lesson=4")
    ring = page.get_by_test_id("stMain").get_by_test_id("stRadioOption").first.locator("> div > div").first
    expect(ring).to_be_visible()
    for scheme in ("dark", "light"):
        in_theme(page, scheme)
        expect(ring).to_have_css("border-top-width", "1px")
        assert contrast(*seen(page), list(ring.bounding_box().values())) >= OF_CONTROLS, scheme
    page.keyboard.press("Tab")
    page.get_by_test_id("stMain").get_by_test_id("stRadioOption").first.locator("input").focus()
    expect(ring).to_have_css("outline-style", "solid")
    for answers in (1, 2):
        page.get_by_role("button", name="Reveal the answer").click()
        expect(page.get_by_test_id("stMain").get_by_text("The answer:")).to_have_count(answers)
    texts = page.locator(".stPlotlyChart svg text")
    expect(texts.filter(has_text="always the mean")).to_be_visible()
    page.evaluate("document.fonts.ready")
    assert not faint(page, texts, 12)
    in_theme(page, "dark")
    assert not faint(page, texts, 12)
    accessible(page)  # what axe sees of it
    page.close()
