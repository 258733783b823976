"""The page Lesson in a browser: words that explain themselves, the keys, the address, there and back, the handout."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from axe import accessible
from playwright.sync_api import expect
from themes import in_theme

from metamf.webapp.teach.lesson.steps import STEPS

pytestmark = pytest.mark.browser


def address(page):
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


@pytest.fixture(scope="module")
def page(app, browser):
    with browser.new_page(viewport={"width": 1440, "height": 900}) as page:
        page.goto(f"{app}/lesson?lesson=2")
        expect(page.get_by_role("heading", name=STEPS[1].title)).to_be_visible()
        yield page


def test_a_word_is_explained_on_hover_and_on_focus_and_escape_closes(page):
    expect(page.get_by_role("button", name="Reveal the answer")).to_be_visible()
    word, box = page.locator(".mf-term").filter(has_text="Matrix factorization").first, page.locator(".mf-meaning")
    expect(page.locator("#mf-meaning-factorization")).to_have_count(1)  # what a screen reader says
    expect(word).to_have_accessible_description(re.compile("product U Vᵀ"))
    word.hover()
    expect(box).to_contain_text("product U Vᵀ")
    box.hover()  # the pointer may go into it
    expect(box).to_be_visible()
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    page.mouse.move(1400, 880)
    word.focus()
    expect(box).to_be_visible()
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    assert word.evaluate("e => e === document.activeElement")  # where it was


PLAYERS = "document.querySelectorAll('[data-testid=stBidiComponentIsolated]').length"  # and what else is isolated
COUNT_PLAYERS = f"most = 0; (function count() {{ most = Math.max(most, {PLAYERS}); requestAnimationFrame(count) }})()"


def test_the_keys_of_a_presenter_and_the_buttons_of_the_browser_go_through_the_steps(page):
    page.mouse.click(1400, 880)
    page.keyboard.press("PageDown")
    expect(page.get_by_role("heading", name=STEPS[2].title)).to_be_visible()
    assert address(page)["lesson"] == "3" and "lesson_cell" not in address(page)
    page.go_back()
    expect(page.get_by_role("heading", name=STEPS[1].title)).to_be_visible()
    page.go_forward()
    expect(page.get_by_role("heading", name=STEPS[2].title)).to_be_visible()
    page.keyboard.press("PageUp")
    expect(page.get_by_role("heading", name=STEPS[1].title)).to_be_visible()
    player = page.locator(".mfp")
    expect(page).to_have_url(re.compile(r"lesson_t=\d+$"))
    expect(player).to_have_attribute("data-t", address(page)["lesson_t"])
    page.goto(f"{page.url.partition('?')[0]}?lesson=2&lesson_t=3&lesson_cell=2,2")
    expect(player).to_have_attribute("data-t", "3")
    expect(page.locator(".mfc-sheet h2")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("lesson_t=4"))
    at_rest = page.evaluate(PLAYERS)
    page.evaluate(COUNT_PLAYERS)
    page.keyboard.press("PageDown")
    expect(page.get_by_role("heading", name=STEPS[2].title)).to_be_visible()
    expect(player).not_to_have_attribute("data-t", "4")
    assert address(page)["lesson"] == "3" and "lesson_cell" not in address(page)
    page.go_back()  # to the step of the lesson and to that of its player
    expect(player).to_have_attribute("data-t", "4")
    expect(page).to_have_url(re.compile("lesson=2.*lesson_t=4"))
    assert page.evaluate("most") == at_rest, "the player of one step stood next to that of another"


def test_every_step_and_the_ten_cells_are_open_to_everybody(page):
    in_theme(page, "dark")
    for number in (4, 6, 1, 7):  # others are looked at where they are seen anyway
        page.get_by_role("radio", name=str(number), exact=True).click()
        expect(page.get_by_role("heading", name=STEPS[number - 1].title)).to_be_visible()
        page.get_by_role("button", name="Reveal the answer").click()
        expect(page.locator(".mf-verdict")).to_be_visible()
        accessible(page)
    page.get_by_role("button", name="Guess ten hidden cells").click()
    expect(page).to_have_url(re.compile(r"/lesson\?cells=1"))
    page.get_by_role("radiogroup", name="Your guess").get_by_text("3", exact=True).click()
    page.get_by_role("button", name="Reveal").click()
    expect(page.locator(".mf-verdict")).to_contain_text("The true rating")
    accessible(page)
    page.get_by_role("button", name="Back to the lesson").click()
    expect(page.get_by_role("heading", name=STEPS[6].title)).to_be_visible()
    assert address(page)["lesson"] == "7" and "cells" not in address(page)
    in_theme(page, "light")


def test_a_word_is_explained_on_touch_within_the_width_of_a_phone(app, browser):
    with browser.new_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True) as page:
        page.goto(f"{app}/lesson?lesson=4")
        expect(page.get_by_role("button", name="Reveal the answer")).to_be_visible()
        word, box = page.locator(".mf-term").first, page.locator(".mf-meaning")
        expect(box).to_have_count(1)
        word.tap()
        expect(box).to_be_visible()
        edges = box.bounding_box()
        assert edges["x"] >= 0 and edges["x"] + edges["width"] <= 390
        assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
        page.locator(".mfp .mf-term", has_text="factors").tap()
        expect(box).to_contain_text("Nobody chooses their meaning")
        page.get_by_role("heading", name=STEPS[3].title).tap()
        expect(box).to_be_hidden()
        product = page.locator(".mfp canvas").last.bounding_box()
        page.touchscreen.tap(product["x"] + 0.7 * product["width"], product["y"] + 0.6 * product["height"])
        expect(page.locator(".mfp-inspector")).to_contain_text("at the prior")  # no cell is dead
