"""The page "Paper" in a browser."""

import pytest
from playwright.sync_api import expect

TITLE = b"measured again"


@pytest.mark.browser
def test_the_page_in_a_browser(visit):
    page = visit("paper", width=390, height=844)
    expect(page.get_by_role("heading", name="The paper's tables, measured again")).to_be_visible()
    expect(page.locator("h2.mf-section")).to_have_count(1, timeout=60_000)
    for frame in ("document.documentElement", "document.querySelector('[data-testid=stMain]')"):
        assert page.evaluate(f"{frame}.scrollWidth") <= 390
    page.get_by_text("All numbers, beside the paper's").click()
    numbers = page.locator(".mf-numbers").first
    expect(numbers).to_contain_text("0.895 ± 0.033")
    page.get_by_role("radio", name="absolute error").click()
    expect(numbers).to_contain_text("0.901 ± 0.033", timeout=60_000)
    page.get_by_role("button", name="Figure 5").click()
    expect(page.get_by_role("heading", name="The number of MAP steps")).to_be_attached()
    answers = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda answer: answers.append(answer)))
    page.reload()  # keeps what is open
    expect(page.get_by_role("heading", name="The number of MAP steps")).to_be_attached()
    assert any(TITLE in answer for answer in answers)  # a run of the whole page draws its title
    answers.clear()
    page.get_by_role("radio", name="ratio to Mean").click()
    expect(numbers).to_contain_text("0.895 ± 0.033", timeout=60_000)
    assert answers and not any(TITLE in answer for answer in answers)  # a switch redraws what it changes
    assert not page.requested_elsewhere
