"""Awkward files of ``tables_corpus``: headers and names, long tables, workbooks and arrays."""

from __future__ import annotations

import io
import zipfile
from datetime import date

import numpy as np
from awkward_files import (
    AB,
    ABC,
    FORMULA,
    LC,
    LONG,
    LONG_X,
    PLAIN,
    SHEET,
    Case,
    X,
    _,
    edited,
    npy,
    npz,
    text,
    workbook,
    zipped,
)

from metamf.tables import ReadOptions


def _headers_and_names():
    yield text("no-header-no-names", "5,,3\n,4,1\n", X)
    yield text("names-no-header", "ann,5,,3\nbob,,4,1\n", X, AB)
    yield text("header-no-names", "Alien,Brazil,Clue\n5,,3\n,4,1\n", X, cols=ABC)
    yield text("pandas-index", ",0,1,2\n0,5,,3\n1,,4,1\n", X, ("0", "1"), ("0", "1", "2"))
    yield text("numbered-users", "userId,1,7,23\n3,5,,3\n9,,4,1\n", X, ("3", "9"), ("1", "7", "23"))
    yield text("r-write-table", '"Alien" "Brazil" "Clue"\n"ann" 5 NA 3\n"bob" NA 4 1\n', X, AB, ABC)
    yield text("duplicate-names", "user,A,A,B\nann,5,,3\nann,,4,1\n", X, ("ann", "ann"), ("A", "A", "B"))
    yield text("nameless-column", "user,A,,B\nann,5,,3\nbob,,4,1\n", X, AB, ("A", "", "B"))
    yield text(
        "formula-names",
        "user,=1+1,@x,-A\n+cmd|' /C calc'!A0,5,,3\nbob,,4,1\n",
        X,
        ("+cmd|' /C calc'!A0", "bob"),
        ("=1+1", "@x", "-A"),
    )
    yield text("escaped-names", "user,'=1+1,''@x,'t is\nann,5,,3\nbob,,4,1\n", X, AB, ("=1+1", "'@x", "'t is"))
    yield text("header-only", "user,Alien,Brazil\n", error="only a header line")
    yield text(
        "header-denied", "user,Alien\nann,5\n", error='"Alien" is not a number', options=ReadOptions(header=False)
    )
    yield text("names-denied", PLAIN, X, None, ABC, options=ReadOptions(row_labels=False))
    yield text(
        "text-in-a-cell",
        "user,Alien,B\nann,5,1\nbob,2,3\ncleo,abc,2\n",
        error='line 4, column "Alien": "abc" is not a number',
    )
    yield text("formula-in-a-cell", "user,Alien,B\nann,=1+2,1\nbob,2,3\n", error='"=1+2" is not a number')
    yield text("html", "<!DOCTYPE html>\n<html><body>\nnot found</body></html>\n", error="is a web page")
    yield text("json", '[{"user": 1, "item": 2, "rating": 3}]', error="is JSON")
    yield text("bracketed-names", "[user],[a],[b]\nann,5,3\nbob,,4\n", [[5, 3], [_, 4]], AB, ("[a]", "[b]"))
    for sign, advice in (
        ("yes", "write 1 for yes"),
        ("85%", "write only the number"),
        ("€ 5", "write only the number"),
        ("4/5", "write only the number"),
        ("2024-01-02", "looks like a date"),
        ("\u2605\u2605", "write only the number"),
    ):
        yield text(f"cells-of-{sign}", f"user,a,b\nann,{sign},1\nbob,2,{sign}\ncleo,3,4\n", error=advice)
    yield text("total", "user,a,b,Total\nann,1,2,3\nbob,4,,4\n", [[1, 2], [4, _]], AB, ("a", "b"))
    yield text("prose", "Dear all,\nhere are my ratings, as promised.\n", error="")


def _long():
    form = "When,Your mail,Which film?,Your answer\n"
    lines = (
        "9:01 am,ann,Alien,5\n9:02 am,ann,Brazil,3\n9:03 am,bob,Alien,4\n9:04 am,cy,Brazil,1\n9:05 am,cy,Alien,2\n"
        "9:06 am,bob,Brazil,2\n"
    )
    yield text(
        "long-of-a-web-form",
        form + lines,
        [[5, 3], [4, 2], [2, 1]],
        ("ann", "bob", "cy"),
        ("Alien", "Brazil"),
        form="long",
        notes=("ignored columns",),
    )
    yield text("long", LONG, LONG_X, AB, LC, form="long")
    yield text("long-no-header", "ann,Alien,5\nann,Brazil,3\nbob,Alien,4\n", LONG_X, AB, LC, form="long")
    yield text(
        "long-movielens",
        "1\t20\t5\t881250949\n1\t10\t3\t891717742\n7\t20\t4\t878887116\n7\t30\t1\t880606923\n",
        [[5, 3, _], [4, _, 1]],
        ("1", "7"),
        ("20", "10", "30"),
        form="long",
        notes=("ignored columns",),
    )
    yield text(
        "long-other-order",
        "timestamp,rating,movieId,userId\n9,5,Alien,ann\n9,3,Brazil,ann\n9,4,Alien,bob\n",
        LONG_X,
        AB,
        LC,
        form="long",
        notes=("ignored columns",),
    )
    yield text(
        "long-columns-named",
        "x,y,z,w\nAlien,5,q,ann\nBrazil,3,q,ann\nAlien,4,q,bob\n",
        LONG_X,
        AB,
        LC,
        form="long",
        options=ReadOptions(row_column="w", column_column=0, value_column="y"),
    )
    yield text("long-column-unknown", LONG, error='no column "film"', options=ReadOptions(column_column="film"))
    yield text(
        "long-missing-values",
        LONG + "bob,Brazil,NA\ncleo,Alien,\n",
        [[5, 3], [4, _], [_, _]],
        ("ann", "bob", "cleo"),
        LC,
        form="long",
        missing={"NA": 1, "": 1},
        notes=("empty rows",),
    )
    again = LONG + "ann,Alien,2\n"
    yield text("long-duplicates", again, error='("ann", "Alien") in lines 2 and 5')
    for how, value in (("mean", 3.5), ("last", 2), ("first", 5)):
        yield text(
            f"long-duplicates-{how}",
            again,
            [[value, 3], [4, _]],
            AB,
            LC,
            form="long",
            notes=("duplicates",),
            options=ReadOptions(duplicates=how),
        )
    yield text("long-no-user", LONG + ",Brazil,2\n", error="line 5 has no row name")
    yield text("long-text-value", LONG + "bob,Brazil,good\n", error='line 5, column "rating": "good" is not a number')
    yield text(
        "long-spaces", "user,item,rating\nann,Alien ,5\n ann,Brazil,3\nbob, Alien,4\n", LONG_X, AB, LC, form="long"
    )
    yield text(
        "long-read-as-wide",
        "user,item,rating\nann,1,5\nbob,2,3\n",
        [[1, 5], [2, 3]],
        AB,
        ("item", "rating"),
        options=ReadOptions(form="wide"),
    )
    yield text("wide-read-as-long", "5,3\n4,1\n", error="needs three columns", options=ReadOptions(form="long"))


def _binary():
    rows = [["user", *ABC], ["ann", 5, None, 3], ["bob", None, 4, 1.0]]
    yield Case("xlsx", workbook({"Sheet": rows}), X, AB, ABC)
    yield Case(
        "xlsx-fractions", workbook({"S": [["", "a"], ["x", 0.1], ["y", 1 / 3]]}), [[0.1], [1 / 3]], ("x", "y"), ("a",)
    )
    yield Case(
        "xlsx-numbers-as-text",
        workbook({"S": [["", "a"], ["x", "3,5"], ["y", "NA"]]}),
        [[3.5], [_]],
        ("x", "y"),
        ("a",),
    )
    yield Case(
        "xlsx-offset",
        workbook({"S": [[], [None, "user", *ABC], [], [None, "ann", 5, None, 3], [None, "bob", None, 4, 1], []]}),
        X,
        AB,
        ABC,
    )
    two = {"Notes": [["hello"]], "Data": rows, "Secret": rows}
    yield Case(
        "xlsx-sheet-named",
        workbook(two, hidden=("Secret",)),
        X,
        AB,
        ABC,
        notes=("sheets",),
        options=ReadOptions(sheet="Data"),
    )
    yield Case("xlsx-sheet-with-the-table", workbook(two), X, AB, ABC, notes=("sheets",))
    yield Case("xlsx-sheet-unknown", workbook(two), error="no sheet 'X'", options=ReadOptions(sheet="X"))
    yield Case("xlsx-empty", workbook({"S": []}), error="is empty")
    yield Case(
        "xlsx-formula-without-value", FORMULA, error='"=B2-1" is not a number; it is a formula without a stored value'
    )
    yield Case(
        "xlsx-formula-with-value",
        edited(FORMULA, SHEET, b"<v></v>", b"<v>4</v>")
        if b"<v></v>" in _sheet(FORMULA)
        else edited(FORMULA, SHEET, b"<v />", b"<v>4</v>"),
        [[5, 4], [3, 2]],
        AB,
        LC,
    )
    yield Case("xlsx-date", workbook({"S": [["", "a"], ["x", date(2024, 5, 3)], ["y", 2]]}), error="is not a number")
    yield Case("xlsx-damaged", workbook({"S": rows})[:-200], error="damaged")
    yield Case(
        "xls-damaged", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"x" * 2000, error="damaged, or protected by a password"
    )
    yield Case("zip-of-csv", zipped(a__csv=PLAIN.encode()), error="not an Excel workbook")
    M = np.array([[5, np.nan, 3], [np.nan, 4, 1]])
    yield Case("npy", npy(M), X)
    yield Case("npy-fortran-float32", npy(np.asfortranarray(M.astype(np.float32))), X)
    yield Case("npy-integers", npy(np.array([[1, 2], [3, 4]])), [[1, 2], [3, 4]])
    yield Case(
        "npy-objects",
        npy(np.array([[1, None]], dtype=object), allow_pickle=True),
        error="Python objects, which are never read",
    )
    yield Case("npy-one-dimension", npy(np.arange(3.0)), error="shape (3,)")
    yield Case("npy-cut-off", npy(M)[:-1], error="cut off")
    yield Case("npz", npz(M=M), X)
    yield Case("npz-two", npz(M=M, W=M), error="holds 2 arrays")


def _sheet(data: bytes) -> bytes:
    return zipfile.ZipFile(io.BytesIO(data)).read(SHEET)


def layouts():
    """Every case of this file."""
    for group in (_headers_and_names, _long, _binary):
        yield from group()
