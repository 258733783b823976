"""Writing: only gaps change, in any dialect, workbook or form, and each cell tells where it comes
from."""

import csv
import io
import json

import numpy as np
import openpyxl
import pandas as pd
import pytest
from awkward_files import LONG, PLAIN, corpus, workbook
from exports import estimated, fill, values
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metamf import Ratings
from metamf.tables import Plan, TableError, apply, read, write
from metamf.tables.write import to_csv, to_csv_long, to_csv_wide, to_excel, to_parquet
from metamf.version import __version__


def book_of(*filled):
    return openpyxl.load_workbook(io.BytesIO(to_excel(*filled)))


DECIMAL = PLAIN.replace("3", "3.00").replace("4", "4.00").replace("5", "5.00")


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
    assert to_csv_wide(read(data)) == data


def test_a_long_upload_keeps_its_order_in_the_long_export():
    table = read((LONG + "cleo,Brazil,NA\n").replace("5", "5.00").encode())
    X = np.full(table.ratings.shape, 1.5)
    filled = fill(table, lower=X, upper=X + 3, level=0.9, method="ours")
    lines = to_csv_long(*filled).decode().splitlines()
    assert lines[:5] == [
        "user,item,rating,provenance,estimate,lower,upper,interval,method",
        "ann,Alien,5.00,observed,,,,,",
        "ann,Brazil,3,observed,,,,,",
        "bob,Alien,4,observed,,,,,",
        "cleo,Brazil,2.26,imputed,2.26,1.5,4.5,0.9,ours",
    ]
    assert {line.rsplit(",", 7)[0] for line in lines[5:]} == {"bob,Brazil", "cleo,Alien"}
    assert to_csv_wide(*filled).decode().splitlines()[0] == "user,Alien,Brazil"


def test_provenance_tells_held_out_and_clipped_cells():
    table = read(DECIMAL.replace(",", ";").replace("5.00", "4,50").replace(".", ",").encode())
    filled = fill(table, clipped=[(0, 1)], hidden=[(0, 2)], method="m")
    rows = [line.split(";") for line in to_csv_long(*filled).decode().splitlines()]
    assert rows[:4] == [
        ["row", "column", "value", "provenance", "estimate", "method"],
        ["ann", "Alien", "4,50", "observed", "", ""],
        ["ann", "Brazil", "0,26", "clipped", "0,26", "m"],
        ["ann", "Clue", "3,00", "held out", "0,27", "m"],
    ]
    assert to_csv_wide(*filled).decode().splitlines()[1] == "ann;4,50;0,26;3,00"
    held_out = book_of(*filled)["Held out"]
    head = ("row", "column", "rating", "estimate")
    assert list(held_out.values) == [head, ("ann", "Clue", 3, 0.27)]


def test_a_mean_of_duplicates_is_written_with_all_its_digits():
    data = (LONG + "ann,Alien,4\nann,Alien,4\n").encode()
    filled = fill(read(data))
    assert to_csv_wide(*filled).decode().splitlines()[1].startswith(f"ann,{13 / 3!r},3")


def test_ratings_from_elsewhere_are_written_as_plain_csv():
    X = np.array([[5, np.nan], [0.1, 3]])
    plain = fill(Ratings.from_dense(X))
    assert to_csv_wide(*plain) == b"5,0.26\n0.1,3\n"
    assert to_csv_long(*plain).splitlines()[2] == b"1,2,0.26,imputed,0.26,"
    named = Ratings.from_dense(X, row_labels=("=a", 7), col_labels=("x,y", "é"))
    assert to_csv_wide(*fill(named)).decode() == ',"x,y",é\n\'=a,5,0.26\n7,0.1,3\n'


def test_the_long_export_can_be_read_as_an_upload():
    filled = fill(read(DECIMAL.encode()), method="ours")
    back = read(to_csv_long(*filled))
    assert back.plan.form == "long" and back.ratings.nnz == 6
    np.testing.assert_allclose(back.ratings.to_dense(), values(*filled))


def test_excel_shows_where_each_cell_comes_from():
    ends = np.full((2, 3), 1.5)
    origins = {"clipped": [(0, 1)], "hidden": [(0, 2)]}
    about = {"lower": ends, "upper": ends + 1, "level": 0.8, "method": "ours"}
    filled = fill(read(DECIMAL.encode()), **origins, **about)
    book = book_of(*filled)
    assert book.sheetnames == ["Filled", "Lower", "Upper", "Held out", "Legend"]
    sheet = book["Filled"]
    assert [cell.value for cell in sheet[2]] == ["ann", 5, 0.26, 3]
    assert sheet["B1"].value == "Alien"
    colours = {cell.coordinate: cell.fill.fgColor.rgb for row in sheet["B2:D3"] for cell in row}
    assert len({colours[cell] for cell in ("C2", "B3", "B2")}) == 3
    assert colours["B2"] == colours["C3"] == colours["D2"]
    assert sheet["B3"].font.italic
    assert not sheet["B2"].font.italic
    legend = {row[0].value: row[2].value for row in book["Legend"]["A2:C6"]}
    assert legend == {"observed": 3, "held out": 1, "imputed": 1, "clipped": 1, "missing": 0}
    back = read(to_excel(*filled))
    np.testing.assert_allclose(back.ratings.to_dense(), values(*filled))
    assert back.ratings.row_labels == ("ann", "bob")


def test_a_table_too_wide_for_excel_is_refused():
    with pytest.raises(TableError, match="16,383 columns"):
        to_excel(Ratings([0], [0], [1.0], (1, 16_384)))


def test_parquet_holds_the_same_rows_as_the_long_csv():
    ends = {"lower": np.ones((2, 2)), "upper": np.full((2, 2), 2.0), "level": 0.5}
    filled = fill(read(LONG.encode()), **ends, method="ours")
    frame = pd.read_parquet(io.BytesIO(to_parquet(*filled)))
    csv = pd.read_csv(io.BytesIO(to_csv_long(*filled)), keep_default_na=False)
    csv.columns = frame.columns
    texts, numbers = ["row", "column", "provenance", "method"], ["value", "estimate", "lower"]
    assert frame[texts].to_numpy().tolist() == csv[texts].to_numpy().tolist()
    np.testing.assert_allclose(frame[numbers], csv[numbers].replace("", "nan").astype(float))


def test_ends_have_six_digits_and_estimates_those_of_their_column():
    X = np.full((2, 3), 1 / 3)
    table = read(DECIMAL.encode())
    book = book_of(table, estimated(table, X, lower=X, upper=X + 1, level=0.8))
    lower, shown = (
        {cell for row in book[title].iter_rows(2, min_col=2, values_only=True) for cell in row}
        for title in ("Lower", "Filled")
    )
    assert lower == {None, 0.333333}
    assert 0.33 in shown
    assert 1 / 3 not in shown


def test_no_name_breaks_the_workbook():
    """A file with a character that XML forbids is one that Excel calls damaged."""
    names = ("a\ufffe\uffff\x01\x1f\ud800b", "é\U0001f600")
    ratings = Ratings.from_dense(np.array([[5.0, np.nan], [1.0, 2.0]]), row_labels=names)
    book = book_of(ratings, estimated(ratings, np.full((2, 2), 3.0), method=names[0]))
    written = [cell.value for cell in book["Filled"]["A"][1:]]
    assert written == ["a" + 5 * "\N{REPLACEMENT CHARACTER}" + "b", "é\U0001f600"]


def test_an_answer_about_another_table_is_refused():
    message = r"the answer has shape \(3, 2\), the table has shape \(2, 3\)"
    with pytest.raises(TableError, match=message):
        to_csv(read(PLAIN.encode()), estimated(read(b"a,b\n1,2\n3,\n,4\n"), np.zeros((3, 2))))


def test_a_long_table_names_what_a_wide_one_leaves_without_a_name():
    table = read(b"user,tea,,film\nann,1,2,3\nbob,4,,5\n,2,3,1\ncy,5,3,2\n")
    back = read(to_csv_long(*fill(table)))
    assert back.ratings.row_labels == ("ann", "bob", "row 3", "cy")
    assert back.ratings.col_labels == ("tea", "column 3", "film")
    assert np.array_equal(back.ratings.to_dense(), np.round(values(*fill(table))))
    frame = pd.read_parquet(io.BytesIO(to_parquet(*fill(table))))
    assert frame.column.unique().tolist() == ["tea", "column 3", "film"]
    assert "row 3" in frame.row.values


LABELS = st.text(alphabet="aé映'=+-@# \t\n\",;|:1", min_size=1, max_size=5).filter(
    lambda s: s.strip()
)


@st.composite
def uploads(draw):
    """A wide CSV in some dialect, and what is said of it."""
    decimal = draw(st.sampled_from([".", ","]))
    delimiter = draw(st.sampled_from([",", ";", "\t", "|"]))
    n_rows, n_cols = draw(st.integers(1, 5)), draw(st.integers(2, 5))
    labels, header = draw(st.booleans()), draw(st.booleans())
    number = st.one_of(
        st.integers(-10, 10).map(str),
        st.sampled_from(["+3", "03", "2e1", "-0"]),
        st.tuples(*[st.integers(0, 99)] * 2).map(lambda t: f"{t[0]}{decimal}{t[1]:02d}"),
    )
    cell = st.one_of(number, number, st.sampled_from(["", "NA", "?", "-"]))
    rows = [[draw(cell) for _ in range(n_cols)] for _ in range(n_rows)]
    rows[0] = [draw(number) for _ in range(n_cols)]
    lines = [([draw(LABELS)] if labels else []) + row for row in rows]
    if header:
        lines.insert(0, (["user"] if labels else []) + [draw(LABELS) for _ in range(n_cols)])
    everywhere = draw(st.booleans())

    def quoted(text):
        plain = text and not any(c in text for c in (delimiter, '"', "\n", "\r", " "))
        return text if plain and not everywhere else '"' + text.replace('"', '""') + '"'

    newline = draw(st.sampled_from(["\n", "\r\n"]))
    text = newline.join(delimiter.join(map(quoted, line)) for line in lines) + newline
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "gb18030"]))
    edits = [f"delimiter: {delimiter}", f"decimal: {decimal}", "thousands: none", "form: wide"]
    edits += [f"encoding: {encoding}", f"header: {int(header)}"]
    return text.encode(encoding), edits, range(labels, labels + n_cols)


def check_round_trip(upload):
    """The file itself without estimates; with them, the same plan reads the same numbers, and no
    gap is left."""
    data, edits, numbers = upload
    try:
        table = read(data, edits=[*edits, *(f"{j + 1}: fill" for j in numbers)])
    except TableError:
        return  # such as a first name that begins like a comment
    assert to_csv(table) == data
    back = apply(to_csv(*fill(table)), table.plan)
    ratings = table.ratings
    assert back.ratings.row_labels == ratings.row_labels
    X, Y = ratings.to_dense(), back.ratings.to_dense()
    np.testing.assert_array_equal(Y[~np.isnan(X)], X[~np.isnan(X)])
    assert back.n_gaps == 0


@pytest.mark.parametrize("name", corpus())
def test_only_gaps_of_the_corpus_are_written(name):
    """Without estimates, a file comes back byte for byte."""
    data = corpus()[name]
    try:
        table = read(data)
    except TableError:
        return
    assert to_csv(table) == data
    back = apply(to_csv(*fill(table)), table.plan)
    N, M = table.ratings.shape
    X, Y = table.ratings.to_dense(), back.ratings.to_dense()[:N, :M]
    np.testing.assert_array_equal(Y[~np.isnan(X)], X[~np.isnan(X)])


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b'#,0,0\n"#b",,0\n1,0,0\n', ("#,0,0", '"#b",', "1,0,0")),
        (b'user,a,b\n"#x",,0\n"//",3,4\n', ("user,a,b", '"#x",', '"//",3,4')),
        (b'# user,a,b\n"#x",,0\n1,3,4\n', ("# user,a,b", '"#x",', "1,3,4")),
        (b'"% user",a,b\nx,,0\n1,3,4\n', ('"% user",a,b', "x,", "1,3,4")),
    ],
)
def test_no_line_of_the_table_becomes_a_comment(data, lines):
    table = read(data, edits=["form: wide", "delimiter: ,", "1: name"])
    export = to_csv_wide(*fill(table)).decode().splitlines()
    assert all(map(str.startswith, export, lines))
    assert len(export) == len(lines)


SETTINGS = settings(deadline=None, suppress_health_check=list(HealthCheck))
test_any_dialect_round_trip = settings(SETTINGS, max_examples=25)(
    given(uploads())(check_round_trip)
)
test_any_dialect_round_trip_long = pytest.mark.slow(
    settings(SETTINGS, max_examples=400)(given(uploads())(check_round_trip))
)


@pytest.mark.parametrize(
    ("rows", "estimate", "text"),
    [
        (["1000000;2,5", "2000000,25;3", ";1"], 3022471.127, "3022471"),  # six digits at least
        (["1.000.000;2,5", "2.000.000,5;3", ";1"], 3022471.127, "3.022.471"),
        (["1,25;2,5", "2;3", ";1"], 3.0224, "3,02"),
        (["0,00002;2,5", "0,00003;3", ";1"], 2.6e-5, "0,00003"),
        (["17%;2,5", "20%;3", ";1"], 18.7, "19%"),
        (["1:05.02;2", "2:00.10;3", ";1"], 91.456, "1:31.46"),
    ],
)
def test_estimates_are_written_as_the_numbers_of_their_column_are(rows, estimate, text):
    data = "\n".join(["who;a;b", *(f"p{i};{row}" for i, row in enumerate(rows)), ""]).encode()
    table = read(data)
    written = to_csv(table, estimated(table, np.full((3, 2), estimate)))
    assert written == data.replace(b"p2;;", f"p2;{text};".encode())


def test_numbers_below_zero_of_a_workbook_are_numbers_in_the_csv():
    table = read(workbook({"S": [["", "a", "b"], ["x", -1.5, 2], ["y", 2, -3], ["z", None, 1]]}))
    assert to_csv(table) == b",a,b\nx,-1.5,2\ny,2,-3\nz,,1\n"


WORDS = (
    b"who,q1,age\nann,never,20\nbo,often,\ncy,,40\ndi,sometimes,50\nem,rarely,30\nfi,always,45\n"
)


@pytest.fixture
def table():
    return read(WORDS)


def answer(table, **more):
    X = np.full(table.ratings.shape, 3.1)
    return estimated(table, X, lower=X - 1, upper=X + 1, level=0.9, **more)


def test_a_line_per_cell_has_the_number_and_the_word_in_two_columns(table):
    text = write.to_csv_long(table, answer(table)).decode()
    rows = {(row["row"], row["column"]): row for row in csv.DictReader(io.StringIO(text))}
    assert (rows["bo", "q1"]["value"], rows["bo", "q1"]["text"]) == ("4", "often")
    assert rows["cy", "q1"]["text"] == "sometimes"
    assert (rows["cy", "q1"]["value"], rows["cy", "q1"]["estimate"]) == ("3", "3.1")
    assert rows["ann", "age"]["text"] == "20"
    frame = pd.read_parquet(io.BytesIO(write.to_parquet(table, answer(table))))
    assert frame.set_index(["row", "column"]).loc[("bo", "q1"), "text"] == "often"


def test_of_numbers_alone_a_line_per_cell_has_no_column_of_words():
    table = read(b"who,a,b\nann,1,\nbo,2,3\ncy,4,5\n")
    header = write.to_csv_long(table, answer(table)).decode().splitlines()[0]
    assert "text" not in header.split(",")


def test_the_legend_says_version_seed_plan_and_digest(table):
    book = openpyxl.load_workbook(io.BytesIO(write.to_excel(table, answer(table), seed=7)))
    legend = [row[:2] for row in book["Legend"].iter_rows(values_only=True)]
    said = dict(legend)
    assert said["version"] == f"MetaMF {__version__}"
    assert said["seed"] == 7
    assert said["SHA-256 of the file"] == table.digest
    plan = "\n".join(value for name, value in legend if name == "plan")
    assert Plan.from_json(plan) == table.plan


def test_ends_of_intervals_are_blank_where_a_cell_is_given(table):
    book = openpyxl.load_workbook(io.BytesIO(write.to_excel(table, answer(table))))
    rows = {row[0]: row[1:] for row in book["Lower"].iter_rows(values_only=True)}
    assert rows["ann"] == (None, None)
    assert rows["bo"] == (None, 2.1)


def test_what_made_a_plan_stands_in_its_json_and_is_not_read(table):
    text = table.plan.to_json(metamf=__version__, seed=0, sha256=table.digest)
    assert json.loads(text)["about"] == {"metamf": __version__, "seed": 0, "sha256": table.digest}
    assert Plan.from_json(text) == table.plan
