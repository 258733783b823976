"""The application in a real headless Chromium: what a visitor sees, by mouse, by keys, on a phone and in the dark."""

import json
import re

import pytest
from made_up import ratings_log
from playwright.sync_api import expect
from served import served

CELLS = ".js-plotly-plot .heatmaplayer image"

pytestmark = pytest.mark.browser


def step(page):
    return page.locator(".st-key-t input[type=range]")


# The step that a figure shows, null while it is not there or not drawn.
SHOWN = """key => {
  const chart = document.querySelector(`.st-key-${key} .js-plotly-plot`)
  const maps = chart?.data?.filter(trace => trace.type === "heatmap").length
  return chart?.querySelectorAll(".heatmaplayer image").length === maps ? chart?.layout?.meta?.step ?? null : null
}"""


def drawn(page, t, key="filled"):
    """The pixels of a figure, as soon as it shows step ``t``."""
    pixels = f"""([key, t]) => ({SHOWN})(key) === t &&
      [...document.querySelectorAll(`.st-key-${{key}} .heatmaplayer image`)].map(image => image.getAttribute("href"))"""
    return tuple(page.wait_for_function(pixels, arg=[key, t], timeout=60_000).json_value())


# What is on the screen, frame by frame: [the step of the picture, that of its heading, that of the slider].
FRAMES = f"""
window.frames_seen = []
const shown = {SHOWN}
const look = () => {{
  const heading = [...document.querySelectorAll(".mf-panel span")].map(span => span.textContent)
    .find(text => text.startsWith("after "))?.match(/\\d+/)[0] ?? null
  const slider = document.querySelector(".st-key-t input[type=range]")?.value ?? null
  const seen = JSON.stringify([shown("filled"), heading && +heading, slider && +slider])
  if (seen !== window.frames_seen.at(-1)) window.frames_seen.push(seen)
  requestAnimationFrame(look)
}}
look()
"""


def test_the_page_opens_with_a_result_fills_in_by_itself_and_asks_nobody_else(visit):
    page = visit("?sweeps=8", watch=FRAMES)
    expect(page.locator(CELLS).first).to_be_visible()
    expect(page.locator(".mf-finding")).to_contain_text("56 of 280 cells")
    expect(page.locator(".mf-tiles b").first).to_have_text(re.compile(r"^\d\.\d\d$"))
    height = page.locator("[data-testid=stMain]").evaluate("main => main.scrollHeight")
    expect(page.locator(".mf-panel", has_text="after sweep 8 of 8")).to_be_visible()
    drawn(page, 8)
    assert page.locator("[data-testid=stMain]").evaluate("main => main.scrollHeight") == height  # nothing jumps
    assert page.requested_elsewhere == []
    frames = [json.loads(frame) for frame in page.evaluate("window.frames_seen")]
    pictures = [picture for picture, _, _ in frames if picture is not None]
    assert list(dict.fromkeys(pictures)) == sorted(set(pictures)) == list(range(9))  # each is seen, in their order
    shown = -1
    for picture, heading, slider in frames:  # nothing is further than the step that is being drawn
        shown = shown if picture is None else picture
        assert heading in (None, shown, shown + 1) and slider in (None, shown - 1, shown, shown + 1), frames
    expect(step(page)).to_have_value("8")


def test_the_step_control_moves_by_buttons_and_arrow_keys(visit):
    page = visit("?model=MovieLens+1M&t=5")
    expect(step(page)).to_have_value("5")
    seen = [drawn(page, 5)]
    page.locator(".st-key-forward button").click()
    expect(page.locator(".mf-panel", has_text="after step 6 of 10")).to_be_visible()
    seen.append(drawn(page, 6))
    for t in (5, 4):
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".mf-panel", has_text=f"after step {t} of 10")).to_be_visible()
    seen.append(drawn(page, 4))
    assert len(set(seen)) == 3
    expect(page).to_have_url(re.compile("t=4"))
    step(page).focus()
    page.keyboard.press("ArrowRight")  # the slider's own key: one step, not two
    expect(step(page)).to_have_value("5")
    page.get_by_role("radio", name="fast").click()
    page.locator(".st-key-play button").click()
    expect(page.locator(".st-key-play button")).to_contain_text("Pause")
    expect(page.locator(".mf-panel", has_text="after step 10 of 10")).to_be_visible()
    expect(page.locator(".st-key-play button")).to_contain_text("Play")


def test_the_step_survives_the_way_to_another_page(visit):
    page = visit("?t=3")
    expect(page.locator(CELLS).first).to_be_visible()
    page.get_by_role("link", name="Watch").click()
    expect(page.locator(".mf-panel", has_text="U(3) V(3)")).to_be_visible()
    expect(page.locator(CELLS).nth(8)).to_be_attached()


def test_the_lesson_shows_how_a_step_that_is_too_long_diverges(visit):
    page = visit("watch?t=2")
    expect(page.locator(".mf-panel", has_text="U(2) V(2)")).to_be_visible()
    page.locator(".st-key-lesson button").click()
    expect(page.locator(".mf-finding")).to_contain_text("leaves no numbers at all")
    expect(page.locator(".mf-panel", has_text="no numbers are left")).to_be_visible()
    expect(page.locator(".st-key-rules")).to_contain_text(re.compile(r"overflow at step \d"))
    expect(page).to_have_url(re.compile(r"data=Full\+house.*model=MovieLens\+1M|model=MovieLens\+1M.*data=Full\+house"))
    expect(page.locator(".st-key-fixed_step .js-plotly-plot")).to_be_visible()
    for t in range(9, 3, -1):
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".mf-panel", has_text=f"U({t}) V({t})")).to_be_visible()
    expect(page.locator(".mf-panel", has_text="no numbers are left")).to_have_count(0)
    expect(page.locator(".st-key-fixed_step .heatmaplayer image").last).to_be_attached()


def test_the_step_control_stays_in_sight(visit):
    page = visit("watch?t=3", height=700)
    expect(page.locator(CELLS).nth(8)).to_be_attached()
    page.locator("[data-testid=stMain]").evaluate("main => main.scrollTo(0, 600)")
    expect(page.locator(".st-key-play button")).to_be_in_viewport()
    box = page.locator(".st-key-control").bounding_box()
    assert 0 < box["y"] < 100


def test_a_link_to_any_page_opens_it_in_the_frame_of_the_app(visit):
    for path, title in (("watch", "Watch it adapt"), ("compare", "Is it worth it?")):
        page = visit(path)
        expect(page.get_by_role("heading", name=title)).to_be_visible()
        expect(page.get_by_text("How many of them")).to_be_visible()


def test_the_first_visitor_of_a_fresh_server_may_come_by_a_link_to_a_page(browser, tmp_path):
    with served(tmp_path) as address:
        page = browser.new_page()
        page.goto(f"{address}/watch")
        expect(page.get_by_role("heading", name="Watch it adapt")).to_be_visible()
        expect(page.get_by_text("How many of them")).to_be_visible()
        assert page.get_by_text("Page not found").count() == 0
        page.close()


def test_an_upload_is_understood_and_shown(visit):
    page = visit("?data=Your+own+file&keep=100")
    table = b"name;Tea;Coffee;Juice\nAda;4,5;;3\nBen;1;2;\nCleo;;5;4\n"
    chooser = page.locator(".stFileUploader input")
    chooser.set_input_files({"name": "drinks.csv", "mimeType": "text/csv", "buffer": table})
    expect(page.locator(".mf-finding")).to_contain_text("From 6 of 9 cells")
    for shown in ("Tea", "Coffee", "Juice", "Ada", "Ben", "Cleo", "4.5"):
        expect(page.locator(".st-key-given")).to_contain_text(shown)


@pytest.mark.slow
def test_a_million_ratings_are_uploaded_and_estimated(visit):
    page = visit("?data=Your+own+file&model=Universal")
    expect(page.get_by_text("Files up to 32 MB")).to_be_visible()
    file = {"name": "log.csv", "mimeType": "text/csv", "buffer": ratings_log(1_000_209, 6040, 3706)}
    page.locator(".stFileUploader input").set_input_files(file)
    expect(page.get_by_text(re.compile("Reading 2\\d MB"))).to_be_visible(timeout=60_000)
    expect(page.locator(".mf-finding")).to_contain_text("From 500,105 of 22,384,240 cells", timeout=120_000)
    expect(page.locator(".mf-panel", has_text="after sweep 4 of 4")).to_be_visible(timeout=60_000)
    expect(page.locator(".st-key-filled .heatmaplayer image").first).to_be_attached()
    expect(page.locator(".mf-panel", has_text="of 500,104 hidden cells inside")).to_be_visible()
    page.get_by_role("textbox", name="First row").or_(page.get_by_label("First row")).first.fill("5000")
    page.keyboard.press("Enter")
    expect(page.locator(".mf-note")).to_contain_text("rows 5,000 to 5,299")


def test_a_bad_file_gives_one_sentence_and_no_traceback(visit):
    page = visit("?data=Your+own+file")
    chooser = page.locator(".stFileUploader input")
    chooser.set_input_files({"name": "bad.csv", "mimeType": "text/csv", "buffer": b"a,b,c\n1,2,3\n4,lots,1\n2,,5\n"})
    expect(page.locator(".mf-note", has_text='"lots" is not a number')).to_be_visible()
    expect(page.locator(".mf-note")).to_have_count(1)
    assert page.locator(".stException, [data-testid=stException]").count() == 0
    assert "Traceback" not in page.content()


@pytest.mark.parametrize("path", ["?t=3", "watch", "compare"])
def test_a_phone_scrolls_only_downwards(visit, path):
    page = visit(path, width=390, height=844)
    expect(page.locator(CELLS).first).to_be_visible()
    for frame in ("document.documentElement", "document.querySelector('[data-testid=stMain]')"):
        assert page.evaluate(f"{frame}.scrollWidth") <= 390
    box = page.locator(".js-plotly-plot").first.bounding_box()
    assert box["width"] > 300 and box["x"] >= 0 and box["x"] + box["width"] <= 390


@pytest.mark.parametrize("path", ["your_table", "paper"])
def test_pages_without_controls_can_be_left_on_a_phone(visit, path):
    page = visit(path, width=390, height=844)
    page.get_by_test_id("stExpandSidebarButton").click()
    link = page.get_by_test_id("stSidebarNavLink").filter(has_text="Compare")
    expect(link).to_be_in_viewport()
    expect(page.get_by_test_id("stSidebarUserContent")).to_be_hidden()
    link.click()
    expect(page.get_by_role("heading", name="Is it worth it?")).to_be_visible()


@pytest.mark.parametrize("width", [768, 1440])
@pytest.mark.parametrize("path", ["your_table", "paper"])
def test_controls_that_a_page_does_not_obey_are_out_of_sight(visit, path, width):
    page = visit(path, width=width)
    expect(page.get_by_test_id("stTopNavLink")).to_have_count(5)
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    page.get_by_test_id("stTopNavLink").filter(has_text="Fill in").click()
    expect(page.locator(CELLS).first).to_be_visible()
    expect(page.get_by_test_id("stSidebarUserContent")).to_be_visible(visible=width > 768)


def light(colour):
    """Of rgb(...), from 0 to 255."""
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3


def test_the_dark_theme_is_dark_and_its_text_is_light(visit):
    page = visit("?t=3", scheme="dark")
    expect(page.locator(CELLS).first).to_be_visible()
    style = "element => [getComputedStyle(element).backgroundColor, getComputedStyle(element).color]"
    background, text = page.locator(".stApp").evaluate(style)
    assert light(background) < 40 and light(text) > 200
    control, _ = page.locator(".st-key-control").evaluate(style)
    assert control == background  # it stays above what scrolls below it
    tick = page.locator(".st-key-given .ytick text").first.evaluate("element => getComputedStyle(element).fill")
    assert light(tick) > 150


def test_a_grid_follows_what_is_typed(visit):
    page = visit("?data=Your+own+grid&keep=100&t=3")
    expect(page.locator(CELLS).first).to_be_visible()
    expect(page.locator(".mf-finding")).to_contain_text("From 14 of 20 cells")
    box = page.locator("[data-testid=stDataFrame] canvas").first.bounding_box()
    page.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + 3.5 * 35)  # Cleo has not rated Water
    expect(page.locator("[data-testid=stDataFrame] td[aria-selected=true]")).to_be_attached()
    page.keyboard.type("2")
    expect(page.locator("#portal input")).to_have_value("2")
    page.keyboard.press("Enter")
    expect(page.locator(".mf-finding")).to_contain_text("From 15 of 20 cells")
