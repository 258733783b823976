"""Excel and Parquet: where each cell comes from."""

import io

import numpy as np
import openpyxl
import pandas as pd
import pytest
from awkward_files import LONG, PLAIN
from exports import fill

from metamf import Ratings
from metamf.tables import TableError, read_table
from metamf.tables.writing.filled import CLIPPED, HELD_OUT, IMPUTED, OBSERVED, Filled
from metamf.tables.writing.text import to_csv_long
from metamf.tables.writing.workbook import to_excel, to_parquet


def test_excel_shows_where_each_cell_comes_from():
    provenance = np.array([[OBSERVED, CLIPPED, HELD_OUT], [IMPUTED, OBSERVED, OBSERVED]])
    ends = np.full((2, 3), 1.5)
    filled = fill(
        read_table(PLAIN.encode()), provenance=provenance, lower=ends, upper=ends + 1, level=0.8, method="ours"
    )
    book = openpyxl.load_workbook(io.BytesIO(to_excel(filled)))
    assert book.sheetnames == ["Filled", "Lower", "Upper", "Held out", "Legend"]
    sheet = book["Filled"]
    assert [cell.value for cell in sheet[2]] == ["ann", 5, 0.26, 3] and sheet["B1"].value == "Alien"
    fills = {cell.coordinate: cell.fill.fgColor.rgb for row in sheet["B2:D3"] for cell in row}
    assert len({fills["C2"], fills["D2"], fills["B3"], fills["B2"]}) == 4 and fills["B2"] == fills["C3"]
    assert sheet["B3"].font.italic and not sheet["B2"].font.italic
    legend = {row[0].value: row[2].value for row in book["Legend"]["A2:C6"]}
    assert legend == {"observed": 3, "held out": 1, "imputed": 1, "clipped": 1, "missing": 0}
    back = read_table(to_excel(filled))
    np.testing.assert_allclose(back.ratings.to_dense(), filled.values)
    assert back.ratings.row_labels == ("ann", "bob")


def test_a_table_too_wide_for_excel_is_refused():
    with pytest.raises(TableError, match="16,383 columns"):
        to_excel(Filled(Ratings([0], [0], [1.0], (1, 16_384)), np.ones((1, 16_384))))


def test_parquet_holds_the_same_rows_as_the_long_csv():
    table = read_table(LONG.encode())
    filled = fill(table, lower=np.ones((2, 2)), upper=np.full((2, 2), 2.0), level=0.5, method="ours")
    frame = pd.read_parquet(io.BytesIO(to_parquet(filled)))
    csv = pd.read_csv(io.BytesIO(to_csv_long(filled)), keep_default_na=False, na_values={"estimate": "", "lower": ""})
    assert (
        frame[["row", "column", "provenance", "method"]].to_numpy().tolist()
        == csv[["user", "item", "provenance", "method"]].to_numpy().tolist()
    )
    np.testing.assert_allclose(
        frame[["value", "estimate", "lower"]], csv[["rating", "estimate", "lower"]].astype(float)
    )


def test_estimates_have_six_digits_and_ratings_all_of_theirs():
    X = np.full((2, 3), 1 / 3)
    provenance = np.array([[OBSERVED, CLIPPED, HELD_OUT], [IMPUTED, OBSERVED, OBSERVED]])
    filled = Filled(read_table(PLAIN.encode()), X, X, X + 1, 0.8, provenance, "ours")
    book = openpyxl.load_workbook(io.BytesIO(to_excel(filled)))
    values = [cell for row in book["Lower"].iter_rows(min_row=2, min_col=2, values_only=True) for cell in row]
    assert {value for value in values if value is not None} == {0.333333}
    shown = [cell for row in book["Filled"].iter_rows(min_row=2, min_col=2, values_only=True) for cell in row]
    assert 0.333333 in shown and 1 / 3 not in shown


def test_no_name_breaks_the_workbook():
    """A file with a character that XML forbids is one that Excel calls damaged."""
    forbidden = "a\ufffe\uffff\x01\x1f\ud800b"
    ratings = Ratings.from_dense(np.array([[5.0, np.nan], [1.0, 2.0]]), row_labels=(forbidden, "é\U0001f600"))
    book = openpyxl.load_workbook(io.BytesIO(to_excel(Filled(ratings, np.full((2, 2), 3.0), method=forbidden))))
    assert [cell.value for cell in book["Filled"]["A"][1:]] == [
        "a" + 5 * "\N{REPLACEMENT CHARACTER}" + "b",
        "é\U0001f600",
    ]
