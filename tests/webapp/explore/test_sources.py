"""Files that visitors bring to the pages, good and bad."""

import numpy as np
import pytest
from addresses import address, arrived
from opened import (  # noqa: F401  a fixture
    PAGES,
    brought,
    charts,
    healthy,
    no_data_sets,
    opened,
    players,
    shown_run,
    text,
    with_file,
)

from metamf.tables.limits import Limits
from metamf.webapp.choices import UPLOAD

pytestmark = pytest.mark.slow
FILMS = "film;Ann;Bo;Cy\nA;4,5;;3\nB;1;2;\nC;;5;4\n"


def ratings_log(lines, users, items, seed=0):
    """A file of user, item, rating, time, as people bring them."""
    rng = np.random.default_rng(seed)
    cells = rng.choice(users * items, lines, replace=False)
    taste = rng.normal(3.5, 0.6, users)[cells // items] + rng.normal(0, 0.6, items)[cells % items]
    stars = np.clip(np.round(taste + rng.normal(0, 0.8, lines)), 1, 5)
    times = 956703932 + rng.integers(0, 10**8, lines)
    columns = (cells // items, cells % items, stars.astype(int), times)
    rows = "\n".join(map(",".join, zip(*(column.astype(str) for column in columns))))
    return f"userId,movieId,rating,timestamp\n{rows}\n".encode()


def links(at, label):
    """The pages to which links with a label lead."""
    return [link.proto.page for link in at.get("page_link") if label in link.proto.label]


def test_an_upload_is_understood_and_shown_on_every_page(monkeypatch):
    assert not links(opened(), "Fill in every missing")  # nobody's own
    at = with_file(FILMS)
    assert shown_run(at)["n_given"] == 6  # all of it, unless the link says another share
    assert links(at, "Fill in every missing") == ["your_table"]
    for page in PAGES[1:]:
        healthy(at.switch_page(page).run())
        assert "No rating is hidden" in text(at)
    healthy(at.selectbox(key="data").select("Jokes").run())
    healthy(at.selectbox(key="data").select(UPLOAD).run())
    assert players(at), "the file outlives its widget"
    monkeypatch.setattr("metamf.tables.limits.WEB", Limits(matrix=8))
    assert not links(with_file(FILMS), "Fill in every missing")


def test_a_large_upload_is_read_once_and_shows_a_window_of_its_result_at_once(straight_engine):
    data = ratings_log(21_000, 1600, 1300)  # 2 million cells
    at = healthy(brought(opened(data=UPLOAD, model="Universal", keep=50), data, "log.csv").run())
    said = text(at)
    shows = "1,300 columns. All of it is filled in and measured; the page shows rows 1 to 300"
    assert shows in said
    assert "10,500 rated cells hidden from the model" in said
    assert shown_run(at)["n"] == 300
    at.number_input(key="top").set_value(500)
    healthy(at.number_input(key="left").set_value(7).run())
    assert "rows 500 to 799" in text(at)
    assert (shown_run(at)["top"], shown_run(at)["left"]) == (499, 6)
    assert sum("partial" in str(name) for name in straight_engine.called) == 1
    link = address(at)
    assert [link[name] for name in ("data", "top", "left")] == [[UPLOAD], ["500"], ["7"]]
    # on another machine, with the same file
    again = healthy(brought(arrived("", link), data, "log.csv").run())
    assert (shown_run(again)["top"], shown_run(again)["left"]) == (499, 6)


def test_what_is_amber_is_looked_at_on_your_table_and_one_cell_or_none_has_a_sentence():
    rows = "".join(f"p{i},{'-99' if i == 3 else 1 + i % 5},{1 + i % 4}\n" for i in range(12))
    at = with_file(f"name,a,b\n{rows}")
    assert players(at)
    assert links(at, "Look at 1 thing") == ["your_table"]
    at = with_file("name,a\n")
    assert not players(at)
    assert "only a header line" in text(at)
    at = with_file("4\n")
    assert "Every cell is given" in text(at)
    assert players(at) and not charts(at)
