"""The page "Your table" in a real headless Chromium: files all the way to a download."""

import re

import numpy as np
import pytest
from pixels import luminance
from playwright.sync_api import expect
from themes import in_theme

pytestmark = pytest.mark.browser

NAMES, DRINKS = ("Ada", "Ben", "Cleo", "Dev", "Ema"), ("Tea", "Coffee", "Juice", "Water")
GRID = (("4.5", "", "3", "1"), ("1", "2", "", "2.5"), ("", "5", "4", ""), ("3", "4", "2", "1"), ("2", "", "", "5"))


def wide():
    lines = [("name", *DRINKS), *((name, *row) for name, row in zip(NAMES, GRID))]
    return "drinks.csv", "".join(",".join(line) + "\n" for line in lines).encode()


def jokes():
    """As Jester has them: no header, how many were rated, then ratings with 99 for none."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-10, 10, (20, 8)).round(2)
    X[rng.random(X.shape) < 0.4] = 99
    return "Witze für alle.csv", "\n".join(",".join(f"{x:g}" for x in row) for row in X).encode() + b"\n"


def observed(text):
    """{(row, column): text} of the cells of a wide table that are not empty or 99, names included."""
    rows = [line.split(",") for line in text.splitlines()]
    return {(i, j): cell for i, row in enumerate(rows) for j, cell in enumerate(row) if cell not in ("", "99")}, rows


def upload(page, name, content):
    expect(page.locator(".stFileUploader")).to_be_visible()
    page.locator(".stFileUploader input").set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    )


def download(page, key):
    button = page.locator(f".st-key-table_get_{key} a")
    expect(button).to_be_enabled()
    with page.expect_download() as caught:
        button.click()
    return caught.value.suggested_filename, open(caught.value.path(), "rb").read()


def readable_in_the_dark(button):
    in_theme(button.page, "dark")
    expect(button).to_have_attribute("kind", "primary")
    style = button.evaluate("link => [getComputedStyle(link).color, getComputedStyle(link).backgroundColor]")
    dark, light = sorted(luminance(np.array([re.findall(r"\d+", colour)[:3] for colour in style], dtype=int)))
    assert (light + 0.05) / (dark + 0.05) >= 4.5


@pytest.mark.parametrize("make", [wide, jokes])
def test_a_wide_file_comes_back_filled_with_every_observed_cell_to_the_character(visit, make):
    name, content = make()
    page = visit("your_table")
    upload(page, name, content)  # the first click
    if make is jokes:
        page.get_by_role("button", name=re.compile("99(.0)? means missing")).click()  # the second
        expect(page.locator(".mf-finding").first).to_contain_text(f"{count_of(content)} of 160")
    gone = {wide: "6 of 20", jokes: f"{160 - count_of(content)} of 160"}[make]
    expect(page.locator(".mf-panel", has_text=f"{gone} cells estimated")).to_be_visible()
    file_name, filled = download(page, "csv")  # the last
    readable_in_the_dark(page.locator(".st-key-table_get_csv a"))
    assert file_name == f"{name.removesuffix('.csv')}-filled-by-universal.csv"
    cells, _ = observed(content.decode())
    _, rows = observed(filled.decode())
    assert {at: rows[at[0]][at[1]] for at in cells} == cells
    missing = [cell for i, row in enumerate(rows) for j, cell in enumerate(row) if (i, j) not in cells]
    assert missing and all(re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", cell) and cell != "99" for cell in missing)


def count_of(content):
    return sum(cell != "99" for line in content.decode().split() for cell in line.split(","))


def test_a_cell_tells_its_interval_when_it_is_clicked_and_all_of_it_is_kept_on_other_pages(visit):
    page = visit("your_table")
    upload(page, *wide())
    title = page.locator(".mf-panel", has_text=" × ")
    expect(title).to_contain_text("Ada × Coffee")
    page.locator("[data-testid=stDataFrame] canvas").first.scroll_into_view_if_needed()
    box = page.locator("[data-testid=stDataFrame] canvas").first.bounding_box()
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
    assert "drinks" not in page.url and "Ada" not in page.url


WATCH = """([old, fresh]) => {
  const before = document.querySelectorAll(old);
  window.ghosts = 0;
  new MutationObserver(() => {
    if (document.querySelector(fresh) && [...before].some((element) => element.isConnected)) window.ghosts++;
  }).observe(document.body, { childList: true, subtree: true });
  return before.length;
}"""


def test_questions_and_first_lines_go_as_soon_as_they_are_answered(visit):
    page = visit("your_table")
    upload(page, *jokes())
    expect(page.locator(".st-key-table_questions")).to_be_visible()
    assert page.evaluate(WATCH, [".st-key-table_questions", ".stMain .mf-finding"]) == 1
    page.get_by_role("button", name=re.compile("99(.0)? means missing")).click()
    expect(page.locator(".mf-panel", has_text="cells estimated")).to_be_visible()
    assert page.evaluate("window.ghosts") == 0


def test_the_table_is_forgotten_by_a_button_leaves_no_ghost_and_is_never_seen_by_the_next_visitor(visit):
    page = visit("your_table")
    expect(page.locator(".stMain .stCode")).to_have_count(2)
    assert page.evaluate(WATCH, [".stMain .stCode, .stMain .stFileUploader", ".st-key-table_forget"]) == 3
    upload(page, *wide())
    expect(page.locator(".mf-panel", has_text="Ada × Coffee")).to_be_visible()
    expect(page.locator(".stMain .mf-tiles")).to_be_visible()
    assert page.evaluate("window.ghosts") == 0  # nothing of the start stands next to the table
    assert page.evaluate(WATCH, [".stMain .stDataFrame, .stMain .mf-tiles", ".stMain .stFileUploader"])
    other = visit("your_table")
    expect(other.locator(".stFileUploader")).to_be_visible()
    assert "drinks.csv" not in other.content()
    page.get_by_role("button", name="Forget my table").click()
    expect(page.locator(".stFileUploader")).to_be_visible()
    expect(page.get_by_text("drinks.csv")).to_have_count(0)
    assert page.evaluate("window.ghosts") == 0


def test_a_visitor_stops_the_reading_of_a_large_file_and_begins_it_again(visit, tmp_path):
    """The place at which Stop appears moves nothing that was there; the process ends, and nothing of it is left."""
    page = visit("your_table")
    text = "\n".join(["user,item,rating", *(f"user {i // 90},item {i % 90},{i % 5 + 1}" for i in range(1_400_000))])
    large = tmp_path / "large.csv"
    large.write_text(text)
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
    upload(page, *wide())
    expect(page.locator(".st-key-table_get_csv")).to_be_visible()
    for percent, link in ((50, "Compare"), (80, "Explore"), (95, "Compare")):
        page.get_by_role("radio", name=str(percent)).click()
        expect(page.get_by_text(re.compile(rf"{percent}\s% interval")).first).to_be_visible()
        with page.expect_download() as caught:
            page.locator(".st-key-table_get_long a").click()
            other.get_by_role("link", name=link).click()
        lines = caught.value.path().read_text().splitlines()
        assert len(lines) == 21 and f",{percent / 100:g}," in lines[2]

    def after_two_runs(route):
        """Streamlit's own button of a file that a click makes loses it when the runs of two pages have ended."""
        for link in ("Explore", "Compare"):
            other.get_by_role("link", name=link).click()
            expect(other.locator(".mf-finding").first).to_be_visible()
        route.continue_()

    page.context.route(re.compile(r"://[^/]+/(file|media)/"), after_two_runs, times=1)
    name, filled = download(page, "csv")
    assert name.endswith("-filled-by-universal.csv") and len(filled.splitlines()) == 6
