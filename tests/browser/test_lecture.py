"""Lecture mode in a real headless Chromium: large type, keys, pages; in a frame of another site,
too."""

import re
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

PLAYER = ".st-key-player .mfp"
LARGE = f"{PLAYER}.mfp-lecture"
SWITCH = "button.mfl-lecture"
TYPE = "parseFloat(getComputedStyle(document.documentElement).fontSize)"
# A frame in which nothing can be stored or copied, as browsers and sandboxes have it.
FORBIDS = """
for (const [where, name] of [[window, "localStorage"], [window, "sessionStorage"], [navigator, "clipboard"]])
  Object.defineProperty(where, name, { get() { throw new DOMException("no", "SecurityError"); } });
"""


def test_a_lecture_on_a_projector(visit):
    hall = visit("?t=3", width=1920, height=1080)
    expect(hall.locator(PLAYER)).to_have_attribute("data-t", "3")
    usual = hall.evaluate(TYPE)
    hall.keyboard.press("l")
    expect(hall.locator(SWITCH)).to_have_attribute("aria-pressed", "true")
    hall.wait_for_function(f"{TYPE} > 1.25 * {usual}")
    expect(hall.locator(LARGE)).to_be_visible()
    expect(hall.get_by_test_id("stSidebar")).not_to_be_in_viewport()
    for name in ("given", "mf", "filled", "truth"):  # all 20 rows
        expect(hall.locator(f"[data-figure={name}] canvas")).to_be_in_viewport(ratio=0.97)
    expect(hall).to_have_url(re.compile("[?&]lecture=1"))

    # the sheet lists the keys of the page and gives the focus back
    play = hall.locator(PLAYER).get_by_role("button", name="Play")
    sheet = hall.get_by_role("dialog", name="Keys")
    letters = sheet.get_by_label("Letters and ? are keys")
    play.focus()
    hall.keyboard.press("?")
    expect(sheet).to_contain_text("one step back")
    expect(sheet).to_contain_text("lecture mode")
    expect(sheet.get_by_role("button", name="Close")).to_be_focused()
    hall.keyboard.press("l")  # no key of the page while the sheet is open
    letters.uncheck()
    hall.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(play).to_be_focused()
    expect(hall.locator(SWITCH)).to_have_attribute("aria-pressed", "true")
    hall.keyboard.press("?")
    expect(sheet).to_be_hidden()
    hall.get_by_role("button", name="Keys", exact=True).click()
    letters.check()
    hall.keyboard.press("Escape")

    # it outlives the page and a reload
    top, sidebar = hall.get_by_test_id("stTopNavLink"), hall.get_by_test_id("stSidebar")
    top.filter(has_text="Compare").click()
    expect(hall.get_by_role("heading", name="Who estimates best?")).to_be_visible()
    top.filter(has_text="Explore").click()
    expect(hall.locator(PLAYER)).to_have_attribute("data-t", "3")
    expect(hall.locator(LARGE)).to_be_visible()
    hall.get_by_test_id("stExpandSidebarButton").click()
    expect(sidebar).to_be_in_viewport()
    # which has sweeps: the server writes the address
    sidebar.get_by_text("Universal", exact=True).click()
    expect(hall).to_have_url(re.compile("model=Universal"))
    hall.reload()
    expect(hall.locator(LARGE)).to_be_visible()
    hall.locator(SWITCH).click()
    expect(hall.locator(SWITCH)).to_have_attribute("aria-pressed", "false")
    expect(sidebar).to_be_in_viewport()


@pytest.fixture
def class_page(app, tmp_path):
    """A page of another site that has the app in a frame with few permissions."""
    frame = f'<iframe title="app" width="1400" height="880" src="{app}/?embed=true&lecture=1&t=3"'
    (tmp_path / "page.html").write_text(
        f'{frame} sandbox="allow-scripts allow-same-origin"></iframe>'
    )
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}/page.html"
        server.shutdown()


def test_it_works_in_a_frame_of_another_site_which_forbids_nearly_all(class_page, browser):
    with browser.new_page(viewport={"width": 1440, "height": 900}) as page:
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.add_init_script(FORBIDS)
        page.goto(class_page)
        frame = page.frame_locator("iframe")
        player = frame.locator(LARGE)
        expect(player).to_have_attribute("data-t", "3")
        player.get_by_role("slider", name="Step").fill("4")
        expect(player).to_have_attribute("data-t", "4")
        page.keyboard.press("?")
        expect(frame.get_by_role("dialog", name="Keys")).to_be_visible()
        page.keyboard.press("Escape")
        frame.get_by_test_id("stTopNavLink").filter(has_text="Inside").click()
        expect(frame.get_by_role("heading", name="Inside the model")).to_be_visible()
        page.keyboard.press("l")
        expect(frame.locator(SWITCH)).to_have_attribute("aria-pressed", "false")
        assert errors == []
