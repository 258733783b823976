"""The page Train in a real browser: the picture follows the training, and its checkpoint is used on the other pages."""

import re
from pathlib import Path

import pytest
from axe import accessible
from playwright.sync_api import expect
from served import focus

PATIENCE = 240_000  # milliseconds: a worker makes way for everything else, so on a busy machine it takes its time

# The smallest type in the cells, of the names and of the curve, in pixels; and how many names are equal to another.
TYPE = """(picture) => {
  const texts = (where) => [...picture.querySelectorAll(where)];
  const least = (where) => Math.min(...texts(where).map((text) => parseFloat(getComputedStyle(text).fontSize)));
  const names = texts(".map-row [data-figure]:first-child text[data-axis]").map((text) => text.textContent);
  const numbers = Math.min(...texts(".map-plot[data-numbers]").map((plot) => Number(plot.dataset.numbers)));
  return [numbers, least("text[data-axis]"), least(".map-curves text"), names.length - new Set(names).size];
}"""
PROJECTOR = 1920, 1080
NUMBER, NAME, LECTURE_NUMBER, LECTURE_NAME = 11.5, 13, 20, 20  # pixels; the last row of a room reads those of a lecture

pytestmark = pytest.mark.browser


def assert_readable(page, number, name):
    of_cells, of_names, of_curve, equal = page.locator(".mfp").evaluate(TYPE)
    assert of_cells >= number and min(of_names, of_curve) >= name and equal == 0
    assert page.locator(".mfp [data-figure]").count() == 4  # three maps and the curve


def test_a_training_is_watched_paused_stopped_used_and_taken_away(visit):
    page = visit("train?weights=3", *PROJECTOR)
    picture = page.locator(".mfp")
    shown = picture.locator(".mfp-position")
    expect(shown).to_have_text("update 0")  # random weights, before any click
    assert_readable(page, NUMBER, NAME)
    page.locator("button.mfl-lecture").click()
    expect(page.locator(".mfp-lecture")).to_be_visible()
    assert_readable(page, LECTURE_NUMBER, LECTURE_NAME)
    page.locator("button.mfl-lecture").click()
    expect(page.locator(".mfp-lecture")).to_have_count(0)
    page.get_by_role("button", name="Start from random weights").click()
    expect(shown).to_have_text(re.compile("^update [1-9]"), timeout=PATIENCE)
    first = shown.text_content()
    expect(shown).not_to_have_text(first, timeout=PATIENCE)
    accessible(page, moving=True)

    maps = picture.locator(".map-grid")
    expect(maps).to_have_count(3)
    focus(maps.nth(1))
    page.keyboard.press("ArrowRight")
    expect(shown).not_to_have_text(shown.text_content(), timeout=PATIENCE)  # new figures, and the focus stays
    page.set_viewport_size({"width": 1600, "height": 900})
    page.keyboard.press("ArrowDown")
    expect(page.locator(".map-spoken")).to_contain_text(re.compile("^Jonas; The Quiet Detective; Estimates: "))
    page.set_viewport_size({"width": PROJECTOR[0], "height": PROJECTOR[1]})
    expect(maps.nth(1)).to_be_focused()

    page.get_by_role("button", name="Pause").click()
    expect(page.locator(".mf-finding")).to_contain_text("Paused.")

    trail = picture.locator(".mfp-slider")
    trail.press("Home")
    expect(shown).to_have_text("update 0")
    trail.press("End")
    expect(shown).to_have_text(re.compile("^update [1-9]"))

    page.locator(".map-curves").get_by_text("Numbers as a table").click()
    expect(page.get_by_role("table").first).to_contain_text("update 5")
    accessible(page)

    for what, kind, begins in (("all figures", "SVG", b"<?xml"), ("all figures", "PNG", b"\x89PNG")):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Save {what} as {kind}").click()
        content = Path(download.value.path()).read_bytes()
        assert download.value.suggested_filename.endswith(f".{kind.lower()}") and content.startswith(begins)
        if kind == "SVG":
            svg = content.decode()
            assert "bundled " in svg and "var(" not in svg and "#b84e00" in svg

    page.get_by_role("button", name="Stop and keep the best").click()
    expect(page.locator(".mf-finding")).to_contain_text("Stopped after", timeout=PATIENCE)
    accessible(page, also="dark")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download with its card").click()
    assert download.value.suggested_filename == "trained-by-you.zip"
    page.get_by_role("button", name="Explore with it").click()
    expect(page).to_have_url(re.compile("model=Trained\\+by\\+you"))
    expect(page.locator(".mf-finding")).to_contain_text("The model is off by")
