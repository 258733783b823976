"""Tables of multiple imputation as a file: all columns of the file, its order, codes, words and
form."""

import io

import numpy as np
import pandas as pd
import pytest

from metamf.answer.adaptation import adapt
from metamf.answer.draws import drawn
from metamf.answer.draws_file import drawn_file, pooled_means
from metamf.tables import read

WORDS = ("never", "rarely", "sometimes", "often", "always")


def file_of(n=24):
    """A survey with an id, a text, two columns of decimal commas and one of words."""
    rng = np.random.default_rng(0)
    X = np.clip(np.round(3 + rng.normal(size=(n, 1)) + 0.6 * rng.normal(size=(n, 3))), 1, 5)
    gone = rng.random(X.shape) < 0.15
    lines = ["Name;Stra\xdfe;q1;q2;how often"]
    for i, (x, gap) in enumerate(zip(X, gone)):
        cells = [f"{x[0]:.0f},5", f"{x[1]:.0f},5", WORDS[int(x[2]) - 1]]
        cells = ["" if out else cell for cell, out in zip(cells, gap)]
        lines.append(";".join([f"p{i}", "Gr\xfcn" if i % 2 else "", *cells]))
    return "".join(line + "\r\n" for line in lines).encode("cp1252")


@pytest.fixture(scope="module")
def table():
    return read(file_of())


@pytest.fixture(scope="module")
def fitted(table):
    return adapt(table.ratings, "universal")


@pytest.fixture(scope="module")
def several(fitted, table):
    return drawn_file(fitted, table, 3, 0)


def test_a_text_has_the_file_s_columns_encoding_and_cells_and_fills_the_others_alike(several):
    lines = several.content.decode("cp1252").split("\r\n")
    assert lines[0].split(";") == ["imputation", "Name", "Stra\xdfe", "q1", "q2", "how often"]
    assert lines[-1] == ""
    rows = np.array([line.split(";") for line in lines[1:-1]], dtype=object).reshape(3, 24, 6)
    before = [line.split(";") for line in file_of().decode("cp1252").split("\r\n")[1:-1]]
    for number, filled in enumerate(rows, 1):
        assert set(filled[:, 0]) == {str(number)}
        for was, row in zip(before, filled[:, 1:]):
            assert all(new == old for old, new in zip(was, row) if old)
            assert row[1] == was[1]  # a text is not filled in
            assert "," in row[2] and "," in row[3] and row[4] in WORDS
    assert (rows[0] != rows[1])[:, 3:].any()


def test_parquet_and_a_workbook_have_numbers_as_numbers_and_words_as_words(fitted, table):
    frame = pd.read_parquet(io.BytesIO(drawn_file(fitted, table, 2, 0, form="parquet").content))
    assert list(frame["imputation"]) == [1] * 24 + [2] * 24
    assert frame["q1"].dtype == float
    assert set(frame["how often"]) <= set(WORDS)
    book = drawn_file(fitted, table, 2, 0, form="xlsx").content
    sheets = pd.read_excel(io.BytesIO(book), sheet_name=None)
    assert list(sheets) == ["imputation 1", "imputation 2"]
    assert sheets["imputation 1"]["q1"].dtype == float
    with pytest.raises(ValueError, match="at most, not 21"):
        drawn_file(fitted, table, 21, 0, form="xlsx")


def test_a_line_that_is_no_row_is_in_no_table(fitted):
    held = read(file_of() + b"mean;;2,9;3,1;\r\n", edits=("line 26: skip",))
    assert b"mean" not in drawn_file(fitted, held, 2, 0).content


def test_a_long_table_has_its_lines_and_those_that_it_lacks():
    rng = np.random.default_rng(1)
    cells = [(u, i) for u in range(12) for i in range(6) if rng.random() < 0.8]
    lines = [f"u{u},i{i},{rng.integers(1, 6)},mon" for u, i in cells]
    held = read("\n".join(["user,item,rating,day", *lines, ""]).encode())
    found = drawn_file(adapt(held.ratings, "universal"), held, 2, 0).content.decode().splitlines()
    assert found[:2] == ["imputation,user,item,rating,day", f"1,{lines[0]}"]
    assert len(found) == 1 + 2 * 72


def test_the_purpose_is_that_of_the_draws_and_missing_information_is_told(several, fitted, table):
    draws = drawn(fitted, 3, 0)
    assert several.sentences()[0] == f"3 filled-in tables (seed 0), for {draws.purpose}."
    means = pooled_means(draws.beside(table.ratings))
    assert list(means.index) == ["q1", "q2", "how often"]
    assert means["missing information"].between(0, 1).all()
    assert (means["lower"] < means["mean"]).all()
    X = np.stack(list(draws.arrays()))
    np.testing.assert_allclose(means["mean"], X.mean(axis=(0, 1)))
