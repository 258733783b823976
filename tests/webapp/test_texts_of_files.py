"""A visitor's file full of markup: on every way through the pages its texts are shown, and none of
them is followed."""

import csv
import io
import zipfile
from html import escape

import numpy as np
import pytest
from hostile import NAME, TEXTS, sent  # noqa: F401  a fixture
from opened import no_data_sets  # noqa: F401  a fixture
from your_table import PAGE, file, preview, small_world, uploaded  # noqa: F401  a fixture

pytestmark = pytest.mark.slow

# may mean "missing" as a whole
DIGITLESS = tuple(text for text in TEXTS if not any(c.isdigit() for c in text))


def book_with_sheets(titles, rows):
    """A workbook whose sheets have titles that Excel itself would not take, all with the same rows."""
    import openpyxl

    made, plain, stream = openpyxl.Workbook(), io.BytesIO(), io.BytesIO()
    made.remove(made.active)
    for n in range(len(titles)):
        sheet = made.create_sheet(f"sheet{n}")
        for row in rows:
            sheet.append(row)
        for cell in (cell for line in sheet for cell in line if isinstance(cell.value, str)):
            cell.data_type = "s"  # not a formula
    made.save(plain)
    with zipfile.ZipFile(plain) as book, zipfile.ZipFile(stream, "w") as other:
        for name in book.namelist():
            content = book.read(name)
            for n, title in enumerate(titles if name == "xl/workbook.xml" else ()):
                content = content.replace(
                    f'name="sheet{n}"'.encode(), f'name="{escape(title)}"'.encode()
                )
            other.writestr(name, content)
    return stream.getvalue()


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


def understood(sent):
    at = uploaded(book_with_sheets(TEXTS, matrix_rows()), f"{NAME}.xlsx")
    assert all(sent.labels(title) for title in TEXTS), "the sheets, one button each"
    assert sent.says(NAME), "the head"
    names = [column["name"] for column in preview(at)["columns"]]
    assert set(TEXTS) <= set(names), "the columns, as texts"
    for kind in ("csv", "long"):
        sent.clear()
        assert file(at, kind)[0].startswith(NAME)


def refused(sent):
    uploaded(as_csv([["name", *DIGITLESS], *([["x", *DIGITLESS]] * 3)]), f"{NAME}.csv")
    assert sent.says(NAME)


@pytest.mark.parametrize("way", [understood, refused], ids=lambda way: way.__name__)
def test_texts_of_a_file_are_shown_as_they_are(sent, way):
    way(sent)
    assert not sent.live
