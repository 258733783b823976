"""The application in a real headless Chromium: what a visitor sees, by mouse, by keys, on a phone and in the dark."""

import re

import pytest
from axe import accessible
from playwright.sync_api import expect

PLAYER = ".st-key-player .mfp"

pytestmark = pytest.mark.browser


def shown(page, t):
    """Waits until the player shows step ``t``, or any step if that is None."""
    player = page.locator(PLAYER)
    expect(player).to_have_attribute("data-t", re.compile(r"\d+") if t is None else str(t))
    return player


def test_the_page_opens_with_a_result_at_rest_whose_first_screen_has_the_curve_and_all_maps(visit):
    page = visit(calm=True)  # test_stillness watches the steps play
    player = shown(page, 10)
    expect(page.locator(".mf-finding")).to_contain_text(re.compile(r"off by \d\.\d\d"))
    expect(player.get_by_role("button", name="Play")).to_be_visible()
    expect(page.locator(".st-key-curve .here")).to_be_in_viewport(ratio=1)
    for name in ("given", "filled", "truth"):
        box = page.locator(f"[data-figure={name}] canvas").bounding_box()
        assert box["y"] + 5 * box["height"] / 20 < 900  # five of twenty rows
    assert player.bounding_box()["y"] <= 400
    page.locator(".st-key-head .stSlider input").press("End")  # the handle on the curve
    expect(page.locator(".st-key-curve [role=img]")).to_have_attribute("aria-label", re.compile("with 100 % given"))


def test_a_link_of_an_earlier_form_opens_the_page_in_the_frame_of_the_app(visit):
    page = visit("watch?t=3&cell=2,3")
    expect(page.get_by_role("heading", name="Can ratings of strangers fill this table?")).to_be_visible()
    shown(page, 3)
    expect(page.locator(".mfc-sheet")).to_be_visible()


def test_the_first_visitor_of_a_fresh_server_may_come_by_a_link_and_sees_no_other_navigation(browser):
    navigations, text = browser.first_saw
    assert navigations == [["Explore", "Compare", "Inside", "Teach", "Your table"]]
    assert "Inside the model" in text and "Page not found" not in text


def test_an_upload_is_understood_and_shown(visit):
    page = visit("your_table?keep=100", calm=True)
    table = b"name;Tea;Coffee;Juice\nAda;4,5;;3\nBen;1;2;\nCleo;;5;4\n"
    chooser = page.locator(".stFileUploader input")
    chooser.set_input_files({"name": "drinks.csv", "mimeType": "text/csv", "buffer": table})
    page.get_by_role("button", name="Watch it adapt").click()
    expect(page.locator(".mfp-equation").first).to_be_visible()
    expect(page).to_have_url(re.compile("data=Your"))
    player = shown(page, 10)
    for name in ("Tea", "Coffee", "Juice", "Ada", "Ben", "Cleo"):
        expect(player).to_contain_text(name)


def test_on_a_phone_compare_reads_a_cell_in_all_maps(visit):
    page = visit("compare", width=390, height=844)
    player = page.locator(".st-key-drawn-compared .mfp")
    expect(player.locator("canvas").first).to_be_visible()
    player.locator(".map-grid").nth(1).press("Enter")
    expect(player.locator(".mfc-maps tbody tr")).to_have_count(4)
    accessible(page)
    expect(page).to_have_url(re.compile("[?&]maps_cell=1%2C1"))
    player.locator(".mfc-move").last.click()
    expect(page).to_have_url(re.compile("[?&]maps_cell=1%2C2"))
    page.goto(page.url)  # a link reopens exactly that
    expect(player.locator(".mfc-maps tbody tr")).to_have_count(4)
    expect(player.locator(".mfc-sheet h2")).to_contain_text("The Quiet Detective")
    player.locator(".mfc-move").last.press("Escape")
    expect(player.locator(".mfc-sheet")).to_be_hidden()
    expect(page).not_to_have_url(re.compile("maps_cell"))


def test_a_page_without_controls_can_be_left_on_a_phone(visit):
    page = visit("your_table", width=390, height=844)
    lecture = page.get_by_role("button", name="Lecture mode", exact=True)
    for pressed in ("true", "false"):
        lecture.click()
        expect(lecture).to_have_attribute("aria-pressed", pressed)
    for name in ("Explore", "Inside", "Teach", "Your table", "Compare"):
        link = page.get_by_role("link", name=name, exact=True)
        expect(link).to_be_in_viewport(ratio=1)
    link.click()
    expect(page.get_by_role("heading", name="Who estimates best?")).to_be_visible()
