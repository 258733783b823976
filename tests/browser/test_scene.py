"""What the player draws, in headless Chromium without the application: maps, factors, lit lines, tables, files."""

import xml.etree.ElementTree as ElementTree

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
BOXES = """() => [...document.querySelectorAll("[data-figure], .map-plot, .map-legend, .map-foot")].map((element) => {
  const { x, y, width, height } = element.getBoundingClientRect();
  return [x, y, width, height].join();
})"""


@pytest.fixture(scope="module")
def paper():
    return payload("ml-1m", 10)


@pytest.fixture(scope="module")
def universal():
    names = ("<img src=x onerror=alert(1)>", "", "Ana", "Ana", "\u202eevil", "x" * 300, *map(str, range(14)))
    wines = tuple(f"Weißburgunder 20{10 + k} Spätlese trocken" for k in range(12))
    return payload("universal", 2, row_labels=names, col_labels=wines)


def picture(page, name):
    return figure(page, name).get_by_role("img").first


def hover(page, name, x, y):
    """Moves the pointer to a place in a figure; ``x`` and ``y`` are shares of its plot."""
    figure(page, name).scroll_into_view_if_needed()
    box = figure(page, name).locator(".map-grid").bounding_box()
    page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])


def test_every_step_has_its_picture_and_nothing_moves(page, paper):
    for scene, name, still in (("fill", "filled", "given"), ("watch", "now", "prior")):
        draw(page, paper, scene, 0)
        boxes, fixed, pictures = page.evaluate(BOXES), page.evaluate(PIXELS, still), []
        for t in range(11):
            page.evaluate("t => dispatch({ type: 'go', t })", t)
            pictures.append(page.evaluate(PIXELS, name))
            assert page.evaluate(BOXES) == boxes and page.evaluate(PIXELS, still) == fixed
        assert len(set(pictures)) == 11
        page.evaluate("dispatch({ type: 'go', t: 0 })")
        assert page.evaluate(PIXELS, name) == pictures[0]


def test_a_cell_under_the_pointer_is_lit_in_all_maps(page, paper):
    draw(page, paper, "fill")
    hover(page, "filled", 0.5, 0.8)
    tip = page.locator(".map-tip")
    expect(tip).to_contain_text("estimate after step 10 of 10")
    row, col = page.evaluate("[state.hover.row, state.hover.col]")
    assert tip.locator("b").all_text_contents() == [paper["rows"][row], paper["cols"][col]]
    for name in ("given", "filled", "error"):
        expect(figure(page, name).locator(".map-band")).to_have_count(2)
        expect(figure(page, name).locator(".map-names .map-lit").last).to_contain_text(paper["cols"][col][:5])
    hover(page, "given", 0.05, 0.9)  # a row's name
    assert page.evaluate("[state.hover.row !== null, state.hover.col]") == [True, None]
    expect(tip).to_have_text(paper["rows"][page.evaluate("state.hover.row")])
    expect(figure(page, "error").locator(".map-band")).to_have_count(1)
    page.mouse.move(1, 1)
    expect(tip).to_be_hidden()
    expect(page.locator(".map-band")).to_have_count(0)


def test_cells_are_reached_by_keys(page, paper):
    draw(page, paper, "fill")
    page.keyboard.press("Tab")
    focus(figure(page, "given").locator("summary"))
    page.keyboard.press("Shift+Tab")
    expect(figure(page, "given").locator(".map-grid")).to_be_focused()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    assert page.evaluate("[state.hover.row, state.hover.col, state.cell]") == [2, 1, None]
    expect(page.locator(".map-spoken")).to_contain_text(f"{paper['rows'][2]}; {paper['cols'][1]}; ")
    page.keyboard.press("Enter")
    assert page.evaluate("state.cell") == [2, 1]
    page.keyboard.press("ArrowUp")
    assert page.evaluate("state.cell") == [1, 1]
    expect(figure(page, "error").locator(".map-chosen")).to_have_count(1)
    assert page.evaluate("state.t") == 10  # arrows in a map are not steps


def test_a_click_chooses_a_cell_and_a_click_on_a_curve_a_step(page, paper):
    draw(page, paper, "watch")
    hover(page, "residual", 0.6, 0.6)
    page.mouse.down()
    page.mouse.up()
    row, col = page.evaluate("state.cell")
    assert [row, col] == page.evaluate("[state.hover.row, state.hover.col]")
    figure(page, "curves").locator("[data-step='4']").click()
    assert page.evaluate("state.t") == 4
    expect(figure(page, "now").locator("b")).to_have_text("U(4) V(4)ᵀ")


def test_another_theme_redraws_the_maps(page, paper):
    draw(page, paper, "fill")
    light = page.evaluate(PIXELS, "error")
    page.evaluate("theme", DARK)
    page.wait_for_function(f"light => ({PIXELS})('error') !== light", arg=light)
    colour = "() => getComputedStyle(document.querySelector('[data-figure=given] .map-names text')).fill"
    assert page.evaluate(colour) == "rgb(233, 231, 225)"


def test_a_scene_is_saved_as_svg_and_as_png(page, paper):
    draw(page, paper, "watch", 2)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save all figures as SVG").click()
    assert saved.value.suggested_filename == "metamf-film-night-watch-step-2.svg"
    drawing = ElementTree.parse(saved.value.path())
    texts = [element.text for element in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert {"U(2) V(2)ᵀ", "U(2)", "V(2)ᵀ", *paper["rows"]} <= set(texts)
    assert not list(drawing.iter("{http://www.w3.org/2000/svg}image"))
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save all figures as PNG").click()
    content = saved.value.path().read_bytes()
    width, height = (int.from_bytes(content[at : at + 4]) for at in (16, 20))
    assert content[:4] == b"\x89PNG" and width > 1500 and height > 1500


def test_names_from_outside_are_text_and_differ(page, universal):
    draw(page, universal, "watch")
    hover(page, "now", 0.7, 0.55)
    figure(page, "residual").locator("summary").click()
    expect(figure(page, "residual").get_by_role("table")).to_contain_text("<img src=x onerror=alert(1)>")
    assert page.locator("#room img, #room script").count() == 0
    for name in ("now", "residual"):
        for axis, count in (("row", 20), ("col", 12)):
            first = {"now": "prior"}.get(name, name)  # of a row; only this one has the names of the rows
            names = (
                figure(page, first if axis == "row" else name)
                .locator(f".map-names [data-axis={axis}]")
                .all_text_contents()
            )
            assert len(set(names)) == count, names


def test_a_marked_cell_is_seen_and_said_and_whole_names_are_uncut_on_all_widths(page, paper):
    marked = paper | {"mark": {"row": 15, "col": 8, "text": "?"}}
    for size in ((390, 844), (1440, 900), (1920, 1080)):
        draw(page, marked, "given", size=size)
        names = figure(page, "given").locator(".map-names [data-axis=col]").all_text_contents()
        assert names == paper["cols"]
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        expect(figure(page, "given").locator(".map-mark text")).to_have_text("?")
    said = picture(page, "given").get_attribute("aria-label")
    assert said.endswith(f"Marked with “?”: {paper['rows'][15]}, {paper['cols'][8]}.")
    hover(page, "given", 0.5, 0.9)
    expect(page.locator(".map-tip")).to_be_visible()
    expect(page.locator(".map-tip")).not_to_contain_text("estimate")  # that would be the answer


@pytest.mark.parametrize("scene", ["fill", "watch"])
def test_a_phone_shows_one_map_below_the_other_each_with_its_row_names(page, paper, universal, scene):
    for data in (paper, universal):
        draw(page, data, scene, size=(390, 844))
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        maps = page.locator("[data-figure]:has(canvas)")
        tops = maps.evaluate_all("all => all.map((one) => one.getBoundingClientRect().top)")
        assert tops == sorted(set(tops))
        for k in range(maps.count()):
            assert maps.nth(k).locator("[data-axis=row]").count() == 20


pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def edited():
    """A run next to another one as that on the data."""
    other = payload("jester", 4) | {"by": "your edits"}
    return payload("ml-1m", 4) | {"pinned": {name: other[name] for name in ("U", "V", "mean", "std", "by")}}


def test_arrow_keys_reach_the_factors_which_are_lit_and_said(page, edited):
    draw(page, edited, "watch", 2)
    rows, cols, now = edited["rows"], edited["cols"], figure(page, "now")
    spoken = page.locator(".map-spoken")
    page.keyboard.press("Tab")
    focus(now.locator(".map-grid"))
    for key in ("ArrowDown", "ArrowLeft"):
        page.keyboard.press(key)
    assert page.evaluate("state.hover") == {"row": 1, "col": None, "factor": 31}
    expect(spoken).to_contain_text(f"{rows[1]}; factor 32: ")
    expect(page.locator(".map-tip")).to_contain_text("factor 32: ")
    expect(now.locator(".map-pointed")).to_have_count(1)
    for key in ("ArrowRight", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowRight"):
        page.keyboard.press(key)
    assert page.evaluate("state.hover") == {"row": None, "col": 1, "factor": 30}
    expect(spoken).to_contain_text(f"{cols[1]}; factor 31: ")
    assert now.locator(".map-grid").evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
    assert page.evaluate("state.t") == 2


def test_one_key_and_one_control_turn_to_what_the_edits_changed(page, edited):
    page.evaluate("data => play(data, 'fill')", edited)

    def shown():
        return page.locator("[data-figure]").evaluate_all("all => all.map((one) => one.dataset.figure)")

    estimates = page.get_by_role("radio", name="estimates", exact=True)
    expect(estimates).to_be_checked()
    assert shown() == ["given", "filled", "truth", "points", "error", "difference"]
    page.keyboard.press("d")
    expect(page.get_by_role("radio", name="what changed")).to_be_checked()
    expect(figure(page, "filled")).to_have_count(0)
    assert shown() == ["given", "difference", "truth", "points", "error"]
    page.keyboard.press("ArrowLeft")  # no control has the focus: a step back
    expect(figure(page, "difference").locator(".map-head span")).to_have_text("after step 3 of 4")
    focus(estimates)
    page.keyboard.press("Space")
    expect(figure(page, "filled")).to_be_visible()
    assert shown() == ["given", "filled", "truth", "points", "error", "difference"]
    page.evaluate("data => play({ ...data, pinned: null }, 'fill')", edited)
    expect(estimates).to_be_hidden()  # nothing to compare with
    page.keyboard.press("d")
    assert shown() == ["given", "filled", "truth", "points", "error"]


def test_every_control_is_reached_by_tab_and_shows_its_focus(page, edited):
    page.evaluate("data => play(data, 'watch')", edited)
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
    assert kinds.count("map-grid") == 4 and kinds.count("radio") == 3 and kinds.count("mfp-slider") == 1
    assert kinds.count("map-button") == 2
