"""Every page as it is seen: by axe-core and by comparison with the pictures that are kept in tests/pictures.

One visit for a page: three widths of the screen, each light and dark, lecture mode, then what a press opens. After a
change that is meant the command below keeps new pictures; look at them before they are committed.
"""

import re
import warnings
from dataclasses import replace

import pytest
from axe import OF_COLOURS, Examination
from pictures import OTHER_RENDERER, Album
from playwright.sync_api import expect
from renderer import Renderer
from served import REPOSITORY, focus
from themes import PAPER, in_theme

from benchmarks.screens import SCREENS, wait_until_complete, wait_until_still

pytestmark = pytest.mark.browser

COMMAND = "python -m pytest -n 0 tests/browser/test_screens.py --tiers browser --keep-pictures"
ALBUM = Album(REPOSITORY / "tests" / "pictures", REPOSITORY / "differences")
SIZES = {
    "room": (1920, 1080, 1080),
    "desk": (1440, 900, 2400),
    "phone": (390, 844, 2400),
}  # the last: how far a picture goes
OF_STYLE = (*OF_COLOURS, "target-size", "scrollable-region-focusable")  # where the elements are those of the desk
FRAME = "[data-testid=stHeader], [data-testid=stSidebar]"  # the rest is looked at in the dark in lecture mode
TAKES = 4  # until a page looks as it did: a figure may be drawn a little after the page is at rest
TO_THE_TOP = "document.querySelector('[data-testid=stMain]').scrollTo(0, 0)"  # wherever a press has scrolled to
SIDEWAYS = """[document.documentElement, document.querySelector("[data-testid=stMain]")]
  .some((frame) => frame.scrollWidth > innerWidth)"""
MOVES = "document.getAnimations().filter((one) => one.playState === 'running').length"


def in_size(page, width, height, tall):
    """The page at a size of the screen, then higher, so that all of it is in the picture, but for what is too long."""
    page.set_viewport_size(page.viewport_size | {"height": height})  # maps look at it when the width changes
    page.set_viewport_size({"width": width, "height": height})
    wait_until_still(page)
    whole = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    if min(whole, tall) > height:
        page.set_viewport_size({"width": width, "height": min(whole, tall)})
        wait_until_still(page)


def in_lecture(page, on):
    page.locator("button.mfl-lecture").click()
    address = re.compile("[?&]lecture=1")
    expect(page).to_have_url(address) if on else expect(page).not_to_have_url(address)
    for player in page.locator(".st-key-player .mfp").all():
        seen = expect(player)
        seen.to_have_class(re.compile("mfp-lecture")) if on else seen.not_to_have_class(re.compile("mfp-lecture"))
    page.mouse.move(0, 0)
    wait_until_still(page)


def picture(page):
    """A screenshot. At the top of a page a bar that sticks stands where it stands without sticking, but as a layer of
    its own, whose place Chromium rounds to a pixel up or down, as it happens: the picture is taken without."""
    at_top = page.locator("[data-testid=stMain]").evaluate("main => main.scrollTop === 0")
    bars = page.locator(".mfp-bar").all() if at_top else []
    for bar in bars:
        bar.evaluate("bar => (bar.style.position = 'static')")
    screenshot = page.screenshot()
    for bar in bars:
        bar.evaluate("bar => (bar.style.position = '')")
    return screenshot


def laid_out_anew(page):
    """Other layers are rounded, too, until the page is laid out again."""
    size = page.viewport_size
    page.set_viewport_size(size | {"height": size["height"] - 1})
    wait_until_still(page)
    page.set_viewport_size(size)
    wait_until_still(page)


def changed(page, album, name, keep):
    """What is different from the kept picture, in a sentence; ``keep``: keeps the new one instead."""
    said, before = "", b""
    for _ in range(TAKES):
        screenshot = picture(page)
        if keep and screenshot == before:
            return album.keep(name, screenshot) or ""
        if not keep and not (said := album.difference(name, screenshot)):
            return ""
        before = screenshot
        laid_out_anew(page)
    return said or f"{name}: no two of {TAKES} pictures were equal"


def chosen_cell(page):
    focus(page.locator(".map-grid").nth(1))
    page.keyboard.press("Enter")
    expect(page.locator(".mfc-sheet")).to_be_visible()


def tables(page):
    for summary in page.locator(".map-numbers summary").all():
        summary.press("Enter")
    expect(page.get_by_role("table").first).to_be_visible()


def expanders(page):
    for summary in page.locator("[data-testid=stExpander] summary").all():
        summary.press("Enter")


def filled_in(page):
    page.locator(".st-key-table_example button").click()
    expect(page.locator(".mf-holdout").first).to_be_attached()


def choice(name):
    def choose(page):
        page.get_by_role("radio", name=name).click()

    return choose


def press(name):
    return lambda page: page.get_by_role("button", name=name).first.click()


STATES = {  # what presses open on a phone, one look after the other
    "explore": [(tables, chosen_cell)],
    "factors": [(tables,)],
    "compare": [(expanders,)],
    "inside": [(), (choice("No shared rows or columns"),), (choice("Inside the network"),)],
    "lesson": [(press("Reveal the answer"),)],
    "room": [(), (press("Open the room"),)],
    "your-table": [(), (filled_in, expanders)],
}


@pytest.mark.parametrize("screen", SCREENS, ids=[screen.name for screen in SCREENS])
def test_a_page_is_open_to_everybody_and_looks_as_it_did(visit, screen, request):
    keep = request.config.getoption("--keep-pictures")
    page = visit(screen.address, *SIZES["room"][:2], calm=True)
    # Your table is pictured before a file is there: then its model is tuned against the clock, never twice as far.
    wait_until_complete(page, screen._replace(sign=".stFileUploader", press="") if screen.press else screen)
    assert page.evaluate(MOVES) == 0, "something moves where less motion is wanted"

    album, renderer = ALBUM, Renderer(page)
    if keep:
        renderer.keep(album.folder)
    elif other := renderer.other(album.folder):
        warnings.warn(f"{other}: coarse comparison. {COMMAND}", stacklevel=1)
        album = replace(album, tolerance=OTHER_RENDERER)
    examination, differences = Examination(page, screen.name), []
    for size, measures in SIZES.items():
        in_size(page, *measures)
        for scheme in PAPER:
            in_theme(page, scheme)
            wait_until_still(page)
            if (size, scheme) != ("room", "dark"):  # pictured in lecture mode
                differences.append(changed(page, album, f"{screen.name}-{size}-{scheme}", keep))
            if size == "desk" and scheme == "light":
                examination.look("desk")
            elif size == "desk":
                examination.look("desk, dark", OF_COLOURS, part=FRAME)
        if size == "room":
            in_lecture(page, True)
            differences.append(changed(page, album, f"{screen.name}-lecture-dark", keep))
            examination.look("lecture, dark", OF_STYLE)
            page.keyboard.press("?")
            expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
            if screen.name == "explore":  # the sheet is the same everywhere
                examination.look("keys, dark", OF_COLOURS)
            page.keyboard.press("Escape")
            expect(page.locator("button.mfl-lecture")).to_be_focused()
            in_lecture(page, False)
            page.locator("button.mfl-lecture").blur()  # its ring shows or not, as Chromium counts keys and clicks
    for k, opened in enumerate(STATES.get(screen.name, [()])):
        for press_it in opened:
            press_it(page)
        page.evaluate(TO_THE_TOP)
        wait_until_still(page)
        assert not page.evaluate(SIDEWAYS), f"a phone scrolls sideways, state {k}"
        examination.look(f"phone, state {k}, dark", None if opened else OF_STYLE)
    in_theme(page, "light")
    wait_until_still(page)
    examination.look("opened, light", OF_COLOURS)

    assert not examination.found, "\n".join(examination.found)
    assert examination.gone() == [], "no longer there: strike it off the list in tests/support/axe.py"
    assert not (said := list(filter(None, differences))), "\n".join([*said, f"Where this is meant: {COMMAND}"])
