"""The page Inside in a browser: one visit through its three sections."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect
from served import focus

pytestmark = pytest.mark.browser


def finding(page, words):
    """What the page's one finding says, once it has these words; while a section is drawn, that of the
    one before stands, too."""
    found = page.locator(".mf-finding")
    expect(found.filter(has_text=words)).to_be_visible()
    expect(found).to_have_count(1)
    return found.inner_text()


def test_a_visit_through_the_sections(visit):
    page = visit("inside?race_eta=3&model=Trained+on+films")
    title = page.get_by_role("heading", name="Does it matter where the steps start?")
    expect(title).to_be_visible()
    race = page.locator(".st-key-figure-race")
    expect(race.locator(".legendtext").first).to_be_attached()
    race.hover()
    with page.expect_download() as download:
        race.locator("[data-attr=toImage], .modebar-btn").first.click()
    assert download.value.suggested_filename == "metamf Error on hidden cells.png"
    assert Path(download.value.path()).stat().st_size > 10_000, "curves on paper"
    page.get_by_role("button", name="Make the step 100 times as long").click()
    finding(page, "overflows")
    expect(page).to_have_url(re.compile("race_eta=100"))

    page.get_by_role("radio", name="Inside the network").click()
    said = finding(page, "the five terms add up to")
    expect(page).to_have_url(re.compile(r"experiment=Inside"))
    grid = page.locator(".st-key-drawn-channel .map-grid")
    focus(grid)
    for key in ("Home", *["ArrowDown"] * 11, *["ArrowRight"] * 8, "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".mf-finding")).not_to_have_text(said)
    said = page.locator(".mf-finding").inner_text()
    box = grid.bounding_box()
    grid.click(position={"x": box["width"] / 2, "y": box["height"] - 30})
    expect(page.locator(".mf-finding")).not_to_have_text(said)

    page.get_by_role("radio", name="No shared rows or columns").click()
    finding(page, "every row gets the same answer")
