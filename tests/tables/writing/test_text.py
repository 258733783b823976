"""CSV: to the character where observed, in the dialect in which the table was read."""

import io

import numpy as np
import openpyxl
import pytest
from awkward_files import LONG, PLAIN
from exports import again, assert_same_observed, fill
from tables_corpus import CORPUS

from metamf import Ratings
from metamf.tables import ReadOptions, read_table
from metamf.tables.writing.filled import CLIPPED, HELD_OUT, IMPUTED, OBSERVED, Filled
from metamf.tables.writing.text import to_csv_long, to_csv_wide
from metamf.tables.writing.workbook import to_excel


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


def test_a_mean_of_duplicates_is_written_with_all_its_digits():
    data = (LONG + "ann,Alien,4\nann,Alien,4\n").encode()
    filled = fill(read_table(data, options=ReadOptions(duplicates="mean")))
    assert to_csv_wide(filled).decode().splitlines()[1].startswith(f"ann,{13 / 3!r},3")


def test_ratings_from_elsewhere_are_written_as_plain_csv():
    X = np.array([[5, np.nan], [0.1, 3]])
    assert to_csv_wide(fill(Ratings.from_dense(X))) == b"5,0.26\n0.1,3\n"
    named = Ratings.from_dense(X, row_labels=("=a", 7), col_labels=("x,y", "é"))
    assert to_csv_wide(fill(named)).decode() == ',"x,y",é\n\'=a,5,0.26\n7,0.1,3\n'
    assert to_csv_long(fill(Ratings.from_dense(X))).decode().splitlines()[2] == "1,2,0.26,imputed,0.26,"


def test_the_long_export_can_be_read_as_an_upload():
    filled = fill(read_table(PLAIN.encode()), method="ours")
    back = read_table(to_csv_long(filled))
    assert back.report.layout.form == "long" and back.ratings.nnz == 6
    np.testing.assert_allclose(back.ratings.to_dense(), filled.values)
