"""Contrast of text that axe does not see, in SVG and in figures of Plotly, measured on pixels in both
themes, after smoothing and opacity."""

import io

import numpy as np
import pytest
from axe import accessible
from drawn_scene import DARK, LIGHT, draw, page, payload  # noqa: F401  a fixture
from PIL import Image
from playwright.sync_api import expect
from served import in_theme

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


def seen(page):
    """(height, width, 3) the colours that the page shows."""
    return np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))


def contrast(image, box):
    """Contrast (WCAG 2) of a box, x, y, width and height: its most frequent colour, and the one that
    stands out most in 2 pixels at least."""
    x, y, width, height = np.round(DENSITY * np.asarray(box)).astype(int)
    inside = image[y : y + height, x : x + width].reshape(-1, 3)
    colours, counts = np.unique(inside, axis=0, return_counts=True)
    values = colours / 255
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    light = linear @ [0.2126, 0.7152, 0.0722]
    ground = light[counts.argmax()]
    ratios = (np.maximum(light, ground) + 0.05) / (np.minimum(light, ground) + 0.05)
    return float(ratios[counts >= 2].max())


def faint(page, texts, least):
    """Texts of a locator that are harder to read than they may be; ``least``: how many texts there
    have to be."""
    for _ in range(TAKES):
        found = texts.evaluate_all(BOXES)
        if len(found) >= least:
            break
        wait_until_still(page)
    assert len(found) >= least
    image = seen(page)
    ratios = [(round(contrast(image, box), 2), text) for text, box in found]
    return [(ratio, text) for ratio, text in ratios if ratio < LEAST]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_all_words_of_a_scene_are_read(page, theme):
    night = payload("ml-1m", 4)
    draw(page, night, "fill", theme=theme)
    words = ".map-names text, .map-head b, .map-head span, .map-legend span"
    assert not faint(page, page.locator(words), 60)
    draw(page, night, "watch", theme=theme)
    assert not faint(page, page.locator(".map-corner text"), 4)
    page.locator(".map-curves").scroll_into_view_if_needed()
    assert not faint(page, page.locator(".map-curves text"), 12)


def test_rings_of_choices_and_words_of_a_plotly_figure_are_seen_in_both_themes(app, browser):
    page = browser.new_page(viewport={"width": 1440, "height": 1300}, device_scale_factor=DENSITY)
    page.goto(f"{app}/lesson?lesson=4")
    option = page.get_by_test_id("stMain").get_by_test_id("stRadioOption").first
    ring = option.locator("> div > div").first
    expect(ring).to_be_visible()
    for scheme in ("dark", "light"):
        in_theme(page, scheme)
        expect(ring).to_have_css("border-top-width", "1px")
        assert contrast(seen(page), list(ring.bounding_box().values())) >= OF_CONTROLS, scheme
    page.keyboard.press("Tab")
    option.locator("input").focus()
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
