"""A message of the page before that reaches the server when the visitor has just left it."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_a_late_message_of_the_page_before_does_not_empty_the_page(visit):
    """It names a fragment of the other page, such as one that runs twice a second while something is
    computed; Streamlit takes what the page has drawn off the screen then, and runs nothing."""
    page = visit("results")
    sent, late, due = [], [], []

    def between(socket):
        server = socket.connect_to_server()

        def to_server(message):
            sent.append(message)
            server.send(message)
            due.extend(late)
            late.clear()

        def to_page(
            message,
        ):  # the first one after that says that the run of the new page has begun
            socket.send(message)
            while due:
                server.send(due.pop())

        socket.on_message(to_server)
        server.on_message(to_page)

    page.route_web_socket("**/_stcore/stream", between)
    page.goto(page.url.replace("results", "inside"))
    page.get_by_role("button", name="Make the step 100 times as long").click()
    expect(page.locator(".mf-finding").filter(has_text="overflows")).to_be_visible()
    late.append(sent[-1])
    with page.expect_event("console", lambda said: said.text == "emptied"):
        page.evaluate(
            """() => new MutationObserver((_, observer) => {
                if (document.querySelector(".st-key-compare-maps")) globalThis.drawn = true;
                else if (globalThis.drawn) { observer.disconnect(); console.log("emptied"); }
            }).observe(document.body, { childList: true, subtree: true })"""
        )
        page.get_by_role("link", name="Compare").first.click()
    expect(page.locator(".st-key-compare-maps .map-grid").first).to_be_visible()
