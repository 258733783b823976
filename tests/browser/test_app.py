"""The application in a real headless Chromium: what a visitor sees, by mouse, by keys, on a phone and in the dark."""

import re

import pytest
from axe import accessible
from playwright.sync_api import expect
from served import served

PLAYER = ".st-key-player .mfp"
# The names of the pages in the navigation, whenever they are others than in the frame before.
NAVIGATIONS = """
window.navigations = [];
(function look() {
  const links = [...document.querySelectorAll("[data-testid=stTopNavLink], [data-testid=stSidebarNavLink]")];
  const names = links.map((link) => link.innerText.split("\\n").at(-1).trim());
  if (names.length && names.join() !== navigations.at(-1)?.join()) navigations.push(names);
  requestAnimationFrame(look);
})();
"""

pytestmark = pytest.mark.browser


def shown(page, t):
    """Waits until the player shows step ``t``, or any step if that is None."""
    player = page.locator(PLAYER)
    expect(player).to_have_attribute("data-t", re.compile(r"\d+") if t is None else str(t))
    return player


def test_the_page_opens_with_a_result_at_rest_and_asks_nobody_else(visit):
    page = visit("?sweeps=8")
    player = shown(page, 8)
    expect(page.locator(".mf-finding")).to_contain_text(re.compile(r"typical error of \d\.\d\d"))
    expect(player.get_by_role("button", name="Play")).to_be_visible()
    assert page.requested_elsewhere == []


def test_the_first_screen_has_the_curve_within_240_pixels_and_the_first_rows_of_all_maps(visit):
    page = visit("", 1440, 900)
    player = shown(page, 10)
    expect(page.locator(".st-key-curve .here")).to_be_in_viewport(ratio=1)
    for name in ("given", "filled", "error"):
        box = page.locator(f"[data-figure={name}] canvas").bounding_box()
        assert box["y"] + 5 * box["height"] / 20 < 900  # five of twenty rows
    assert player.bounding_box()["y"] <= 240
    page.locator(".st-key-head .stSlider input").press("End")  # the handle on the curve
    expect(page.locator(".st-key-curve [role=img]")).to_have_attribute("aria-label", re.compile("with 100 % given"))


def test_a_link_to_any_page_opens_it_in_the_frame_of_the_app(visit):
    page = visit("watch?t=3&cell=2,3")  # of an earlier form
    expect(page.get_by_role("heading", name="What are the missing ratings?")).to_be_visible()
    expect(shown(page, 3).locator(".mfp-equation").first).to_be_visible()
    expect(page.locator(".mfc-sheet")).to_be_visible()
    page = visit("compare")
    expect(page.get_by_role("heading", name="Is it worth it?")).to_be_visible()
    expect(page.get_by_text("Which are given")).to_be_visible()


def test_the_first_visitor_of_a_fresh_server_may_come_by_a_link_and_sees_no_other_navigation(browser, tmp_path):
    with served(tmp_path) as address:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.add_init_script(NAVIGATIONS)
        page.goto(f"{address}/inside")
        expect(page.get_by_role("heading", name="Inside the model")).to_be_visible()
        expect(page.get_by_text("Which are given")).to_be_visible()
        assert page.get_by_text("Page not found").count() == 0
        assert page.evaluate("navigations") == [["Explore", "Compare", "Inside", "Teach", "Your table"]]
        page.close()


def test_an_upload_is_understood_and_shown(visit):
    page = visit("your_table?keep=100")
    table = b"name;Tea;Coffee;Juice\nAda;4,5;;3\nBen;1;2;\nCleo;;5;4\n"
    chooser = page.locator(".stFileUploader input")
    chooser.set_input_files({"name": "drinks.csv", "mimeType": "text/csv", "buffer": table})
    page.get_by_role("button", name="Watch it adapt").click()
    expect(page.locator(".mfp-equation").first).to_be_visible()
    expect(page).to_have_url(re.compile("data=Your"))
    player = shown(page, 10)
    for name in ("Tea", "Coffee", "Juice", "Ada", "Ben", "Cleo"):
        expect(player).to_contain_text(name)


@pytest.mark.parametrize("path", ["?t=3", "?factors=1", "compare"])
def test_a_phone_scrolls_only_downwards(visit, path):
    page = visit(path, width=390, height=844)
    player = ".st-key-drawn-compared .mfp" if path == "compare" else PLAYER
    expect(page.locator(f"{player} canvas").first).to_be_visible()
    for frame in ("document.documentElement", "document.querySelector('[data-testid=stMain]')"):
        assert page.evaluate(f"{frame}.scrollWidth") <= 390
    box = page.locator(player).first.bounding_box()
    assert box["width"] > 300 and box["x"] >= 0 and box["x"] + box["width"] <= 390
    if path == "compare":  # a cell that is chosen in one map is read in all of them
        page.locator(f"{player} .map-grid").nth(1).press("Enter")
        expect(page.locator(f"{player} .mfc-maps tbody tr")).to_have_count(3)
        accessible(page)
        expect(page).to_have_url(re.compile("[?&]maps_cell=1%2C1"))
        page.locator(f"{player} .mfc-move").last.click()
        expect(page).to_have_url(re.compile("[?&]maps_cell=1%2C2"))
        page.goto(page.url)  # a link reopens exactly that
        expect(page.locator(f"{player} .mfc-maps tbody tr")).to_have_count(3)
        expect(page.locator(f"{player} .mfc-sheet h2")).to_contain_text("Inspector Wren")
        page.locator(f"{player} .mfc-move").last.press("Escape")
        expect(page.locator(f"{player} .mfc-sheet")).to_be_hidden()
        expect(page).not_to_have_url(re.compile("maps_cell"))


@pytest.mark.parametrize("path", ["your_table", "paper"])
def test_pages_without_controls_can_be_left_on_a_phone(visit, path):
    page = visit(path, width=390, height=844)
    lecture = page.get_by_role("button", name="Lecture mode", exact=True)
    for pressed in ("true", "false"):
        lecture.click()
        expect(lecture).to_have_attribute("aria-pressed", pressed)
    for name in ("Explore", "Inside", "Teach", "Your table", "Compare"):
        link = page.get_by_role("link", name=name, exact=True)
        expect(link).to_be_in_viewport(ratio=1)
    link.click()
    expect(page.get_by_role("heading", name="Is it worth it?")).to_be_visible()
