"""A visitor's file full of markup: on every way through the pages its texts are shown, and none of them is followed."""

import csv
import io

import numpy as np
import pytest
from hostile import DIGITLESS, NAME, TEXTS, book_with_sheets, sent  # noqa: F401  a fixture
from opened import brought, healthy, no_data_sets, opened, text, with_file  # noqa: F401  a fixture
from your_table import PAGE, file, keys, small_world, uploaded  # noqa: F401  a fixture

from metamf.webapp.explore.choices import UPLOAD

pytestmark = pytest.mark.slow


def as_csv(rows):
    stream = io.StringIO()
    csv.writer(stream).writerows(rows)
    return stream.getvalue().encode()


def matrix_rows(seed=0):
    """A table whose rows and columns are named by all hostile texts."""
    numbers = np.random.default_rng(seed).integers(1, 6, (len(TEXTS), len(TEXTS))).tolist()
    for n, line in enumerate(numbers):
        line[n] = None
    return [["name", *TEXTS], *([name, *line] for name, line in zip(TEXTS, numbers))]


def understood(sent):  # noqa: F811
    at = uploaded(book_with_sheets(TEXTS, matrix_rows()), f"{NAME}.xlsx")
    assert all(sent.labels(title) for title in TEXTS), "the sheets, one button each"
    assert sent.labels(NAME) and sent.says(NAME), "the expander, and the head"
    assert all(sent.labels(column) for column in TEXTS), "the columns, one button each"
    healthy(at.selectbox(key="table_form").select("long").run())
    healthy(at.button(key="table_guess").click().run())
    for kind in ("csv", "long"):
        sent.clear()
        assert file(at, kind)[0].startswith(NAME)


def refused(sent):  # noqa: F811
    rows = matrix_rows()
    offered = DIGITLESS[:4]
    for n, mark in enumerate(offered):
        rows[n + 1][n + 2] = mark
    at = uploaded(as_csv(rows), f"{NAME}.csv")
    assert sent.says(NAME) and all(sent.labels(column) for column in TEXTS), "the columns that can be left alone"
    assert all(sent.says(mark) for mark in offered), "the question"
    healthy(at.button(key=f"table_suspect_{DIGITLESS[0]}").click().run())
    healthy(at.text_input(key="table_markers").set_value("; ".join(offered)).run())
    assert "table_get_csv" in keys(at) and f"{DIGITLESS[0]} counts as missing, as you said" in text(at)


def fill_in(sent):  # noqa: F811
    at = with_file(as_csv(matrix_rows()), f"{NAME}.csv")
    assert sent.labels(NAME), "the expander"
    healthy(at.switch_page("pages/compare.py").run())
    at = healthy(at.switch_page(PAGE).run())
    sent.clear()
    brought(at, as_csv(matrix_rows(1)), f"{NAME}.csv").run()  # the file of Explore is here already
    at = healthy(at.switch_page("pages/explore.py").run())
    healthy(at.selectbox(key="data").set_value(UPLOAD).run())
    for word in TEXTS:
        sent.clear()
        rows = matrix_rows()
        rows[1][2] = word
        healthy(brought(at, as_csv(rows), f"{NAME}.csv").run())
        assert sent.says(NAME) and sent.says(word)


@pytest.mark.parametrize("way", [understood, refused, fill_in], ids=lambda way: way.__name__)
def test_texts_of_a_file_are_shown_as_they_are(sent, way):  # noqa: F811
    way(sent)
    assert not sent.live
