"""Writing tables: to the character where observed, in the dialect of the upload, harmless in a spreadsheet, atomic."""

import io

import numpy as np
import openpyxl
import pandas as pd
import pytest
from awkward_files import LONG, PLAIN
from exports import fill
from hypothesis import given
from hypothesis import strategies as st
from tables_corpus import CORPUS

from metamf import Ratings
from metamf.tables import ReadOptions, TableError, read_table
from metamf.tables.escaping import escape, unescape
from metamf.tables.writing.text import (
    CLIPPED,
    HELD_OUT,
    IMPUTED,
    OBSERVED,
    Filled,
    to_csv_long,
    to_csv_wide,
    to_excel,
    to_parquet,
)

DANGEROUS = ("=1+1", "+1", "-1+cmd", "@SUM(1)", "\t=1", "\r=1", " =1", "'=1", "''=1")


def again(filled: Filled, data: bytes):
    """An export, read back with the upload's dialect."""
    d, report = filled.source.dialect, filled.table.report
    encoding = {"utf-16-le": "utf-16", "utf-32-le": "utf-32"}.get(d.encoding, d.encoding) if d.bom else d.encoding
    header = report.layout.header or report.layout.form == "long"
    return read_table(
        data,
        options=ReadOptions(
            form="wide",
            delimiter=d.delimiter,
            decimal=d.decimal,
            thousands=d.thousands,
            encoding=encoding,
            header=header,
            row_labels=report.layout.row_labels or report.layout.form == "long",
        ),
    )


def assert_same_observed(filled: Filled, back) -> None:
    """The export observes every cell: the uploaded ones with the same text, value and names."""
    ratings, source = filled.ratings, filled.source
    assert (back.ratings.shape, back.ratings.nnz) == (ratings.shape, ratings.n_rows * ratings.n_cols)
    assert (back.ratings.row_labels, back.ratings.col_labels) == (ratings.row_labels, ratings.col_labels)
    at = ratings.rows * ratings.n_cols + ratings.cols
    np.testing.assert_array_equal(back.ratings.values[at], ratings.values)
    for before, after in zip(source.cells.observed, back.source.cells.observed[at]):
        if before >= 0:
            assert source.cells.texts[before] == back.source.cells.texts[after]


@pytest.mark.parametrize("case", [case for case in CORPUS if case.error is None], ids=lambda case: case.name)
def test_the_corpus_comes_back_to_the_character(case):
    filled = fill(read_table(case.data, options=case.options))
    assert_same_observed(filled, again(filled, to_csv_wide(filled)))


def test_nothing_but_the_missing_cells_changes():
    filled = fill(read_table(PLAIN.encode()))
    assert to_csv_wide(filled).decode() == "user,Alien,Brazil,Clue\nann,5,0.26,3\nbob,1.25,4,1\n"


@pytest.mark.parametrize(
    "upload",
    [
        "# survey\n\n" + PLAIN,
        "sep=;\n" + PLAIN.replace(",", ";"),
        PLAIN.replace("\n", "\r\n"),
        PLAIN.rstrip("\n"),
        PLAIN.replace(",", "::"),
        "My ratings\n" + PLAIN,
        '"user","A"\n"ann","5"\n"bob","NA"\n',
        '"user","A"\n"ann",5.0\n"bob",\n',
        '"A" "B"\n"ann" 5 NA\n"bob" 3 1\n',
        "5,,3\n,4,1\n",
        "a;b\n3,50;\n1.000,5;+2\n",
        " user , A \n ann , 05 \n bob , \n",
        'user,"a,b",c\nann,5,\nbob,"1,000.50",2\n',
        "5\n\n3\n",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_the_dialect_of_the_upload_is_kept(upload, encoding):
    """Where there is no estimate an export is the upload itself, byte for byte."""
    data = upload.encode(encoding)
    table = read_table(data)
    assert to_csv_wide(Filled(table, np.full(table.ratings.shape, np.nan))) == upload.replace(
        "\n\n3", '\n""\n3'
    ).encode(encoding)


def test_a_long_upload_keeps_its_order_in_the_long_export():
    table = read_table((LONG + "cleo,Brazil,NA\n").replace("5", "5.00").encode())
    N, M = table.ratings.shape
    filled = fill(table, lower=np.full((N, M), 1.5), upper=np.full((N, M), 4.5), level=0.9, method="ours")
    lines = to_csv_long(filled).decode().splitlines()
    assert lines[0] == "user,item,rating,provenance,estimate,lower,upper,interval,method"
    assert lines[1:5] == [
        "ann,Alien,5.00,observed,,,,,",
        "ann,Brazil,3,observed,,,,,",
        "bob,Alien,4,observed,,,,,",
        "cleo,Brazil,2.26,imputed,2.26,1.5,4.5,0.9,ours",
    ]
    assert sorted(line.split(",")[:2] for line in lines[5:]) == [["bob", "Brazil"], ["cleo", "Alien"]]
    assert to_csv_wide(filled).decode().splitlines()[0] == "user,Alien,Brazil"


def test_provenance_tells_held_out_and_clipped_cells():
    provenance = np.array([[OBSERVED, CLIPPED, HELD_OUT], [IMPUTED, OBSERVED, OBSERVED]])
    filled = fill(read_table(PLAIN.replace(",", ";").replace("5", "4,50").encode()), provenance=provenance, method="m")
    rows = [line.split(";") for line in to_csv_long(filled).decode().splitlines()]
    assert rows[0] == ["row", "column", "value", "provenance", "estimate", "method"]
    assert rows[1:4] == [
        ["ann", "Alien", "4,50", "observed", "", ""],
        ["ann", "Brazil", "0,26", "clipped", "0,26", "m"],
        ["ann", "Clue", "3", "held out", "0,27", "m"],
    ]
    assert to_csv_wide(filled).decode().splitlines()[1] == "ann;4,50;0,26;3"
    book = openpyxl.load_workbook(io.BytesIO(to_excel(filled)))
    assert list(book["Held out"].values) == [("row", "column", "rating", "estimate"), ("ann", "Clue", 3, 0.27)]


def test_what_is_marked_must_agree_with_the_table():
    table = read_table(PLAIN.encode())
    with pytest.raises(TableError, match=r"cell \(0, 1\) is called observed, but the table lacks it"):
        fill(table, provenance=np.zeros((2, 3), dtype=int))
    with pytest.raises(TableError, match=r"cell \(0, 0\) is called imputed, but the table has it"):
        fill(table, provenance=np.full((2, 3), IMPUTED))
    with pytest.raises(TableError, match=r"mean has shape \(3, 2\)"):
        Filled(table, np.zeros((3, 2)))
    with pytest.raises(TableError, match="together"):
        fill(table, lower=np.zeros((2, 3)))


def test_a_mean_of_duplicates_is_written_with_all_its_digits():
    data = (LONG + "ann,Alien,4\nann,Alien,4\n").encode()
    filled = fill(read_table(data, options=ReadOptions(duplicates="mean")))
    assert to_csv_wide(filled).decode().splitlines()[1].startswith(f"ann,{13 / 3!r},3")


@pytest.mark.parametrize("name", DANGEROUS)
def test_no_name_becomes_a_formula(name):
    table = read_table(f'user,"{name}",B\n"{name}",5,-3.5\nbob,,+1\n'.encode())
    for export in (to_csv_wide, to_csv_long):
        cells = (
            pd.read_csv(io.BytesIO(export(fill(table))), header=None, dtype=str, keep_default_na=False)
            .to_numpy()
            .ravel()
        )
        risky = {c for c in cells if c.lstrip(" ")[:1] in tuple("=+-@\t\r")} - {""}
        assert risky <= {"-3.5", "+1"}
    assert "-3.5" in to_csv_wide(fill(table)).decode()
    assert_same_observed(fill(table), again(fill(table), to_csv_wide(fill(table))))
    book = openpyxl.load_workbook(io.BytesIO(to_excel(fill(table, method=name))))
    for sheet in book:
        for cell in (cell for row in sheet for cell in row):
            assert cell.data_type != "f"
            assert not isinstance(cell.value, str) or cell.value.lstrip()[:1] not in tuple("=+-@")
    assert book["Filled"]["C2"].value == -3.5


def test_a_missing_marker_that_is_a_formula_is_escaped_on_its_way_out():
    table = read_table(b"user,A,B\nann,=NA(),5\nbob,-,1\n", options=ReadOptions(missing_markers=("=NA()",)))
    nothing = Filled(table, np.full((2, 2), np.nan))
    assert to_csv_wide(nothing).decode() == "user,A,B\nann,'=NA(),5\nbob,-,1\n"


@given(st.text(alphabet="'=+-@\t\r\n a1", max_size=6))
def test_escaping_can_always_be_undone(text):
    assert unescape(escape(text)) == text
    assert escape(text).lstrip(" ")[:1] not in tuple("=+-@") and escape(text)[:1] not in tuple("\t\r\n")


def test_ratings_from_elsewhere_are_written_as_plain_csv():
    X = np.array([[5, np.nan], [0.1, 3]])
    assert to_csv_wide(fill(Ratings.from_dense(X))) == b"5,0.26\n0.1,3\n"
    named = Ratings.from_dense(X, row_labels=("=a", 7), col_labels=("x,y", "é"))
    assert to_csv_wide(fill(named)).decode() == ',"x,y",é\n\'=a,5,0.26\n7,0.1,3\n'
    assert to_csv_long(fill(Ratings.from_dense(X))).decode().splitlines()[2] == "1,2,0.26,imputed,0.26,"


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


def test_the_long_export_can_be_read_as_an_upload():
    filled = fill(read_table(PLAIN.encode()), method="ours")
    back = read_table(to_csv_long(filled))
    assert back.report.layout.form == "long" and back.ratings.nnz == 6
    np.testing.assert_allclose(back.ratings.to_dense(), filled.values)


def test_a_long_table_names_what_a_wide_one_leaves_without_a_name():
    table = read_table(b"user,column 2,,film\nann,1,2,3\nbob,4,,5\n,2,3,1\ncy,5,3,2\n")
    back = read_table(to_csv_long(fill(table)))
    assert back.ratings.row_labels == ("ann", "bob", "row 3", "cy")
    assert back.ratings.col_labels == ("column 2", "column 2*", "film")
    assert np.array_equal(back.ratings.to_dense(), fill(table).values)
    frame = pd.read_parquet(io.BytesIO(to_parquet(fill(table))))
    assert frame.column.unique().tolist() == ["column 2", "column 2*", "film"] and "row 3" in frame.row.values
