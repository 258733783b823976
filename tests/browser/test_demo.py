"""docs/demo.html from the disk, offline: the first screen, alive, and ratings of one's own."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

DEMO = Path(__file__).resolve().parents[2] / "docs" / "demo.html"
OWN = "\tAlien\tDune\tTitanic\nAnn\t5\t\t1\nBob\t\t4\t2\nCem\t1\t2\t\n"


@pytest.fixture
def page(browser):
    """A page of the file, which asks for nothing else and says nothing."""
    asked, said = [], []
    with browser.new_page(offline=True, viewport={"width": 1440, "height": 900}) as page:
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(DEMO.as_uri())
        yield page
        assert (asked, said) == ([DEMO.as_uri()], [])


def test_the_first_screen_follows_what_is_given_and_edits(page):
    assert DEMO.stat().st_size < 1_000_000
    player = page.locator(".mfp")
    sentence = page.locator(".mfp-finding")
    expect(sentence).to_contain_text("the model misses by")
    for name in ("given", "mf", "filled", "truth"):  # all rows are in sight
        box = page.locator(f"[data-figure={name}] .map-plot").bounding_box()
        assert box["y"] + box["height"] < 900
        assert box["x"] + box["width"] < 1440
    page.get_by_role("button", name="Play", exact=True).click()
    expect(player).to_have_attribute("data-t", re.compile("^[2-9]$"))
    page.keyboard.press("End")
    expect(player).to_have_attribute("data-t", "10")
    share = page.get_by_label("Share of the ratings that are given")
    liking = page.get_by_role("switch", name="what people like")
    another = page.get_by_role("button", name="Another table")
    for change in (lambda: share.fill("60"), liking.click, another.click):
        before = player.get_attribute("data-run")
        said = sentence.text_content()
        change()
        expect(player).not_to_have_attribute("data-run", before)
        expect(sentence).not_to_have_text(said)

    before = player.get_attribute("data-run")
    plot = page.locator("[data-figure=filled] .map-plot").bounding_box()
    page.mouse.click(plot["x"] + plot["width"] - 8, plot["y"] + plot["height"] - 8)
    expect(page.locator(".mfc-sheet")).to_be_visible()
    page.keyboard.press("1")
    expect(player).not_to_have_attribute("data-run", before)
    page.get_by_role("button", name="Undo").click()
    expect(player).to_have_attribute("data-run", before)

    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator("[data-figure=truth]")).to_be_visible()
    expect(page.locator("html")).to_have_js_property("scrollWidth", 390)


def test_ratings_of_ones_own_are_filled_in_and_what_is_no_table_is_refused_in_a_sentence(page):
    given = page.locator("[data-figure=given]")
    page.get_by_label("Your ratings").fill(OWN)
    page.get_by_role("button", name="Fill in the gaps").click()
    expect(given).to_contain_text("6 of 9 ratings")
    expect(page.locator(".mfp-finding")).to_contain_text("3 gaps are filled in")
    page.get_by_role("button", name="Back to the film night").click()
    expect(given).to_contain_text("72 of 240 ratings")
    page.get_by_label("Your ratings").fill("Ann\t5\t4\nBob\t1\tx")
    page.get_by_role("button", name="Fill in the gaps").click()
    expect(page.locator(".metamf-note")).to_contain_text("“x”")
