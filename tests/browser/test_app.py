"""The application in a real headless Chromium: how a visitor comes in, and what a phone shows."""

import pytest
from axe import accessible
from playwright.sync_api import expect

PHONE = {"width": 390, "height": 844}

pytestmark = pytest.mark.browser


def test_the_first_visitor_of_a_fresh_server_sees_no_other_navigation(browser):
    navigations, text = browser.first_saw
    assert navigations == [["Explore", "Compare", "Inside", "Teach", "Your table"]]
    assert "Inside the model" in text and "Page not found" not in text


def test_on_a_phone_compare_reads_a_cell_in_all_maps(visit):
    page = visit("compare", **PHONE)
    player = page.locator(".st-key-drawn-compared .mfp")
    expect(player.locator("canvas").first).to_be_visible()
    player.locator(".map-grid").nth(1).press("Enter")
    expect(player.locator(".mfc-maps tbody tr")).to_have_count(4)
    accessible(page)
    player.locator(".mfc-move").last.click()
    expect(player.locator(".mfc-sheet h2")).to_contain_text("The Quiet Cop")
    player.locator(".mfc-move").last.press("Escape")
    expect(player.locator(".mfc-sheet")).to_be_hidden()


def test_a_page_without_controls_can_be_left_on_a_phone(visit):
    page = visit("your_table", **PHONE)
    lecture = page.get_by_role("button", name="Lecture mode", exact=True)
    for pressed in ("true", "false"):
        lecture.click()
        expect(lecture).to_have_attribute("aria-pressed", pressed)
    for name in ("Explore", "Inside", "Teach", "Your table", "Compare"):
        link = page.get_by_role("link", name=name, exact=True)
        expect(link).to_be_in_viewport(ratio=1)
    link.click()
    expect(page.get_by_role("heading", name="Who estimates best?")).to_be_visible()


def test_the_opened_choices_of_explore_leave_no_empty_column_elsewhere(visit):
    page = visit("", width=1440, height=900)
    sidebar = page.locator(".stSidebar")
    page.get_by_role("button", name="Change").click()
    expect(sidebar.get_by_text("Which model")).to_be_in_viewport()
    page.get_by_role("link", name="Results on MovieLens and Jester").click()
    expect(page.get_by_role("heading", name="Results on MovieLens and Jester")).to_be_visible()
    expect(sidebar.and_(page.locator("[data-collapsed=false]"))).to_have_count(0)
