"""What the player draws, in headless Chromium without the application: lit lines, factors, keys,
files. Layouts, words and colours have unit tests in tests/webapp/player/js."""

import pytest
from drawn_scene import DARK, draw, figure, page, payload  # noqa: F401  a fixture
from playwright.sync_api import expect
from served import focus

pytestmark = pytest.mark.browser

# The sum of a figure's pixels: equal pictures, equal sums.
PIXELS = """id => {
  const canvas = document.querySelector(`[data-figure=${id}] canvas`);
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let sum = 0;
  for (const pixel of new Uint32Array(data.buffer)) sum = (Math.imul(31, sum) + pixel) | 0;
  return sum;
}"""


@pytest.fixture(scope="module")
def edited():
    """A run next to another one as that on the data."""
    other = payload("jester", 4) | {"by": "your edits"}
    pinned = {name: other[name] for name in ("U", "V", "mean", "std", "by")}
    return payload("ml-1m", 4) | {"pinned": pinned}


@pytest.fixture(scope="module")
def plain(edited):
    return edited | {"pinned": None}


def hover(page, name, x, y):
    """Moves the pointer to a place in a figure; ``x`` and ``y`` are shares of its plot."""
    figure(page, name).scroll_into_view_if_needed()
    box = figure(page, name).locator(".map-grid").bounding_box()
    page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])


@pytest.mark.parametrize("scene, name", [("fill", "filled"), ("watch", "now")])
def test_every_step_has_its_picture(page, plain, scene, name):
    pictures = []
    for t in (0, 1, 2, 3, 4, 0):
        draw(page, plain, scene, t)
        pictures.append(page.evaluate(PIXELS, name))
    assert len(set(pictures)) == 5
    assert pictures[0] == pictures[-1]


def test_another_theme_redraws_the_maps(page, plain):
    draw(page, plain, "fill")
    light = page.evaluate(PIXELS, "error")
    page.evaluate("theme", DARK)
    page.wait_for_function(f"light => ({PIXELS})('error') !== light", arg=light)


def test_a_cell_under_the_pointer_is_lit_in_all_maps(page, plain):
    draw(page, plain, "fill")
    hover(page, "filled", 0.5, 0.8)
    tip = page.locator(".map-tip")
    expect(tip).to_contain_text("estimate after step 4 of 4")
    row, col = page.evaluate("[state.hover.row, state.hover.col]")
    assert tip.locator("b").all_text_contents() == [plain["rows"][row], plain["cols"][col]]
    for name in ("given", "filled", "error"):
        expect(figure(page, name).locator(".map-band")).to_have_count(2)
        lit = figure(page, name).locator(".map-names .map-lit").last
        expect(lit).to_contain_text(plain["cols"][col][:5])
    hover(page, "given", 0.05, 0.9)  # a row's name
    assert page.evaluate("[state.hover.row !== null, state.hover.col]") == [True, None]
    expect(tip).to_have_text(plain["rows"][page.evaluate("state.hover.row")])
    expect(figure(page, "error").locator(".map-band")).to_have_count(1)
    page.mouse.move(1, 1)
    expect(tip).to_be_hidden()
    expect(page.locator(".map-band")).to_have_count(0)


def test_a_click_chooses_a_cell_and_a_click_on_a_curve_a_step(page, plain):
    draw(page, plain, "watch")
    hover(page, "residual", 0.6, 0.6)
    page.mouse.down()
    page.mouse.up()
    assert page.evaluate("state.cell") == page.evaluate("[state.hover.row, state.hover.col]")
    figure(page, "curves").locator("[data-step='2']").click()
    assert page.evaluate("state.t") == 2
    expect(figure(page, "now").locator("b")).to_have_text("U(2) V(2)ᵀ")


def test_keys_reach_cells_and_factors_which_are_lit_and_said(page, plain):
    draw(page, plain, "fill")
    draw(page, plain, "watch", 2)  # another scene is another player
    rows, cols, now = plain["rows"], plain["cols"], figure(page, "now")
    grid, spoken = now.locator(".map-grid"), page.locator(".map-spoken")

    def pressed(*keys):
        focus(grid)
        for key in keys:
            page.keyboard.press(key)

    page.keyboard.press("Tab")
    pressed("ArrowDown", "ArrowRight")
    expect(spoken).to_contain_text(f"{rows[1]}; {cols[1]}; ")
    pressed("Enter")
    expect(page.locator(".mfc-sheet h2")).to_be_focused()  # the sheet takes it when it is drawn
    expect(figure(page, "residual").locator(".map-chosen")).to_have_count(1)
    assert page.evaluate("state.cell") == [1, 1]
    pressed("ArrowUp")
    page.wait_for_function("state.cell[0] === 0")  # while a cell is chosen, keys choose
    page.evaluate("dispatch({ type: 'select', cell: null })")
    pressed("ArrowDown", "ArrowLeft", "ArrowLeft")
    expect(spoken).to_contain_text(f"{rows[1]}; factor 32: ")
    expect(page.locator(".map-tip")).to_contain_text("factor 32: ")
    expect(now.locator(".map-pointed")).to_have_count(1)
    pressed("ArrowRight", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowRight")
    expect(spoken).to_contain_text(f"{cols[1]}; factor 31: ")
    assert page.evaluate("state.t") == 2  # arrows in a map are not steps


def test_a_scene_that_goes_leaves_nothing_to_be_done(page, plain):
    draw(page, plain, "fill")
    choose_and_go = """async (run) => {
      for (const row of [1, 2, 3]) await dispatch({ type: "select", cell: [row, 1] });
      draw(run, "given");
    }"""
    page.evaluate(choose_and_go, plain)
    page.wait_for_timeout(300)  # longer than the maps need to make room for a sheet
    assert page.troubles == []


def test_the_maps_are_saved_as_a_png_three_times_as_fine(page, plain):
    draw(page, plain, "watch", 2)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the maps as PNG").click()
    assert saved.value.suggested_filename == "metamf-film-night-watch-step-2.png"
    content = saved.value.path().read_bytes()
    width, height = (int.from_bytes(content[at : at + 4]) for at in (16, 20))
    assert content[:4] == b"\x89PNG"
    shown = page.locator(".map-figure canvas").first.bounding_box()["width"]
    assert width > 3 * 2 * shown
    assert height > 1500


def test_one_key_and_one_control_turn_to_what_the_edits_changed(page, edited, plain):
    estimates = page.get_by_role("radio", name="estimates", exact=True)
    draw(page, edited, "fill")
    expect(estimates).to_be_checked()
    page.keyboard.press("d")
    expect(page.get_by_role("radio", name="what changed")).to_be_checked()
    expect(figure(page, "filled")).to_have_count(0)
    page.keyboard.press("ArrowLeft")  # no control has the focus: a step back
    expect(figure(page, "difference").locator(".map-head span")).to_have_text("after step 3 of 4")
    focus(estimates)
    page.keyboard.press("Space")
    expect(figure(page, "filled")).to_be_visible()
    draw(page, plain, "fill")
    expect(estimates).to_be_hidden()  # nothing to compare with


def test_every_control_is_reached_by_tab_and_shows_its_focus(page, edited):
    draw(page, edited, "watch")
    page.evaluate("document.activeElement.blur()")
    outline = """() => {
      const focused = document.activeElement;
      const around = [focused, focused.closest("label"), focused.nextElementSibling].filter(Boolean);
      const seen = around.some((element) => getComputedStyle(element).outlineStyle === "solid");
      return focused === document.body ? null : [focused.tagName, focused.className || focused.type, seen];
    }"""
    stops = []
    page.keyboard.press("Tab")
    while (stop := page.evaluate(outline)) is not None and len(stops) < 80:
        stops.append(stop)
        page.keyboard.press("Tab")
    assert [stop for stop in stops if not stop[2]] == []
    kinds = [kind for _, kind, _ in stops]
    expected = {"map-grid": 4, "radio": 2, "mfp-slider": 1, "map-button map-save": 1}
    assert {kind: kinds.count(kind) for kind in expected} == expected
