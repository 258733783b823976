"""Factors by the keyboard, and the difference that edits made, in the player without the application."""

import pytest
from drawn_scene import draw, figure, page, payload  # noqa: F401  a fixture
from playwright.sync_api import expect
from served import focus

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def edited():
    """A run beside another one as that on the data."""
    other = payload("jester", 4)
    return payload("ml-1m", 4) | {"pinned": {name: other[name] for name in ("U", "V", "mean", "std")}}


def test_arrow_keys_reach_the_factors_which_are_lit_and_said(page, edited):
    draw(page, edited, "watch", 2)
    rows, cols, now = edited["rows"], edited["cols"], figure(page, "now")
    spoken = page.locator(".map-spoken")
    page.keyboard.press("Tab")
    focus(now.locator(".map-grid"))
    for key in ("ArrowDown", "ArrowLeft"):
        page.keyboard.press(key)
    assert page.evaluate("state.hover") == {"row": 1, "col": None, "factor": 31}
    expect(spoken).to_contain_text(f"{rows[1]}; factor 32: ")
    expect(page.locator(".map-tip")).to_contain_text("factor 32: ")
    expect(now.locator(".map-pointed")).to_have_count(1)
    for key in ("ArrowRight", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowRight"):
        page.keyboard.press(key)
    assert page.evaluate("state.hover") == {"row": None, "col": 1, "factor": 30}
    expect(spoken).to_contain_text(f"{cols[1]}; factor 31: ")
    assert now.locator(".map-grid").evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
    assert page.evaluate("state.t") == 2


def test_one_key_and_one_control_turn_to_what_the_edits_changed(page, edited):
    page.evaluate("data => play(data, 'fill')", edited)

    def shown():
        return page.locator("[data-figure]").evaluate_all("all => all.map((one) => one.dataset.figure)")

    estimates = page.get_by_role("radio", name="estimates", exact=True)
    expect(estimates).to_be_checked()
    assert shown() == ["given", "filled", "error", "difference"]
    page.keyboard.press("d")
    expect(page.get_by_role("radio", name="what your edits changed")).to_be_checked()
    expect(figure(page, "filled")).to_have_count(0)
    assert shown() == ["given", "difference", "error"]
    page.keyboard.press("ArrowLeft")  # no control has the focus: a step back
    expect(figure(page, "difference").locator(".map-head span")).to_have_text("after step 3 of 4")
    focus(estimates)
    page.keyboard.press("Space")
    expect(figure(page, "filled")).to_be_visible()
    assert shown() == ["given", "filled", "error", "difference"]
    page.evaluate("data => play({ ...data, pinned: null }, 'fill')", edited)
    expect(estimates).to_be_hidden()  # nothing to compare with
    page.keyboard.press("d")
    assert shown() == ["given", "filled", "error"]


def test_every_control_is_reached_by_tab_and_shows_its_focus(page, edited):
    page.evaluate("data => play(data, 'watch')", edited)
    page.evaluate("document.activeElement.blur()")
    outline = """() => {
      const focused = document.activeElement;
      const around = [focused, focused.closest("label"), focused.nextElementSibling].filter(Boolean);
      const seen = around.some((element) => getComputedStyle(element).outlineStyle === "solid");
      return focused === document.body ? null : [focused.tagName, focused.className || focused.type, seen];
    }"""
    stops = []
    page.keyboard.press("Tab")
    while (stop := page.evaluate(outline)) is not None and len(stops) < 80:
        stops.append(stop)
        page.keyboard.press("Tab")
    assert [stop for stop in stops if not stop[2]] == []
    kinds = [kind for _, kind, _ in stops]
    assert kinds.count("map-grid") == 4 and kinds.count("radio") == 3 and kinds.count("mfp-slider") == 1
    assert kinds.count("map-button") == 2
