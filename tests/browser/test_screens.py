"""Every page as it is seen: by axe-core and by comparison with the pictures that are kept in
tests/pictures.

One visit for a page: a light desk and a dark phone are pictured and looked at, then a dark desk,
lecture mode, and what a press opens. After a change that is meant the command below keeps new
pictures; look at them before they are committed.
"""

import re
import warnings

import pytest
from axe import OF_COLOURS, Examination
from pictures import OTHER_RENDERER, Album
from playwright.sync_api import expect
from served import REPOSITORY, TO_THE_TOP, focus, in_theme

from benchmarks.screens import PATIENCE, SCREENS, wait_until_complete, wait_until_still

pytestmark = pytest.mark.browser

COMMAND = "python -m pytest -n 0 tests/browser/test_screens.py --tiers browser --keep-pictures"
ALBUM = Album(REPOSITORY / "tests" / "pictures", REPOSITORY / "differences")
LOOKS = {  # of the pictures: width and height of the screen, and the theme
    "desk-light": (1440, 900, "light"),
    "phone-dark": (390, 844, "dark"),
}
TALLEST = 2400  # pixels of a picture
# where the elements are those of the desk
OF_STYLE = (*OF_COLOURS, "target-size", "scrollable-region-focusable")
# the rest is looked at in the dark in lecture mode
FRAME = "[data-testid=stHeader], [data-testid=stSidebar]"
TAKES = 4  # until a page looks as it did: a figure may be drawn a little after the page is at rest
# wherever a press has scrolled to
SIDEWAYS = """[document.documentElement, document.querySelector("[data-testid=stMain]")]
  .some((frame) => frame.scrollWidth > innerWidth)"""
MOVES = "document.getAnimations().filter((one) => one.playState === 'running').length"


def in_look(page, width, height, scheme):
    """The page at a size of the screen, then higher, so that all of it is in the picture, but for
    what is too long."""
    # maps look at the height when the width changes
    page.set_viewport_size(page.viewport_size | {"height": height})
    page.set_viewport_size({"width": width, "height": height})
    in_theme(page, scheme)
    wait_until_still(page)
    whole = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    if min(whole, TALLEST) > height:
        page.set_viewport_size({"width": width, "height": min(whole, TALLEST)})
        wait_until_still(page)


def in_lecture(page, on):
    page.locator("button.mfl-lecture").click()
    address = re.compile("[?&]lecture=1")
    expect(page).to_have_url(address) if on else expect(page).not_to_have_url(address)
    players = page.locator(".st-key-player .mfp").count()
    expect(page.locator(".st-key-player .mfp-lecture")).to_have_count(players * on)
    page.mouse.move(0, 0)
    wait_until_still(page)


def picture(page):
    """A screenshot. At the top of a page a bar that sticks stands where it stands without sticking,
    but as a layer of its own, whose place Chromium rounds to a pixel up or down, as it happens: the
    picture is taken without."""
    at_top = page.locator("[data-testid=stMain]").evaluate("main => main.scrollTop === 0")
    bars = page.locator(".mfp-bar").all() if at_top else []
    for bar in bars:
        bar.evaluate("bar => (bar.style.position = 'static')")
    screenshot = page.screenshot()
    for bar in bars:
        bar.evaluate("bar => (bar.style.position = '')")
    return screenshot


def laid_out_anew(page, look):
    """Other layers are rounded, and legends of charts that were drawn before their fonts lie
    elsewhere, until the page is laid out again."""
    width, height, _ = look
    page.set_viewport_size({"width": width - 1, "height": height})
    wait_until_still(page)
    in_look(page, *look)


def changed(page, album, name, look, keep):
    """What is different from the kept picture of a look, in a sentence; ``keep``: keeps the new one
    instead."""
    said, before = "", b""
    for _ in range(TAKES):
        screenshot = picture(page)
        if keep and screenshot == before:
            return album.keep(name, screenshot) or ""
        if not keep and not (said := album.difference(name, screenshot)):
            return ""
        before = screenshot
        laid_out_anew(page, look)
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
    """Turns to the page of the visitor who came before with a table."""
    in_look(page.before, *LOOKS["phone-dark"])
    expect(page.before.locator(".mf-holdout").first).to_be_attached(timeout=PATIENCE)
    return page.before


def choice(name):
    def choose(page):
        page.get_by_role("radio", name=name).click()

    return choose


def press(name):
    return lambda page: page.get_by_role("button", name=name).first.click()


def details(page):
    page.get_by_role("button", name="Change").first.click()
    page.locator(".st-key-factors label").click()
    expect(page.locator(".mfp-equation").first).to_be_visible()


STATES = {  # what presses open on a phone, one look after the other
    "explore": [(tables, chosen_cell), (details,)],
    "compare": [(expanders,)],
    "inside": [(), (choice("No shared rows or columns"),), (choice("Inside the network"),)],
    "lesson": [(press("Reveal the answer"),)],
    "room": [(), (press("Open the room"),)],
    "your-table": [(), (filled_in, expanders)],
}


@pytest.mark.parametrize("screen", SCREENS, ids=[screen.name for screen in SCREENS])
def test_a_page_is_open_to_everybody_and_looks_as_it_did(visit, screen, request):
    keep = request.config.getoption("--keep-pictures")
    page = visit(screen.address, calm=True)
    if screen.press:
        # Your table is pictured before a file is there. What is done with one takes long where
        # others compute, as its check comes after everything else: it is done meanwhile.
        page.before = visit(screen.address, calm=True)
        page.before.locator(screen.press).click()
        screen = screen._replace(sign=".stFileUploader", press="")
    wait_until_complete(page, screen)
    assert page.evaluate(MOVES) == 0, "something moves where less motion is wanted"

    album = ALBUM
    if other := album.other_renderer(page, keep):
        warnings.warn(f"{other}: coarse comparison. {COMMAND}", stacklevel=1)
        album = album._replace(tolerance=OTHER_RENDERER)
    examination, differences = Examination(page, screen.name), []
    in_theme(page, "dark")
    wait_until_still(page)
    examination.look("desk, dark", OF_COLOURS, part=FRAME)
    in_lecture(page, True)
    examination.look("lecture, dark", OF_STYLE)
    if screen.name == "explore":  # the sheet of keys is the same everywhere
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
        examination.look("keys, dark", OF_COLOURS)
        page.keyboard.press("Escape")
        expect(page.locator("button.mfl-lecture")).to_be_focused()
    in_lecture(page, False)
    # its ring shows or not, as Chromium counts keys and clicks
    page.locator("button.mfl-lecture").blur()
    for name, look in LOOKS.items():
        in_look(page, *look)
        differences.append(changed(page, album, f"{screen.name}-{name}", look, keep))
        if name == "desk-light":
            examination.look("desk")
    for k, opened in enumerate(STATES.get(screen.name, [()])):
        for press_it in opened:
            page = press_it(page) or page
        examination.turn_to(page)
        page.evaluate(TO_THE_TOP)
        wait_until_still(page)
        assert not page.evaluate(SIDEWAYS), f"a phone scrolls sideways, state {k}"
        examination.look(f"phone, state {k}, dark", None if opened else OF_STYLE)
    in_theme(page, "light")
    wait_until_still(page)
    examination.look("opened, light", OF_COLOURS)

    assert not examination.found, "\n".join(examination.found)
    assert examination.gone() == [], (
        "no longer there: strike it off the list in tests/support/axe.py"
    )
    assert not (said := list(filter(None, differences))), "\n".join(
        [*said, f"Where this is meant: {COMMAND}"]
    )


PAGES = {page.stem for page in (REPOSITORY / "pages").glob("*.py")}
OF_WORDS = PAGES - {"explore", *(screen.address.partition("?")[0] for screen in SCREENS)}


@pytest.mark.parametrize("path", sorted(OF_WORDS))
def test_a_page_of_words_is_open_to_everybody(visit, path):
    page = visit(path, calm=True)
    expect(page.locator(".mf-title")).to_be_visible()
    wait_until_still(page)
    examination = Examination(page, path)
    examination.look("desk")
    in_theme(page, "dark")
    examination.look("desk, dark", OF_COLOURS)
    assert not examination.found, "\n".join(examination.found)
