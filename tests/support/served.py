"""The application, served for the tests that drive a real headless Chromium, and visitors to it."""

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
TO_THE_TOP = "document.querySelector('[data-testid=stMain]').scrollTo(0, 0)"
FRAMED_BY = "http://localhost:*"  # the sites that may show it in a frame
# milliseconds until a state that a test waits for has to be there: machines are slow at times
PATIENCE = 60_000
PAPER = {"light": "rgb(253, 252, 249)", "dark": "rgb(18, 22, 28)"}  # of .streamlit/config.toml
# The names of the pages in the navigation, whenever they are others than in the frame before.
NAVIGATIONS = """
window.navigations = [];
(function look() {
  const links = [...document.querySelectorAll("[data-testid=stTopNavLink], [data-testid=stSidebarNavLink]")];
  const names = links.map((link) => link.innerText.split("\\n").at(-1).trim());
  if (names.length && names.join() !== navigations.at(-1)?.join()) navigations.push(names);
  requestAnimationFrame(look);
})();
"""


@contextmanager
def served(folder, flooded=False, **variables):
    """The address of the application, served on a free port without any data set, and stopped at
    the end.

    ``flooded``: a visitor asks for runs faster than they end. Streamlit then logs a KeyError now and
    then, as two threads of that visitor's session register the same widget.
    ``variables``: more of its environment.
    """
    from benchmarks.browser import served as serve

    log = folder / "log"
    settings = {"OMP_NUM_THREADS": "1", "METAMF_FRAME_ANCESTORS": FRAMED_BY}
    with open(log, "w") as stream, serve(str(folder), log=stream, **settings | variables) as server:
        yield server.address
    said = log.read_text()
    assert flooded or "Traceback" not in said, f"the log has a traceback:\n{said[-20_000:]}"


def in_a_loop(coroutine):
    """The result of a coroutine, in a loop and a thread of its own: where a browser was opened, a
    loop runs here."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


@pytest.fixture(scope="session")
def silent_proxy():
    """A proxy that never answers, as a firewall that drops: what the application asks of others
    comes here."""
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        yield proxy


@pytest.fixture(scope="session")
def app(tmp_path_factory, silent_proxy):
    """The address of the application. At the end nothing is left behind of what its visitors' jobs
    have made."""
    folder = tmp_path_factory.mktemp("app")
    temporary = folder / "temporary"
    temporary.mkdir()
    where = f"http://127.0.0.1:{silent_proxy.getsockname()[1]}"
    proxies = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), where)
    nothing = {"no_proxy": "", "NO_PROXY": ""}
    with served(folder, TMPDIR=str(temporary), **proxies, **nothing) as address:
        yield address
        assert len([*temporary.glob("metamf-*")]) == 1
    assert not [*temporary.iterdir()]


@pytest.fixture(scope="session")
def browser(app):
    from playwright.sync_api import expect, sync_playwright

    from benchmarks.browser import CHROMIUM, FLAGS

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        first = browser.new_page(viewport={"width": 1440, "height": 900})
        first.add_init_script(NAVIGATIONS)
        first.goto(f"{app}/inside")
        for there in (first.locator(".mf-finding"), first.get_by_text("Given ratings", exact=True)):
            there.wait_for(timeout=180_000)  # a cold server takes its time on a busy machine
        browser.first_saw = first.evaluate("[navigations, document.body.innerText]")
        first.close()
        yield browser
        browser.close()


@pytest.fixture
def visit(app, browser):
    """A visitor's page; every visitor is a session of its own.

    ``calm``: the visitor wants less motion. At the end every visitor forgets the table that was
    brought, so that no worker is busy with it during the next test; and no page may have violated
    the Content-Security-Policy, have asked another machine for anything, or have asked this one for
    what it refuses.
    """
    contexts, refused, elsewhere, failed = [], [], [], []

    def open_page(path="", width=1440, height=900, scheme="light", calm=False):
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            reduced_motion="reduce" if calm else "no-preference",
        )
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        context.on(
            "console", lambda said: "Security Policy" in said.text and refused.append(said.text)
        )
        page = context.new_page()
        page.on(
            "request",
            lambda r: r.url.startswith((app, "data:", "blob:")) or elsewhere.append(r.url),
        )
        page.on("response", lambda r: r.status >= 400 and failed.append(f"{r.status} {r.url}"))
        page.goto(f"{app}/{path}")
        return page

    yield open_page
    for context in contexts:
        for page in context.pages:
            forget = page.locator(".st-key-table_forget button")
            if forget.is_visible():
                forget.dispatch_event("click")
                forget.wait_for(state="detached")
        context.close()
    assert (refused, elsewhere, failed) == ([], [], [])


def focus(locator):
    """Gives an element the focus once it is seen: one that is still hidden takes none, and says
    nothing."""
    from playwright.sync_api import expect

    expect(locator).to_be_visible()
    locator.focus()
    expect(locator).to_be_focused()


def in_theme(page, scheme):
    """Turns a page to the theme ``scheme``, and waits for it, looking in every frame of the
    browser."""
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(
        "paper => getComputedStyle(document.querySelector('.stApp')).backgroundColor === paper",
        arg=PAPER[scheme],
    )
