"""The application, served for the tests that drive a real headless Chromium, and visitors to it."""

import asyncio
import os
import socket
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
FRAMED_BY = "http://localhost:*"  # the sites that may show it in a frame
PATIENCE = 60_000  # milliseconds until a state that a test waits for has to be there: machines are slow at times
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
def served(folder, **variables):
    """The address of the application, served on a free port without any data set, and stopped at the end.

    ``variables``: more of its environment.
    """
    from benchmarks.browser import free_port

    port, log = free_port(), folder / "log"
    settings = {"METAMF_DATA": str(log.parent), "OMP_NUM_THREADS": "1", "METAMF_FRAME_ANCESTORS": FRAMED_BY}
    environment = os.environ | settings | variables
    options = ["--server.address", "127.0.0.1", "--server.port", str(port), "--server.headless", "true"]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", *options]
    with open(log, "w") as stream:
        server = subprocess.Popen(command, cwd=REPOSITORY, env=environment, stdout=stream, stderr=stream)
        try:
            _wait_for(f"http://127.0.0.1:{port}/_stcore/health", server, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(60)  # a run of a page ends first
    said = log.read_text()
    assert "Traceback" not in said, f"the server's log has a traceback:\n{said[-20_000:]}"


def in_a_loop(coroutine):
    """The result of a coroutine, in a loop and a thread of its own: where a browser was opened, a loop runs here."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


@pytest.fixture(scope="session")
def silent_proxy():
    """A proxy that never answers, as a firewall that drops: what the application asks of others comes here."""
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        yield proxy


@pytest.fixture(scope="session")
def app(tmp_path_factory, silent_proxy):
    """The address of the application. At the end nothing is left behind of what its visitors' jobs have made."""
    folder = tmp_path_factory.mktemp("app")
    temporary = folder / "temporary"
    temporary.mkdir()
    where = f"http://127.0.0.1:{silent_proxy.getsockname()[1]}"
    proxies = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), where)
    nothing = {"no_proxy": "", "NO_PROXY": ""}
    with served(folder, TMPDIR=str(temporary), **proxies, **nothing) as address:
        yield address
        assert len([*temporary.glob("metamf-*")]) == 1
    assert not [*temporary.glob("metamf-*")]


def _wait_for(address, server, log):
    for _ in range(300):
        assert server.poll() is None, log.read_text()
        try:
            return urllib.request.urlopen(address, timeout=1).read()
        except OSError:
            time.sleep(0.1)
    raise AssertionError(log.read_text())


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

    ``watch``: a program for the browser, begun before the page is. ``calm``: the visitor wants less motion. At the end
    every visitor forgets the table that was brought, so that no worker is busy with it during the next test; and no
    page may have violated the Content-Security-Policy or have asked another machine for anything.
    """
    contexts, refused, elsewhere = [], [], []

    def open_page(path="", width=1440, height=900, scheme="light", watch=None, calm=False):
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            reduced_motion="reduce" if calm else "no-preference",
        )
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        context.on("console", lambda said: "Security Policy" in said.text and refused.append(said.text))
        page = context.new_page()
        page.on("request", lambda r: r.url.startswith((app, "data:", "blob:")) or elsewhere.append(r.url))
        if watch is not None:
            page.add_init_script(watch)
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
    assert (refused, elsewhere) == ([], [])


def focus(locator):
    """Gives an element the focus once it is seen: one that is still hidden takes none, and says nothing."""
    from playwright.sync_api import expect

    expect(locator).to_be_visible()
    locator.focus()
    expect(locator).to_be_focused()
