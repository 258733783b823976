"""A message of the page before that reaches the server when the visitor has just left it."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_a_late_message_of_the_page_before_does_not_empty_the_page(visit):
    """It names a fragment of the other page, such as one that runs twice a second while something is
    computed. Streamlit runs nothing then, but says that a run of the other page has begun, and what
    the page has drawn is taken off the screen. That word is said again here."""
    page = visit("results")
    sockets, begun = [], []

    def between(socket):
        sockets.append(socket)
        server = socket.connect_to_server()

        def to_page(message):
            socket.send(message)
            if b"/app.py" in message:  # a run has begun
                begun.append(message)

        server.on_message(to_page)

    page.route_web_socket("**/_stcore/stream", between)
    page.goto(page.url.replace("results", "inside"))
    page.get_by_role("button", name="Make the step 100 times as long").click()
    expect(page.locator(".mf-finding").filter(has_text="overflows")).to_be_visible()
    of_fragment = begun[-1]
    page.get_by_role("link", name="Compare").first.click()
    maps = page.locator(".st-key-compare-maps .map-grid").first
    expect(maps).to_be_visible()
    drawn = maps.element_handle()
    sockets[-1].send(of_fragment)
    drawn.wait_for_element_state("hidden")
    expect(maps).to_be_visible()
