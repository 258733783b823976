"""The page Train in a real browser: the picture follows the training, and its checkpoint is used on
the other pages."""

import re

import pytest
from axe import accessible
from playwright.sync_api import expect
from served import TO_THE_TOP, focus

# milliseconds: a worker makes way for everything else, so on a busy machine it takes its time
PATIENCE = 240_000
PROJECTOR = {"width": 1920, "height": 1080}
# Where the first map stands on the page, in every frame from now on.
WATCH = """() => {
  window.tops = [];
  const look = () => {
    const plot = document.querySelector(".mfp .map-plot");
    const top = plot && plot.getBoundingClientRect().top + document.querySelector("[data-testid=stMain]").scrollTop;
    if (top !== tops.at(-1)) tops.push(top);
    requestAnimationFrame(look);
  };
  look();
}"""
# The least distance of two slanted names in a row, over the size of their type.
CLOSEST = """(names) => {
  const size = parseFloat(getComputedStyle(names[0]).fontSize);
  const places = names.map((name) => name.getBoundingClientRect().left);
  const next = places.slice(1).map((left, k) => left - places[k]);
  return (Math.min(...next.filter((distance) => distance > 0)) * Math.sin((55 * Math.PI) / 180)) / size;
}"""
SMALLEST = "(plots) => Math.min(...plots.map((plot) => Number(plot.dataset.numbers)))"

pytestmark = pytest.mark.browser


def test_a_training_is_watched_paused_stopped_used_and_taken_away(visit):
    page = visit("train?weights=3")
    names = page.locator(".st-key-drawn-episode-7 [data-figure]").first.locator("[data-axis=col]")
    expect(names.nth(15)).to_be_attached()
    assert names.evaluate_all(CLOSEST) > 1.15
    page.set_viewport_size(PROJECTOR)
    picture = page.locator(".mfp").first  # of the training; the episode's maps stand below
    shown, maps = picture.locator(".mfp-position"), picture.locator(".map-grid")
    said = page.locator(".mf-finding").first
    expect(shown).to_have_text("update 0")  # random weights, before any click
    lecture = page.locator("button.mfl-lecture")
    lecture.click()
    expect(page.locator(".mfp-lecture").first).to_be_visible()
    expect(picture.locator("[data-figure]")).to_have_count(4)  # three maps and the curve
    numbers = picture.locator(".map-plot[data-numbers]").evaluate_all(SMALLEST)
    assert numbers >= 19, "pixels; the last row of a room reads them"
    lecture.click()
    expect(page.locator(".mfp-lecture")).to_have_count(0)
    page.evaluate(WATCH)
    page.get_by_role("button", name="Start from random weights").click()
    expect(shown).to_have_text(re.compile("^update [1-9]"), timeout=PATIENCE)
    accessible(page, moving=True)

    focus(maps.nth(1))
    page.keyboard.press("ArrowRight")
    # new figures, and the focus stays
    expect(shown).not_to_have_text(shown.text_content(), timeout=PATIENCE)
    page.set_viewport_size({"width": 1600, "height": 900})
    page.keyboard.press("ArrowDown")
    spoken = re.compile("^Jonas; The Quiet Cop; Estimates: ")
    expect(picture.locator(".map-spoken")).to_contain_text(spoken)
    page.set_viewport_size(PROJECTOR)
    expect(maps.nth(1)).to_be_focused()

    page.get_by_role("button", name="Pause").click()
    expect(said).to_contain_text("Paused.")
    trail = picture.locator(".mfp-slider")
    trail.press("Home")
    expect(shown).to_have_text("update 0")
    trail.press("End")
    expect(shown).to_have_text(re.compile("^update [1-9]"))
    picture.locator(".map-curves").get_by_text("Numbers as a table").click()
    expect(page.get_by_role("table").first).to_contain_text("update 5")
    page.evaluate(TO_THE_TOP)  # or a control is half below the bar that stays in sight
    accessible(page)

    page.get_by_role("button", name="Stop and keep the best").click()
    expect(said).to_contain_text("Stopped after", timeout=PATIENCE)
    expect(page.get_by_role("button", name="Explore with it")).to_be_visible()
    expect(page.locator(".mfp-position")).to_have_text("the best")
    # that on its training tables was not measured
    expect(page.locator(".mfp-what")).to_have_text("error on held-out tables")
    assert len(page.evaluate("tops")) == 1
    accessible(page, also="dark")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "trained-by-you.zip"
    page.get_by_role("button", name="Explore with it").click()
    expect(page).to_have_url(re.compile("model=Trained\\+by\\+you"))
    expect(page.locator(".mfp-finding")).to_contain_text("misses by")
