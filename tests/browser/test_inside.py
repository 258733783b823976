"""The page Inside in a browser: one visit through its three sections."""

import re

import pytest
from playwright.sync_api import expect


@pytest.mark.browser
def test_a_visit_through_the_sections(visit):
    page = visit("inside?race_eta=3")
    expect(page.get_by_role("heading", name="The same steps from other starts")).to_be_visible()
    expect(page.locator(".st-key-figure-race .js-plotly-plot")).to_be_visible()
    page.get_by_role("button", name="Make the step 30 times as long").click()
    expect(page.locator(".mf-finding")).to_contain_text("leaves no numbers at all")
    expect(page).to_have_url(re.compile("race_eta=30"))

    page.get_by_role("radio", name="Inside the network").click()
    expect(page.locator(".mf-finding")).to_contain_text("the five terms add up to")
    expect(page).to_have_url(re.compile(r"experiment=Inside"))
    said = page.locator(".mf-finding").inner_text()
    chart = page.locator(".st-key-channel-map .js-plotly-plot")
    expect(chart.locator(".heatmaplayer image").last).to_be_attached()
    cell = page.evaluate(  # where the map has row 12, column 9, in pixels of the page
        """() => {
          const chart = document.querySelector(".st-key-channel-map .js-plotly-plot")
          const { _fullLayout: { xaxis, yaxis } } = chart, box = chart.getBoundingClientRect()
          return [box.x + xaxis._offset + xaxis.d2p(9), box.y + yaxis._offset + yaxis.d2p(12)]
        }"""
    )
    page.mouse.move(*cell)
    page.mouse.click(*cell)
    expect(page.locator(".mf-finding")).not_to_have_text(said)
    expect(page.get_by_label("Row", exact=True)).to_have_value("12")
    expect(page.get_by_label("Column", exact=True)).to_have_value("9")

    page.get_by_role("radio", name="No shared rows or columns").click()
    expect(page.locator(".mf-finding")).to_contain_text("everybody gets the same answer")
    expect(page.locator(".js-plotly-plot")).to_have_count(6)
    page.set_viewport_size({"width": 390, "height": 844})
    for frame in ("document.documentElement", "document.querySelector('[data-testid=stMain]')"):
        assert page.evaluate(f"{frame}.scrollWidth") <= 390
    assert not page.requested_elsewhere
