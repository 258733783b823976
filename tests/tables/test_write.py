"""Writing: only gaps change, in any dialect, workbook or form, and each cell tells where it comes from."""

import io

import numpy as np
import openpyxl
import pandas as pd
import pytest
from awkward_files import LONG, PLAIN
from exports import estimated, fill, values
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metamf import Ratings
from metamf.tables import ReadOptions, TableError, read_table
from metamf.tables.write import (
    to_csv,
    to_csv_long,
    to_csv_wide,
    to_excel,
    to_parquet,
)


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
    table = read_table(data, options=ReadOptions(ratings="all-numbers"))
    assert to_csv_wide(table) == data


def test_a_long_upload_keeps_its_order_in_the_long_export():
    table = read_table((LONG + "cleo,Brazil,NA\n").replace("5", "5.00").encode())
    N, M = table.ratings.shape
    filled = fill(table, lower=np.full((N, M), 1.5), upper=np.full((N, M), 4.5), level=0.9, method="ours")
    lines = to_csv_long(*filled).decode().splitlines()
    assert lines[0] == "user,item,rating,provenance,estimate,lower,upper,interval,method"
    assert lines[1:5] == [
        "ann,Alien,5.00,observed,,,,,",
        "ann,Brazil,3,observed,,,,,",
        "bob,Alien,4,observed,,,,,",
        "cleo,Brazil,2.26,imputed,2.26,1.5,4.5,0.9,ours",
    ]
    assert sorted(line.split(",")[:2] for line in lines[5:]) == [["bob", "Brazil"], ["cleo", "Alien"]]
    assert to_csv_wide(*filled).decode().splitlines()[0] == "user,Alien,Brazil"


def test_provenance_tells_held_out_and_clipped_cells():
    table = read_table(PLAIN.replace(",", ";").replace("5", "4,50").encode())
    filled = fill(table, clipped=[(0, 1)], hidden=[(0, 2)], method="m")
    rows = [line.split(";") for line in to_csv_long(*filled).decode().splitlines()]
    assert rows[0] == ["row", "column", "value", "provenance", "estimate", "method"]
    assert rows[1:4] == [
        ["ann", "Alien", "4,50", "observed", "", ""],
        ["ann", "Brazil", "0,26", "clipped", "0,26", "m"],
        ["ann", "Clue", "3", "held out", "0,27", "m"],
    ]
    assert to_csv_wide(*filled).decode().splitlines()[1] == "ann;4,50;0,26;3"
    book = openpyxl.load_workbook(io.BytesIO(to_excel(*filled)))
    assert list(book["Held out"].values) == [("row", "column", "rating", "estimate"), ("ann", "Clue", 3, 0.27)]


def test_a_mean_of_duplicates_is_written_with_all_its_digits():
    data = (LONG + "ann,Alien,4\nann,Alien,4\n").encode()
    filled = fill(read_table(data, options=ReadOptions(duplicates="mean")))
    assert to_csv_wide(*filled).decode().splitlines()[1].startswith(f"ann,{13 / 3!r},3")


def test_ratings_from_elsewhere_are_written_as_plain_csv():
    X = np.array([[5, np.nan], [0.1, 3]])
    assert to_csv_wide(*fill(Ratings.from_dense(X))) == b"5,0.26\n0.1,3\n"
    named = Ratings.from_dense(X, row_labels=("=a", 7), col_labels=("x,y", "é"))
    assert to_csv_wide(*fill(named)).decode() == ',"x,y",é\n\'=a,5,0.26\n7,0.1,3\n'
    assert to_csv_long(*fill(Ratings.from_dense(X))).decode().splitlines()[2] == "1,2,0.26,imputed,0.26,"


def test_the_long_export_can_be_read_as_an_upload():
    filled = fill(read_table(PLAIN.encode()), method="ours")
    back = read_table(to_csv_long(*filled))
    assert back.report.form == "long" and back.ratings.nnz == 6
    np.testing.assert_allclose(back.ratings.to_dense(), values(*filled))


def test_excel_shows_where_each_cell_comes_from():
    ends = np.full((2, 3), 1.5)
    origins = {"clipped": [(0, 1)], "hidden": [(0, 2)]}
    filled = fill(read_table(PLAIN.encode()), **origins, lower=ends, upper=ends + 1, level=0.8, method="ours")
    book = openpyxl.load_workbook(io.BytesIO(to_excel(*filled)))
    assert book.sheetnames == ["Filled", "Lower", "Upper", "Held out", "Legend"]
    sheet = book["Filled"]
    assert [cell.value for cell in sheet[2]] == ["ann", 5, 0.26, 3] and sheet["B1"].value == "Alien"
    fills = {cell.coordinate: cell.fill.fgColor.rgb for row in sheet["B2:D3"] for cell in row}
    assert len({fills["C2"], fills["B3"], fills["B2"]}) == 3 and fills["B2"] == fills["C3"] == fills["D2"]
    assert sheet["B3"].font.italic and not sheet["B2"].font.italic
    legend = {row[0].value: row[2].value for row in book["Legend"]["A2:C6"]}
    assert legend == {"observed": 3, "held out": 1, "imputed": 1, "clipped": 1, "missing": 0}
    back = read_table(to_excel(*filled))
    np.testing.assert_allclose(back.ratings.to_dense(), values(*filled))
    assert back.ratings.row_labels == ("ann", "bob")


def test_a_table_too_wide_for_excel_is_refused():
    with pytest.raises(TableError, match="16,383 columns"):
        to_excel(Ratings([0], [0], [1.0], (1, 16_384)))


def test_parquet_holds_the_same_rows_as_the_long_csv():
    table = read_table(LONG.encode())
    filled = fill(table, lower=np.ones((2, 2)), upper=np.full((2, 2), 2.0), level=0.5, method="ours")
    frame = pd.read_parquet(io.BytesIO(to_parquet(*filled)))
    csv = pd.read_csv(io.BytesIO(to_csv_long(*filled)), keep_default_na=False, na_values={"estimate": "", "lower": ""})
    texts, numbers = ["user", "item", "provenance", "method"], ["rating", "estimate", "lower"]
    frame = frame.rename(columns={"row": "user", "column": "item", "value": "rating"})
    assert frame[texts].to_numpy().tolist() == csv[texts].to_numpy().tolist()
    np.testing.assert_allclose(frame[numbers], csv[numbers].astype(float))


def test_estimates_have_six_digits_and_ratings_all_of_theirs():
    X = np.full((2, 3), 1 / 3)
    table = read_table(PLAIN.encode())
    answer = estimated(table, X, clipped=[(0, 1)], hidden=[(0, 2)], lower=X, upper=X + 1, level=0.8, method="ours")
    book = openpyxl.load_workbook(io.BytesIO(to_excel(table, answer)))
    lower = [cell for row in book["Lower"].iter_rows(min_row=2, min_col=2, values_only=True) for cell in row]
    assert {value for value in lower if value is not None} == {0.333333}
    shown = [cell for row in book["Filled"].iter_rows(min_row=2, min_col=2, values_only=True) for cell in row]
    assert 0.333333 in shown and 1 / 3 not in shown


def test_no_name_breaks_the_workbook():
    """A file with a character that XML forbids is one that Excel calls damaged."""
    forbidden = "a\ufffe\uffff\x01\x1f\ud800b"
    ratings = Ratings.from_dense(np.array([[5.0, np.nan], [1.0, 2.0]]), row_labels=(forbidden, "é\U0001f600"))
    answer = estimated(ratings, np.full((2, 2), 3.0), method=forbidden)
    book = openpyxl.load_workbook(io.BytesIO(to_excel(ratings, answer)))
    names = [cell.value for cell in book["Filled"]["A"][1:]]
    assert names == ["a" + 5 * "\N{REPLACEMENT CHARACTER}" + "b", "é\U0001f600"]


def test_an_answer_about_another_table_is_refused():
    table = read_table(PLAIN.encode())
    with pytest.raises(TableError, match=r"the answer has shape \(3, 2\), the table has shape \(2, 3\)"):
        to_csv(table, estimated(read_table(b"a,b\n1,2\n3,\n,4\n"), np.zeros((3, 2))))


def test_a_long_table_names_what_a_wide_one_leaves_without_a_name():
    table = read_table(b"user,tea,,film\nann,1,2,3\nbob,4,,5\n,2,3,1\ncy,5,3,2\n")
    back = read_table(to_csv_long(*fill(table)))
    assert back.ratings.row_labels == ("ann", "bob", "row 3", "cy")
    assert back.ratings.col_labels == ("tea", "column 2", "film")
    assert np.array_equal(back.ratings.to_dense(), values(*fill(table)))
    frame = pd.read_parquet(io.BytesIO(to_parquet(*fill(table))))
    assert frame.column.unique().tolist() == ["tea", "column 2", "film"] and "row 3" in frame.row.values


LABELS = st.text(alphabet="aé映'=+-@# \t\n\",;|:1", min_size=1, max_size=5).filter(lambda s: s.strip())


@st.composite
def uploads(draw):
    """A wide CSV in some dialect, as text and options."""
    decimal = draw(st.sampled_from([".", ","]))
    delimiter = draw(st.sampled_from([",", ";", "\t", "|", " "]))
    N, M = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    labels, header = draw(st.booleans()), draw(st.booleans())
    number = st.one_of(
        st.integers(-10, 10).map(str),
        st.sampled_from(["+3", "03", "2e1", "-0"]),
        st.tuples(st.integers(0, 99), st.integers(0, 99)).map(lambda t: f"{t[0]}{decimal}{t[1]:02d}"),
    )
    cell = st.one_of(number, number, st.sampled_from(["", "NA", "?", "-"]))
    rows = [[draw(cell) for _ in range(M)] for _ in range(N)]
    rows[0][0] = draw(number)
    lines = [([draw(LABELS)] if labels else []) + row for row in rows]
    if header:
        lines.insert(0, (["user"] if labels else []) + [draw(LABELS) for _ in range(M)])
    everywhere = draw(st.booleans())

    def quoted(text):
        plain = text and not any(c in text for c in (delimiter, '"', "\n", "\r", " "))
        return text if plain and not everywhere else '"' + text.replace('"', '""') + '"'

    newline = draw(st.sampled_from(["\n", "\r\n"]))
    text = newline.join(delimiter.join(map(quoted, line)) for line in lines) + newline
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "gb18030"]))
    options = ReadOptions(
        form="wide",
        delimiter=delimiter,
        decimal=decimal,
        thousands="",
        encoding=encoding,
        header=header,
        row_labels=labels,
        ratings=tuple(range(labels, labels + M)),
    )
    return text.encode(encoding), options


def check_round_trip(upload):
    data, options = upload
    try:
        table = read_table(data, options=options)
    except TableError:
        return  # such as a first name that begins like a comment
    filled = fill(table)
    for export in (to_csv_wide(*filled), to_csv_wide(table)):
        back = read_table(export, options=options)
        ratings = table.ratings
        assert (back.ratings.row_labels, back.ratings.col_labels) == (ratings.row_labels, ratings.col_labels)
        at = np.searchsorted(
            back.ratings.rows * ratings.n_cols + back.ratings.cols, ratings.rows * ratings.n_cols + ratings.cols
        )
        np.testing.assert_array_equal(back.ratings.values[at], ratings.values)
        assert [table.source.grid.texts[c] for c in table.source.codes] == [
            back.source.grid.texts[c] for c in back.source.codes[at]
        ]


def test_a_name_on_two_lines_is_not_a_blank_line_below_which_notes_stand():
    options = ReadOptions("wide", ",", ".", "", "utf-8", header=False, row_labels=True)
    check_round_trip((b'1,0\n1,0\n"\n1",0\n1,""\n', options))


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b'#,0,0\n"#b",,0\n1,0,0\n', ("#,0,0", '"#b",', "1,0,0")),
        (b"#,0,0\n#b,2,3\n1,0,4\n", ("#,0,0", "#b,2,3", "1,0,4")),
        (b'"#",0,0\n', ('"#",0,0',)),
        (b'user,a,b\n"#x",,0\n"//",3,4\n', ("user,a,b", '"#x",', '"//",3,4')),
        (b'# user,a,b\n"#x",,0\n1,3,4\n', ("# user,a,b", '"#x",', "1,3,4")),
        (b'"% user",a,b\nx,,0\n1,3,4\n', ('"% user",a,b', "x,", "1,3,4")),
    ],
)
def test_no_line_of_the_table_becomes_a_comment(data, lines):
    options = ReadOptions(form="wide", delimiter=",", row_labels=True)
    table = read_table(data, options=options)
    export = to_csv_wide(*fill(table)).decode()
    assert all(line.startswith(start) for line, start in zip(export.splitlines(), lines, strict=True))
    long = to_csv_long(*fill(table))
    for back in (read_table(export.encode(), options=options), read_table(long)):
        assert back.ratings.row_labels == table.ratings.row_labels


SETTINGS = settings(deadline=None, suppress_health_check=list(HealthCheck))
test_any_dialect_round_trip = settings(SETTINGS, max_examples=25)(given(uploads())(check_round_trip))
test_any_dialect_round_trip_long = pytest.mark.slow(
    settings(SETTINGS, max_examples=400)(given(uploads())(check_round_trip))
)


@pytest.mark.parametrize(
    "rows, estimate, text",
    [
        (["1000000;2,5", "2000000,25;3", ";1"], 3022471.127, "3022471,13"),
        (["1000000;2,5", "2000000;3", ";1"], 3022471.127, "3022471"),
        (["1.000.000;2,5", "2.000.000,5;3", ";1"], 3022471.127, "3.022.471,1"),
        (["1,5E+06;2,5", "2,5E+06;3", ";1"], 3022471.127, "3,02247e+06"),
        (["0,00002;2,5", "0,00003;3", ";1"], 2.5e-5, "0,000025"),
    ],
)
def test_estimates_of_any_size_are_written_as_the_numbers_of_their_column_are(rows, estimate, text):
    data = "\n".join(["who;a;b", *(f"p{i};{row}" for i, row in enumerate(rows)), ""]).encode()
    table = read_table(data, options=ReadOptions(ratings="all-numbers"))
    written = to_csv(table, estimated(table, np.full((3, 2), estimate)))
    assert written == data.replace(b"p2;;", f"p2;{text};".encode())
