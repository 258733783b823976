"""docs/demo.html from the disk, offline: the opening night plays by itself, with both ways of being given."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect
from served import focus

pytestmark = pytest.mark.browser

DEMO = Path(__file__).resolve().parents[2] / "docs" / "demo.html"
TOP = "element => element.getBoundingClientRect().top + scrollY"


def opened(browser, **more):
    """A page of the file, which notes what it asks for and says."""
    page = browser.new_page(offline=True, **more)
    page.asked, page.said = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("console", lambda message: page.said.append(message.text))
    page.on("pageerror", lambda error: page.said.append(str(error)))
    page.goto(DEMO.as_uri())
    return page


def test_the_file_is_small_plays_by_itself_and_asks_nobody(browser):
    assert DEMO.stat().st_size < 1_000_000
    with opened(browser, viewport={"width": 1440, "height": 900}) as page:
        player = page.locator(".mfp")
        expect(player.get_by_role("button", name="Pause")).to_be_visible()
        expect(player).to_have_attribute("data-t", "10")
        expect(player.get_by_role("button", name="Play")).to_be_visible()
        large = player.locator(".mfp-large")
        end = float(large.text_content())
        player.get_by_role("button", name="To the prior").click()
        expect(large).not_to_have_text(f"{end:.2f}")
        assert float(large.text_content()) > 1.3 * end  # the steps do visible work
        for name in ("given", "filled", "truth", "points", "error"):
            expect(page.locator(f"[data-figure={name}]")).to_be_visible()
        before = player.get_attribute("data-run")
        page.get_by_role("radio", name="at random").check()
        expect(player).not_to_have_attribute("data-run", before)
        assert page.asked == [DEMO.as_uri()] and page.said == []


def test_with_less_motion_it_rests_at_the_result(browser):
    with opened(browser, reduced_motion="reduce") as page:
        expect(page.locator(".mfp")).to_have_attribute("data-t", "10")
        expect(page.locator(".mfp").get_by_role("button", name="Play")).to_be_visible()


def test_points_and_maps_light_each_other_and_the_inspector_moves_no_map(browser):
    with opened(browser, reduced_motion="reduce", viewport={"width": 1440, "height": 900}) as page:
        points = page.locator("[data-figure=points]")
        points.locator("[data-point='0'] circle").last.hover()
        expect(page.locator("[data-figure=filled] .map-band")).not_to_have_count(0)
        expect(points.locator(".map-point-lit")).to_have_attribute("data-side", "row")
        plot = points.get_by_role("application")
        focus(plot)
        page.keyboard.press("End")
        expect(points.locator(".map-point-lit")).to_have_attribute("data-side", "col")
        filled = page.locator("[data-figure=filled]")
        top = filled.evaluate(TOP)
        filled.locator(".map-grid").click(position={"x": 200, "y": 300})
        expect(page.locator(".mfc-sheet")).to_be_visible()
        expect(points.locator(".map-point-chosen")).to_have_count(2)  # the row and the column
        assert filled.evaluate(TOP) == top
        expect(page.locator(".mfc-about")).to_contain_text(re.compile(r"\d"))
