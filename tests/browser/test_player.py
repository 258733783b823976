"""The player in a real headless Chromium: one state for slider, picture, words and address; no
server for a step."""

import re
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect
from served import focus

pytestmark = pytest.mark.browser

PLAYER = ".st-key-player .mfp"
# Drags a slider from 31 to 40, one percent a frame, and returns the run of each frame.
DRAG = """
async (slider) => {
  const root = slider.closest(".mfp");
  const runs = [];
  for (let share = 31; share <= 40; share++) {
    slider.value = String(share);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    runs.push(root.dataset.run);
  }
  return runs;
}
"""


@pytest.fixture(scope="module")
def page(app, browser):
    """One visitor's page for all tests of this file that leave it as they found it."""
    with browser.new_page(viewport={"width": 1280, "height": 720}) as page:
        page.sent = []
        page.on(
            "websocket", lambda socket: socket.on("framesent", lambda data: page.sent.append(data))
        )
        page.goto(f"{app}/?t=3")
        at(page, 3)
        yield page


@pytest.fixture(scope="module")
def player(page):
    return page.locator(PLAYER)


def at(page, t):
    """Waits until the player shows step ``t``, and for the address to say so."""
    expect(page.locator(PLAYER)).to_have_attribute("data-t", str(t))
    expect(page).to_have_url(re.compile(rf"[?&]t={t}(&|$)"))


@contextmanager
def no_word_to_the_server(page):
    page.wait_for_function(
        "() => !document.querySelector('[data-testid=stStatusWidget] "
        "[data-testid=stStatusWidgetRunningIcon]')"
    )
    before, history = len(page.sent), page.evaluate("history.length")
    yield
    assert len(page.sent) == before, "a step went to the server"
    assert page.evaluate("history.length") == history, "a step is an entry of the history"


# texts that are seen above the first map, without the names of icons and the link for keyboards
WORDS = """map => {
  const top = map.getBoundingClientRect().top;
  const found = [];
  const unseen = "style, [data-testid*=Icon], a[href^='#']";
  const look = node => {
    const within = node.parentElement;
    if (node.nodeType === Node.TEXT_NODE && within?.checkVisibility() && !within.closest(unseen)) {
      const range = document.createRange();
      range.selectNodeContents(node);
      const box = range.getBoundingClientRect();
      if (Math.min(box.width, box.height) > 2 && box.right > 0 && box.top < top) found.push(node.textContent);
    }
    node.shadowRoot?.childNodes.forEach(look);
    node.childNodes.forEach(look);
  };
  look(document.body);
  return found.join(" ");
}"""


def test_the_first_screen_has_few_words_above_its_maps(page, player):
    at(page, 3)
    above = player.locator("[data-figure=given]").evaluate(WORDS)
    assert "Who would like what?" in above
    assert "misses by" in above
    assert len(re.findall(r"\w[\w.’-]*", above)) <= 70, above


def test_all_rows_of_the_four_maps_are_in_the_first_screen(player):
    for name in ("given", "mf", "filled", "truth"):
        box = player.locator(f"[data-figure={name}] .map-plot").bounding_box()
        assert box["y"] + box["height"] <= 720
        assert box["x"] + box["width"] <= 1280


def test_a_step_by_slider_key_or_play_is_said_and_needs_no_server(page, player):
    slider = player.get_by_role("slider", name="Step")
    with no_word_to_the_server(page):
        for key, t in (("ArrowRight", 4), ("End", 10), ("Home", 0), ("ArrowLeft", 0)):
            page.keyboard.press(key)
            at(page, t)
        focus(slider)
        page.keyboard.press("ArrowRight")  # the slider's own key: one step, not two
        at(page, 1)
        expect(slider).to_have_attribute("aria-valuetext", "step 1 of 10")
        slider.fill("7")
        player.get_by_role("button", name="Play", exact=True).click()
        expect(player.locator(".mfp-line")).not_to_be_empty()
        expect(player.locator("[data-figure=filled]")).to_contain_text("4 numbers a")
        at(page, 10)
        expect(player.get_by_role("button", name="Play")).to_be_visible()
        slider.fill("3")
        at(page, 3)
    expect(player.locator(".mfp-bar [role=status]")).to_have_text(re.compile("^Step 3 of 10"))


def test_a_drag_of_the_share_is_followed_in_every_frame_and_told_to_the_server_once(page, player):
    run = player.get_attribute("data-run")
    sent = len(page.sent)
    share = player.locator(".mfp-share input")
    frames = share.evaluate(DRAG)
    assert len(set(frames)) == len(frames) == 10
    expect(page).to_have_url(re.compile(r"[?&]keep=40(&|$)"))
    assert 1 <= len(page.sent) - sent <= 3
    player.get_by_role("slider", name="Step").fill("10")
    finding = player.locator(".mfp-finding")
    expect(finding).to_contain_text("After 10 steps")
    own = re.search(r"misses by (\d\.\d\d)", finding.text_content())[1]
    expect(page.locator(".mf-finding")).to_contain_text(f"off by {own} stars")  # the server's run
    player.get_by_role("slider", name="Step").fill("3")
    share.fill("30")
    expect(player).to_have_attribute("data-run", run)
    expect(page).not_to_have_url(re.compile(r"[?&]keep="))
