"""The player in a real headless Chromium: one state for slider, picture, words and address; no server for a step."""

import re
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect
from served import PATIENCE, focus

pytestmark = pytest.mark.browser

PLAYER = ".st-key-player .mfp"
# What is on the screen, frame by frame: the step of the state, of the slider, of the words next to it, of the heading
# of the picture, and the picture's own colours.
FRAMES = """
(root) => {
  const seen = (window.frames_seen = []);
  const look = () => {
    const canvas = root.querySelector("[data-figure=filled] canvas, .map-figure:nth-of-type(2) canvas");
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    let sum = 0;
    for (let k = 0; k < pixels.length; k++) sum = (31 * sum + pixels[k]) % 2147483647;
    const headings = [...root.querySelectorAll(".map-head span")].map((span) => span.textContent);
    const heading = headings.find((text) => text.startsWith("after "));
    const words = root.querySelector(".mfp-position").textContent;
    const slider = root.querySelector(".mfp-slider").value;
    seen.push([root.dataset.t, slider, words.split(" ")[0], heading.match(/\\d+/)[0], sum].join());
    window.frame_wanted = requestAnimationFrame(look);
  };
  window.look_now = look;
  look();
}
"""


@pytest.fixture(scope="module")
def page(app, browser):
    """One visitor's page for all tests of this file that leave it as they found it."""
    with browser.new_page(viewport={"width": 1440, "height": 900}) as page:
        page.asked, page.sent, page.received = [], [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("websocket", lambda socket: socket.on("framesent", lambda data: page.sent.append(data)))
        page.on("websocket", lambda socket: socket.on("framereceived", lambda data: page.received.append(data)))
        page.goto(f"{app}/?t=3")
        at(page, 3)
        yield page


def at(page, t):
    """Waits until the player shows step ``t``, and for the address to say so."""
    expect(page.locator(PLAYER)).to_have_attribute("data-t", str(t))
    expect(page).to_have_url(re.compile(rf"[?&]t={t}(&|$)"))


def press(page, name):
    page.locator(PLAYER).get_by_role("button", name=name, exact=True).click()


@contextmanager
def no_word_to_the_server(page):
    page.wait_for_function(
        "() => !document.querySelector('[data-testid=stStatusWidget] [data-testid=stStatusWidgetRunningIcon]')"
    )
    before, history = len(page.sent), page.evaluate("history.length")
    yield
    assert len(page.sent) == before, "a step went to the server"
    assert page.evaluate("history.length") == history, "a step is an entry of the history"


def test_the_first_picture_comes_with_nothing_of_plotly_and_a_new_run_without_the_script(page):
    asked = [url.rpartition("/")[2] for url in page.asked]
    assert [name for name in asked if name.startswith("BidiComponent")]
    assert not [name for name in asked if "plotly" in name.lower()]
    assert sum(map(len, page.received)) > 200_000  # the player's script
    before, seed = page.locator(PLAYER).get_attribute("data-run"), page.get_by_role("spinbutton", name="Seed")
    for number in ("2", "0"):
        page.received.clear()
        seed.fill(number)
        seed.press("Enter")
        shown = expect(page.locator(PLAYER))
        (shown.not_to_have_attribute if number == "2" else shown.to_have_attribute)("data-run", before)
        assert sum(map(len, page.received)) < 150_000


def test_buttons_slider_and_keys_move_the_step_without_the_server(page):
    with no_word_to_the_server(page):
        press(page, "Forward")
        at(page, 4)
        for key, t in (("ArrowLeft", 3), ("ArrowRight", 4), ("End", 10), ("Home", 0), ("ArrowLeft", 0)):
            page.keyboard.press(key)
            at(page, t)
        slider = page.locator(PLAYER).get_by_role("slider")
        focus(slider)
        page.keyboard.press("ArrowRight")  # the slider's own key: one step, not two
        at(page, 1)
        expect(slider).to_have_attribute("aria-valuetext", "step 1 of 10")
        press(page, "Forward")
        press(page, "Forward")
        at(page, 3)


def test_a_field_keeps_its_keys(page):
    seed = page.get_by_role("spinbutton", name="Seed")
    focus(seed)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("End")
    press(page, "Back")
    at(page, 2)
    press(page, "Forward")
    at(page, 3)


def test_a_play_shows_every_step_and_nothing_disagrees_in_any_frame(page):
    colours = {}
    with no_word_to_the_server(page):
        page.locator(PLAYER).get_by_text("fast").click()
        page.locator(PLAYER).evaluate(FRAMES)
        press(page, "To the prior")
        at(page, 0)
        press(page, "Play")
        expect(page.locator(PLAYER).get_by_role("button", name="Pause")).to_be_visible()
        at(page, 10)
        expect(page.locator(PLAYER).get_by_role("button", name="Play")).to_be_visible()
        frames = page.evaluate("cancelAnimationFrame(frame_wanted), frames_seen")
        for t in (4, 9):
            page.locator(PLAYER).get_by_role("slider").fill(str(t))
            at(page, t)
            frames.append(page.evaluate("look_now(), cancelAnimationFrame(frame_wanted), frames_seen.at(-1)"))
    frames = [frame.split(",") for frame in dict.fromkeys(frames)]
    steps = []
    for state, slider, words, heading, pixels in frames:
        assert state == slider == words == heading, frames
        assert colours.setdefault(state, pixels) == pixels, f"two pictures of step {state}"
        steps.append(int(state))
    assert [t for t in range(11) if t in steps] == list(range(11)) and len(set(colours.values())) == 11
    page.locator(PLAYER).get_by_role("slider").fill("3")
    at(page, 3)


def test_a_step_is_said_when_it_rests(page):
    spoken = page.locator(f"{PLAYER} .mfp-bar [role=status]")
    press(page, "Back")
    expect(spoken).to_have_text(
        re.compile(r"^Step 2 of 10: typical error on hidden cells \d\.\d\d, on given cells \d\.\d\d\.$")
    )
    press(page, "Forward")
    expect(spoken).to_have_text(re.compile("^Step 3 of 10"))


def test_the_factors_are_one_switch_away_at_the_same_step(page):
    page.get_by_text("Each step in detail", exact=True).click()
    expect(page.locator(f"{PLAYER} .mfp-equation").first).to_be_visible()
    at(page, 3)
    expect(page.get_by_role("link", name="Inside: why a step can be too long")).to_be_visible()  # all of it is there
    press(page, "Forward")
    at(page, 4)
    expect(page.locator(f"{PLAYER} .mfp-formulas")).to_contain_text("Step 5: pull of the ratings")
    for key, t in (("End", 10), ("Home", 0)):
        page.keyboard.press(key)
        at(page, t)
    words, box = page.locator(f"{PLAYER} .mf-term"), page.locator(".mf-meaning")
    expect(words).to_have_text(["prior", "Frobenius norms", "factors", "Residual"])  # each where it stands first
    residual = words.nth(3)
    expect(residual).to_have_accessible_description(re.compile("the error that remains there"))
    focus(residual)
    expect(box).to_contain_text("Estimate minus rating")
    page.keyboard.press("ArrowRight")
    at(page, 1)
    expect(residual).to_be_focused()
    page.keyboard.press("Tab")  # within the player: the page hears of it, too
    expect(box).to_be_hidden()
    words.nth(0).hover()
    expect(box).to_contain_text("factors")
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    page.get_by_text("Each step in detail", exact=True).click()
    expect(page.locator(f"{PLAYER} [data-figure=given]")).to_be_visible()
    at(page, 1)
    page.locator(PLAYER).get_by_role("slider").fill("3")
    at(page, 3)


def test_a_phone_sees_the_picture_on_its_first_screen(visit):
    page = visit("?t=3", width=390, height=844)
    at(page, 3)
    expect(page.locator(".mf-finding")).to_be_in_viewport(ratio=1)  # its number comes before the maps
    expect(page.locator("[data-figure=given] .map-names [data-axis=row]").first).to_be_in_viewport(ratio=1)
    for model in ("ml-1m", "ml-1m-nmf"):
        page = visit(f"?factors=1&t=3&model={model}", width=390, height=844)
        at(page, 3)
        expect(page.locator(".mfp-equation mfrac")).to_have_count(6 * ("nmf" in model))
        for equation in page.locator(".mfp-equation").all():
            expect(equation).to_be_in_viewport(ratio=1)
            size = (
                "e => [parseFloat(getComputedStyle(e.querySelector('math')).fontSize), e.scrollWidth - e.clientWidth]"
            )
            letters, beyond = equation.evaluate(size)
            assert letters >= 14 and beyond <= 0


def test_a_run_that_was_taken_away_plays_without_network(page, browser, tmp_path):
    with page.expect_download(timeout=PATIENCE) as download:
        page.get_by_role("button", name="Save").click()
        page.get_by_role("link", name="This run as a page").click()
    assert download.value.suggested_filename == "film-night-film-nights.html"
    download.value.save_as(tmp_path / "run.html")
    assert (tmp_path / "run.html").stat().st_size < 5_000_000
    with browser.new_page(offline=True, reduced_motion="reduce") as saved:
        said = []
        saved.on("console", lambda message: said.append(message.text))
        saved.on("pageerror", lambda error: said.append(str(error)))
        saved.goto((tmp_path / "run.html").as_uri())
        player = saved.locator(".mfp")
        expect(player).to_have_attribute("data-t", "10")
        expect(player.get_by_role("radio", name="slow")).to_be_checked()  # less motion is wanted
        player.get_by_text("fast").click()
        player.get_by_role("button", name="Play").click()
        expect(player).not_to_have_attribute("data-t", "10")
        expect(player).to_have_attribute("data-t", "10")
        assert not said
