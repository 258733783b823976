"""The page Lesson in a browser: one screen for a step, the keys, the address, there and back."""

import re

import pytest
from axe import accessible
from playwright.sync_api import expect
from served import in_theme

from metamf.webapp.teach.lesson.steps import STEPS

pytestmark = pytest.mark.browser

PLAYERS = "document.querySelectorAll('[data-testid=stBidiComponentIsolated]').length"
COUNT_PLAYERS = (
    f"most = 0; (function count() {{ most = Math.max(most, {PLAYERS}); "
    f"requestAnimationFrame(count) }})()"
)
# of a step: what is asked about, all of it: the matrix, and the error per step next to it
MAP, CURVES = ".map-grid", ".map-curves"
PICTURES = {
    1: [MAP],
    2: [MAP, CURVES],
    3: [".mf-moving"],
    4: [MAP],
    5: [MAP, CURVES],
    6: [MAP],
    7: [MAP],
}


def at(page, number):
    expect(page.get_by_role("heading", name=STEPS[number - 1].title)).to_be_visible()


def test_the_keys_of_a_presenter_and_the_buttons_of_the_browser_go_through_the_steps(visit):
    page = visit("lesson?lesson=2")
    at(page, 2)
    expect(page.get_by_role("button", name="Reveal the answer")).to_be_visible()
    page.get_by_text("Words on this page").click()
    expect(page.locator(".mf-meanings")).to_contain_text("product U Vᵀ")
    page.mouse.click(1400, 880)
    page.keyboard.press("PageDown")
    at(page, 3)
    expect(page).to_have_url(re.compile("lesson=3"))
    page.go_back()
    at(page, 2)
    page.go_forward()
    at(page, 3)
    page.keyboard.press("PageUp")
    at(page, 2)
    at_rest = page.evaluate(PLAYERS)
    page.evaluate(COUNT_PLAYERS)
    page.keyboard.press("PageDown")
    at(page, 3)
    page.go_back()
    at(page, 2)
    assert page.evaluate("most") == at_rest, "the player of one step stood next to that of another"


def test_a_step_is_one_screen_of_a_projector_and_open_to_everybody(visit):
    page = visit("lesson", width=1280, height=720)
    at(page, 1)
    in_theme(page, "dark")
    for number, pictures in PICTURES.items():
        if number > 1:
            page.get_by_role("button", name="Next").click()
        at(page, number)
        reveal = page.get_by_role("button", name="Reveal the answer")
        expect(reveal).to_be_in_viewport(ratio=1)
        for picture in pictures:
            expect(page.locator(picture).first).to_be_in_viewport(ratio=1)
        if number in (1, 6, 7):  # others are looked at where they are seen anyway
            reveal.click()
            expect(page.locator(".mf-verdict")).to_be_visible()
            accessible(page)
