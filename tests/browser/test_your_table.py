"""The page "Your table" in a real headless Chromium: files all the way to a download, and changes
of how they are read, by pointer and by keyboard."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect
from served import focus

pytestmark = pytest.mark.browser

WIDE = b"""\
name,Tea,Coffee,Juice,Water
Ada,4.5,,3,1
Ben,1,2,,2.5
Cleo,,5,4,
Dev,3,4,2,1
Ema,2,,,5
"""
CELLS = 20  # of it
SURVEY = [["id", "q1", "q2", "q3", "q4"]]  # of 1 to 7, in which -99 may mean missing
SURVEY += [[f"p{i}", *(str(1 + (i * k + k) % 7) for k in (1, 2, 3, 5))] for i in range(20)]
SURVEY[4][2] = SURVEY[10][2] = "-99"
SURVEY[6][3] = ""


def upload(page, content=WIDE, name="drinks.csv"):
    expect(page.locator(".stFileUploader")).to_be_visible()
    page.locator(".stFileUploader input").set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    )
    expect(page.locator(".preview td.filled").first).to_be_visible()


def download(page, key):
    button = page.locator(f".st-key-table_get_{key} a")
    expect(button).to_be_enabled()
    with page.expect_download() as caught:
        button.click()
    return caught.value.suggested_filename, Path(caught.value.path()).read_text()


def focused(page):
    """The key of what has the focus in the preview."""
    return page.evaluate("document.activeElement.shadowRoot?.activeElement?.dataset.key")


def test_a_file_is_filled_in_comes_back_and_is_explored(visit):
    page = visit("your_table?keep=100", calm=True)
    upload(page)
    expect(page.locator("h1")).to_have_text("drinks.csv: all 6 gaps are filled in")
    page.wait_for_function("document.activeElement.shadowRoot?.activeElement?.dataset.key")
    assert focused(page) == "lines"
    top = page.locator(".st-key-table_get_csv a").bounding_box()["y"]
    assert top < 720, "the download stands in the first screen"
    name, filled = download(page, "csv")
    assert name == "drinks-filled-by-universal.csv"
    assert re.match(r"name,Tea,Coffee,Juice,Water\nAda,4.5,\d(\.\d+)?,3,1\nBen,1,2,", filled)
    page.get_by_role("button", name="Explore it").click()
    expect(page).to_have_url(re.compile("data=Your"))
    player = page.locator(".st-key-player .mfp")
    for word in ("Tea", "Coffee", "Juice", "Water", "Ada", "Ben", "Cleo", "Dev", "Ema"):
        expect(player).to_contain_text(word)


def test_columns_are_changed_by_a_click_and_by_keys_alone_and_the_focus_stays_there(visit):
    page = visit("your_table")
    upload(page, "\n".join(map(",".join, SURVEY)).encode(), "survey.csv")
    amber = page.get_by_role("list", name="What you should look at").get_by_role("listitem")
    expect(amber).to_have_count(1)
    amber.get_by_role("button", name="(2 cells)").click()
    expect(amber).to_have_count(0)
    expect(page.locator("h1")).to_contain_text("all 3 gaps are filled in")
    assert focused(page) == "head 2"
    _, filled = download(page, "csv")
    assert "-99" not in filled

    focus(page.get_by_role("button", name="q3, filled in"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem", name="Keep it as it is")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="Changed: q3: keep.")).to_be_attached()
    expect(page.get_by_role("button", name="q3, kept")).to_be_visible()
    assert focused(page) == "head 3"
    page.get_by_role("button", name="As proposed").click()
    expect(page.get_by_role("button", name="q3, filled in")).to_be_visible()


WATCH = """([old, fresh]) => {
  const before = document.querySelectorAll(old);
  window.ghosts = 0;
  new MutationObserver(() => {
    if (document.querySelector(fresh) && [...before].some((element) => element.isConnected)) window.ghosts++;
  }).observe(document.body, { childList: true, subtree: true });
  return before.length;
}"""


def test_a_table_stays_until_it_is_forgotten_and_leaves_no_ghost(visit):
    page = visit("your_table")
    expect(page.locator(".stMain .stFileUploader")).to_be_visible()
    assert page.evaluate(WATCH, [".stMain .stFileUploader", ".st-key-table_forget"]) == 1
    upload(page)
    expect(page.locator(".stMain .mf-tiles")).to_be_visible()
    assert page.evaluate("window.ghosts") == 0  # nothing of the start stands next to the table

    title = page.locator(".mf-panel", has_text=" × ")
    expect(title).to_contain_text("Ada × Coffee")
    grid = page.locator(".st-key-table_grid_0_0 canvas").first
    grid.scroll_into_view_if_needed()
    box = grid.bounding_box()
    page.mouse.click(box["x"] + 0.45 * box["width"], box["y"] + 3.5 * 35)
    expect(title).to_contain_text("Cleo × ")
    chosen = title.text_content()
    page.get_by_role("radio", name="50").click()
    expect(page.locator(".mf-tiles")).to_contain_text("50 % interval")
    page.get_by_role("link", name="Compare").click()
    expect(page.get_by_role("heading", name="Who estimates best?")).to_be_visible()
    page.get_by_role("link", name="Your table").click()
    expect(title).to_have_text(chosen)
    expect(page.get_by_role("radio", name="50")).to_be_checked()

    assert page.evaluate(WATCH, [".stMain .mf-tiles", ".stMain .stFileUploader"])
    page.get_by_role("button", name="Forget my table").click()
    expect(page.locator(".stFileUploader")).to_be_visible()
    expect(page.get_by_text("drinks.csv")).to_have_count(0)
    assert page.evaluate("window.ghosts") == 0


def test_a_visitor_stops_the_reading_of_a_large_file_and_begins_it_again(visit, tmp_path):
    """The process ends, and nothing of it is left."""
    page = visit("your_table")
    rows = (f"user {i // 90},item {i % 90},{i % 5 + 1}" for i in range(1_400_000))
    large = tmp_path / "large.csv"
    large.write_text("\n".join(["user,item,rating", *rows]))
    page.locator(".stFileUploader input").set_input_files(large)
    stop = page.get_by_role("button", name="Stop", exact=True)
    stop.click()
    again = page.get_by_role("button", name="Try again")
    expect(again).to_be_visible()
    expect(page.get_by_text("You stopped this.")).to_be_visible()
    expect(stop).to_have_count(0)
    again.click()
    expect(stop).to_be_visible()


def test_no_click_on_a_download_is_lost_while_the_page_is_at_work_and_others_come_and_go(visit):
    other, page = visit(calm=True), visit("your_table")
    upload(page)
    expect(page.locator(".st-key-table_get_csv")).to_be_visible()
    for percent, link in ((50, "Compare"), (95, "Explore")):
        page.get_by_role("radio", name=str(percent)).click()
        expect(page.get_by_text(re.compile(rf"{percent}\s% interval")).first).to_be_visible()
        with page.expect_download() as caught:
            page.locator(".st-key-table_get_long a").click()
            other.get_by_role("link", name=link).click()
        lines = caught.value.path().read_text().splitlines()
        assert len(lines) == 1 + CELLS
        assert re.search(r",0\.(9|5|95),", lines[2])  # of this run, or of the one before

    def after_two_runs(route):
        """Streamlit's own button of a file that a click makes loses it when the runs of two pages
        have ended."""
        for link in ("Explore", "Compare"):
            other.get_by_role("link", name=link).click()
            expect(other.locator(".mf-finding").first).to_be_visible()
        route.continue_()

    page.context.route(re.compile(r"://[^/]+/(file|media)/"), after_two_runs, times=1)
    name, filled = download(page, "csv")
    assert name.endswith("-filled-by-universal.csv")
    assert len(filled.splitlines()) == 6
