"""A run that is taken away as a page: one file, small, with nothing in it that a name could
break."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hostile import NAME, TEXTS

from metamf.answer.division import Matrix, divide
from metamf.datasets import synthetic
from metamf.webapp.player.component import saved_page
from metamf.webapp.run.measured_run import run
from metamf.webapp.run.replay import replay

HOSTILE = "</script><script>alert(1)</script><!-- $name ${x} & \u2028"


def run_of(rows, cols, name, T):
    ratings = synthetic(np.random.default_rng(0), len(rows), len(cols), density=0.5).ratings
    named = replace(ratings, row_labels=tuple(rows), col_labels=tuple(cols))
    return replay(run(divide(Matrix(name, "", named), 0.5, "at random", 1), "ml-1m", T))


def test_thirty_rows_and_columns_make_a_file_of_less_than_five_megabytes_that_asks_nobody():
    names = [f"x{i}" for i in range(30)]
    text = saved_page(run_of(names, names, "x", 10), "watch", "A run", "What one sees.")
    assert len(text.encode()) < 5_000_000
    assert "What one sees." in text
    assert "default-src 'none'" in text
    assert not re.search(r"""(?:src|href)\s*=|url\(|@import""", text)


@pytest.mark.browser
def test_names_with_markup_are_text_in_a_browser(browser, tmp_path):
    """In the maps, the points and the inspector of a page that was taken away."""
    names = (NAME, HOSTILE, *TEXTS)
    file = tmp_path / "taken.html"
    file.write_text(
        saved_page(run_of(names, names[:3], HOSTILE, 1), "fill", HOSTILE, HOSTILE), "utf-8"
    )
    page = browser.new_page(offline=True, reduced_motion="reduce")
    wrong = []
    page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda asked: wrong.append(asked.url) if asked.url != file.as_uri() else 0)
    page.on("console", lambda said: wrong.append(said.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(file.as_uri())
    plot = page.locator("[data-figure=filled]").get_by_role("application")
    plot.wait_for()
    plot.focus()
    for _ in names:
        page.keyboard.press("Enter")
        page.keyboard.press("ArrowDown")
    assert "<script>alert(1)</script>" in page.locator("body").inner_text()
    assert page.locator("img, iframe, object, embed, a[href*=evil]").count() == 0
    assert wrong == []
    page.close()
