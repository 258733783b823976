"""The cell is the hero, in Chromium: how its number comes about, what if it were another, and the
way back."""

import re

import pytest
from axe import accessible
from playwright.sync_api import expect
from served import focus

pytestmark = pytest.mark.browser


def test_a_cell_is_explained_edited_and_restored(visit):
    page = visit("?t=4&data=Film+night&by=at+random&keep=50&seed=1&model=Trained+on+films")
    cells = page.locator(".map-grid").nth(1)
    focus(cells)
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    sheet, about = page.locator(".mfc-sheet"), page.locator(".mfc-about")
    expect(sheet.get_by_role("heading", name="Quinn · Poison for Two")).to_be_focused()
    expect(about).to_contain_text(
        re.compile(r"Given: 4\. The model says [\d.]+ after step 4 of 10")
    )

    def number():
        """What the sentence says, and the line below the bars, too."""
        [said] = re.findall(r"says ([−\d.]+) after", about.inner_text())
        expect(sheet.locator(".mfc-bar")).to_have_count(32)
        total = page.locator(".mfc-total").last.text_content()
        assert float(re.findall(r"= ([\d.]+)", total)[-1]) == pytest.approx(float(said), abs=0.006)
        return said

    at_step_4 = number()
    page.keyboard.press("ArrowRight")  # the page's own key: one step on
    expect(about).to_contain_text("after step 5 of 10")
    assert number() != at_step_4

    bars, detail = sheet.get_by_role("listbox"), page.locator(".mfc-detail")
    focus(bars)
    page.keyboard.press("Home")
    expect(detail).to_contain_text("Factor 1 adds")
    page.keyboard.press("ArrowRight")
    expect(detail).to_contain_text("Factor 2 adds")
    equation = page.locator(".mfc-equation")
    expect(equation).to_contain_text("ratings’ pull: sum over 8")
    sheet.get_by_text("factors of Poison for Two").click()
    expect(equation).to_contain_text("(7)")
    sheet.get_by_text("factors of Quinn").click()
    expect(equation).to_contain_text("(6)")
    focus(bars)
    expect(about).to_contain_text("after step 5 of 10")  # here the arrow keys are for the factors

    sheet.get_by_role("button", name="Leave each one out").click()
    influences = sheet.locator(".mfc-influences li")
    expect(influences).to_have_count(6)

    page.keyboard.press("1")  # what if it were 1?
    edits = page.locator(".mfc-edits")
    expect(edits).to_contain_text("1 cell is edited.")
    expect(about).to_contain_text("Given: 1.")
    moved = re.compile(r"Your edits moved it from \S+ to \S+\.")
    expect(sheet.locator(".mfc-of-whatif")).to_contain_text(moved)
    expect(influences).to_have_count(0)  # that was another run
    changed = page.get_by_text("What your edits changed", exact=True)
    expect(changed).to_be_attached()
    expect(page).to_have_url(re.compile("edits=3_3_1"))
    expect(page.locator(".mfp")).to_have_attribute("data-t", "5")
    number()
    accessible(page, also="dark")

    page.keyboard.press("Control+z")
    expect(edits).to_contain_text("No cell is edited.")
    expect(about).to_contain_text("Given: 4.")
    expect(changed).to_have_count(0)
    expect(page).not_to_have_url(re.compile("edits="))
    sheet.get_by_role("button", name="Cell below").click()
    below = sheet.get_by_role("heading", name="Iris · Poison for Two")
    expect(below).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(cells).to_be_focused()
    page.keyboard.press("Enter")  # the keys go on where the inspector was
    expect(below).to_be_visible()
