"""The cell is the hero, in Chromium: how its number comes about, what if it were another, and the way back."""

import re

import pytest
from axe import accessible
from playwright.sync_api import expect
from served import focus

pytestmark = pytest.mark.browser


def number(text):
    return float(text.replace("−", "-"))


def test_a_cell_is_explained_edited_and_restored(visit):
    page = visit("?t=4&data=Film+night&by=at+random&keep=50&seed=1&model=ml-1m")
    cells = page.locator(".map-grid").nth(1)
    focus(cells)
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    sheet, about = page.locator(".mfc-sheet"), page.locator(".mfc-about")
    expect(sheet.get_by_role("heading", name="Quinn · Poison for Two")).to_be_focused()
    expect(about).to_contain_text(
        re.compile(r"Given: 4\. The model, held back by its prior, says [\d.]+ after step 4 of 10")
    )

    def adds_up():
        """The bars, the line below them and the sentence above say the same number; it is returned."""
        said = number(re.search(r"says ([−\d.]+) after", about.inner_text())[1])
        mean, spread, total, value = map(
            number,
            re.search(r"= (\S+) \+ (\S+) × (\S+) = ([−\d.]+)", page.locator(".mfc-total").last.text_content()).groups(),
        )
        terms = [
            number(label.rsplit(" ", 1)[1])
            for label in page.locator(".mfc-bar").evaluate_all(
                "bars => bars.map(bar => bar.getAttribute('aria-label'))"
            )
        ]
        assert len(terms) == 32 and sum(terms) == pytest.approx(total, abs=0.1)  # each is rounded
        assert value == pytest.approx(said, abs=0.006)
        assert value == pytest.approx(mean + spread * total, abs=0.02)
        return said

    at_step_4 = adds_up()
    page.keyboard.press("ArrowRight")  # the page's own key: one step on
    expect(about).to_contain_text("after step 5 of 10")
    assert adds_up() != at_step_4

    bars = sheet.get_by_role("listbox")
    focus(bars)
    page.keyboard.press("Home")
    expect(page.locator(".mfc-detail")).to_contain_text("Factor 1 adds")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".mfc-detail")).to_contain_text("Factor 2 adds")
    expect(page.locator(".mfc-equation")).to_contain_text("ratings’ pull: sum over 8")
    sheet.get_by_text("factors of Poison for Two").click()
    expect(page.locator(".mfc-equation")).to_contain_text("(7)")
    sheet.get_by_text("factors of Quinn").click()
    expect(page.locator(".mfc-equation")).to_contain_text("(6)")
    focus(bars)
    expect(about).to_contain_text("after step 5 of 10")  # here the arrow keys are for the factors

    sheet.get_by_role("button", name="Leave each one out").click()
    expect(sheet.locator(".mfc-leans li")).to_have_count(6)

    page.keyboard.press("1")  # what if it were 1?
    expect(page.locator(".mfc-edits")).to_contain_text("1 cell is edited.")
    expect(about).to_contain_text("Given: 1.")
    expect(sheet.locator(".mfc-of-whatif")).to_contain_text(re.compile(r"Your edits moved it from \S+ to \S+\."))
    expect(sheet.locator(".mfc-leans li")).to_have_count(0)  # that was another run
    expect(page.get_by_text("What your edits changed", exact=True)).to_be_attached()
    expect(page).to_have_url(re.compile("edits=3_3_1"))
    expect(page.locator(".mfp")).to_have_attribute("data-t", "5")
    adds_up()
    accessible(page, also="dark")

    page.keyboard.press("Control+z")
    expect(page.locator(".mfc-edits")).to_contain_text("No cell is edited.")
    expect(about).to_contain_text("Given: 4.")
    expect(page.get_by_text("What your edits changed", exact=True)).to_have_count(0)
    expect(page).not_to_have_url(re.compile("edits="))
    sheet.get_by_role("button", name="Cell below").click()
    below = sheet.get_by_role("heading", name="Iris · Poison for Two")
    expect(below).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(cells).to_be_focused()
    page.keyboard.press("Enter")  # the keys go on where the inspector was
    expect(below).to_be_visible()


def test_an_own_grid_takes_names_and_numbers(visit):
    page = visit("?data=Your+own+grid", calm=True)
    finding = page.locator(".mf-finding")
    expect(finding).to_contain_text("fills in 6 of 20 cells")  # all that is typed is given
    page.get_by_role("textbox", name="Cleo, Water").fill("2")
    page.keyboard.press("Enter")
    expect(finding).to_contain_text("fills in 5 of 20 cells")
    expect(page.get_by_role("textbox", name="Dev, Water")).to_be_focused()
    name = page.get_by_label("Name of column 1")
    name.fill("Coffee")
    name.press("Enter")
    expect(page.get_by_text('Two columns are called "Coffee": give one of them another name.')).to_be_visible()
    expect(page.get_by_text("The address does not hold this grid")).to_have_count(0)  # it is not too large
    accessible(page, also="dark")
    name.fill("Alien")
    renamed = page.get_by_role("textbox", name="Ada, Alien")
    expect(renamed).to_have_value("5")  # what has the column's name in its own has the new one
    expect(page.get_by_role("button", name="Remove Alien")).to_have_attribute("title", "Remove Alien")
    name.press("Enter")
    expect(page.locator(".map-grid").first).to_be_in_viewport()
    expect(page.locator(".mfp-scene")).to_contain_text("Alien")
    expect(page.get_by_text("Two columns are called")).to_have_count(0)
    page.get_by_role("button", name="Remove Water").click()
    expect(finding).to_contain_text("fills in 4 of 15 cells")
