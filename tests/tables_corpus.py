"""Awkward files, made in code: each with the matrix, names and notes that must come out, or the error that must.

``X`` has None where a cell is missing; ``error`` is a part of the one sentence that a visitor reads.
"""

from __future__ import annotations

import gzip
import io
import zipfile
from dataclasses import dataclass, field
from datetime import date

import numpy as np

from metamf.tables import ReadOptions

_ = None


@dataclass(frozen=True)
class Case:
    name: str
    data: bytes
    X: list | None = None
    rows: tuple | None = None
    cols: tuple | None = None
    error: str | None = None
    form: str = "wide"
    notes: tuple[str, ...] = ()
    missing: dict | None = None
    options: ReadOptions = field(default_factory=ReadOptions)


def text(name, content, X=None, rows=None, cols=None, encoding="utf-8", options=None, **more) -> Case:
    return Case(name, content.encode(encoding), X, rows, cols, options=options or ReadOptions(), **more)


def workbook(sheets: dict, hidden: tuple = ()) -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
        sheet.sheet_state = "hidden" if title in hidden else "visible"
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def edited(data: bytes, member: str, old: bytes, new: bytes) -> bytes:
    """A zip archive in which ``old`` is replaced by ``new`` in one member."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            content = source.read(name)
            if name == member:
                assert old in content, content
                content = content.replace(old, new)
            target.writestr(name, content)
    return stream.getvalue()


def npy(array, **how) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, **how)
    return stream.getvalue()


def npz(**arrays) -> bytes:
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def zipped(**members: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "."), content)
    return stream.getvalue()


X = [[5, _, 3], [_, 4, 1]]
AB, ABC = ("ann", "bob"), ("Alien", "Brazil", "Clue")
PLAIN = "user,Alien,Brazil,Clue\nann,5,,3\nbob,,4,1\n"
LONG_X, LONG = [[5, 3], [4, _]], "user,item,rating\nann,Alien,5\nann,Brazil,3\nbob,Alien,4\n"
LC = ("Alien", "Brazil")
FORMULA = workbook({"S": [["", "Alien", "Brazil"], ["ann", 5, "=B2-1"], ["bob", 3, 2]]})
SHEET = "xl/worksheets/sheet1.xml"


def _delimiters():
    for name, d in (("semicolon", ";"), ("tab", "\t"), ("pipe", "|"), ("double-colon", "::")):
        yield text(f"delimiter-{name}", PLAIN.replace(",", d), X, AB, ABC)
    yield text("delimiter-space", "5 NA 3\nNA 4 1\n", X)
    yield text("delimiter-spaces-aligned", "  5   NA    3  \n NA    4    1 \n", X)
    yield text("delimiter-named-by-excel", "sep=;\n" + PLAIN.replace(",", ";"), X, AB, ABC)
    yield text("delimiter-given", "a;5|3\nb;4|1\n", error='"4|1" is no number', options=ReadOptions(delimiter=";"))
    yield text("one-column", "5\n\n3\n\n", [[5], [_], [3]])
    yield text("one-column-with-header", "rating\n5\n3\n", [[5], [3]], cols=("rating",))
    yield text("one-line", "5,,3", [[5, _, 3]])
    yield text("one-cell", "4", [[4]])


def _numbers():
    yield text("decimal-comma", "user;A;B\nann;3,5;\nbob;4;1,5\n", [[3.5, _], [4, 1.5]], AB, ("A", "B"))
    yield text("decimal-comma-quoted", 'user,A,B\nann,"3,5",\nbob,4,"1,5"\n', [[3.5, _], [4, 1.5]], AB, ("A", "B"))
    yield text("decimal-comma-savetxt", "1,5 2,5 3,0\n2,5 NA 1,0\n", [[1.5, 2.5, 3], [2.5, _, 1]])
    yield text("thousands-point", "a;b\n1.234,5;2\n3;1.000.000,0\n", [[1234.5, 2], [3, 1e6]], cols=("a", "b"))
    yield text("thousands-comma", 'a,b\n"1,234.5",2\n3,"1,000,000"\n', [[1234.5, 2], [3, 1e6]], cols=("a", "b"))
    yield text("thousands-space", "a;b\n1\u202f234,5;2\n3;12 000\n", [[1234.5, 2], [3, 12000]], cols=("a", "b"))
    yield text("thousands-apostrophe", "a;b\n1'234.5;2\n3;12'000\n", [[1234.5, 2], [3, 12000]], cols=("a", "b"))
    yield text(
        "ambiguous-comma", 'a,b\n"1,234",2\n3,4\n', [[1234, 2], [3, 4]], cols=("a", "b"), notes=("number format",)
    )
    yield text(
        "ambiguous-comma-semicolon",
        "a;b\n1,234;2\n3;4\n",
        [[1.234, 2], [3, 4]],
        cols=("a", "b"),
        notes=("number format",),
    )
    yield text(
        "ambiguous-comma-told",
        "a;b\n1,234;2\n3;4\n",
        [[1234, 2], [3, 4]],
        cols=("a", "b"),
        options=ReadOptions(thousands=","),
    )
    yield text(
        "mixed-formats", "a;b\n3.5;2.5\n1.5;2,5\n", [[3.5, 2.5], [1.5, 2.5]], cols=("a", "b"), notes=("mixed formats",)
    )
    yield text("signs-and-exponents", "a;b\n+3;-2.50\n\u22121.5;1e1\n", [[3, -2.5], [-1.5, 10]], cols=("a", "b"))
    yield text("spaces-around", "user , Alien , Brazil\nann , 5 ,  \nbob, 4,1\n", [[5, _], [4, 1]], AB, LC)
    yield text(
        "infinite",
        "a,b\ninf,2\n3,1e999\n-\u221e,4\n",
        [[_, 2], [3, _], [_, 4]],
        cols=("a", "b"),
        notes=("infinite values",),
    )
    yield text(
        "underscores-are-no-digits",
        "a,b\n1_000,2\n3,4\n",
        error='"1_000" is no number',
        options=ReadOptions(header=True),
    )
    yield text("hexadecimal", "a,b\n0x1F,2\n3,4\n", error='"0x1F" is no number')


def _missing():
    yield text(
        "missing-tokens",
        "user,a,b,c,d,e,f\nann,NA,NaN,null,-,?,5\nbob,n/a,None,,--,.,4\n",
        [[_, _, _, _, _, 5], [_, _, _, _, _, 4]],
        AB,
        tuple("abcdef"),
        missing={"NA": 1, "NaN": 1, "null": 1, "-": 1, "?": 1, "n/a": 1, "None": 1, "": 1, "--": 1, ".": 1},
    )
    marks = "user,a,b,c\nann,99,-3,2.5\nbob,4,99.00,1\n"
    yield text(
        "number-named-missing",
        marks,
        [[_, -3, 2.5], [4, _, 1]],
        AB,
        tuple("abc"),
        missing={"99": 1, "99.00": 1},
        options=ReadOptions(missing_markers=(99,)),
    )
    yield text(
        "text-named-missing",
        "user,a,b\nann,x,3\nbob,4,X\n",
        [[_, 3], [4, _]],
        AB,
        ("a", "b"),
        missing={"x": 1, "X": 1},
        options=ReadOptions(missing_markers=("x",)),
    )
    yield text("marker-suspected", marks, [[99, -3, 2.5], [4, 99, 1]], AB, tuple("abc"), notes=("suspected marker",))
    yield text("zero-is-a-rating", "user,a,b\nann,0,3\nbob,4,0.0\n", [[0, 3], [4, 0]], AB, ("a", "b"), missing={})
    yield text(
        "zero-said-missing",
        "user,a,b\nann,0,3\nbob,4,0.0\n",
        [[_, 3], [4, _]],
        AB,
        ("a", "b"),
        missing={"0": 1, "0.0": 1},
        options=ReadOptions(zero_is_missing=True),
    )
    yield text("nothing-observed", "user,a,b\nann,,\nbob,,NA\n", error="no observed cell")
    yield text(
        "empty-row-and-column",
        "user,a,b,c\nann,,,\nbob,4,,1\n",
        [[_, _, _], [4, _, 1]],
        AB,
        tuple("abc"),
        notes=("empty rows", "empty columns"),
    )
    yield text(
        "constant-column", "user,a,b\nann,3,1\nbob,3,2\n", [[3, 1], [3, 2]], AB, ("a", "b"), notes=("constant columns",)
    )


def _quoting_and_lines():
    yield text(
        "quoted-names",
        'user,"Alien, the","Bra""zil"\nann,5,\nbob,4,1\n',
        [[5, _], [4, 1]],
        AB,
        ("Alien, the", 'Bra"zil'),
    )
    yield text("quoted-line-end", 'user,"Al\nien",B\nann,5,\nbob,4,1\n', [[5, _], [4, 1]], AB, ("Al\nien", "B"))
    yield text(
        "quoted-after-space",
        'user, "Alien, the", B\nann, 5, 2\n"bob", 4, 1\n',
        [[5, 2], [4, 1]],
        AB,
        ("Alien, the", "B"),
    )
    yield text("all-quoted", '"user","Alien","Brazil"\n"ann","5",""\n"bob","4","1"\n', [[5, _], [4, 1]], AB, LC)
    yield text(
        "quotes-unpaired",
        'user\tA\tB\n"Weird Al" Y\t5\t\nbob\t4\t1\n',
        [[5, _], [4, 1]],
        ('"Weird Al" Y', "bob"),
        ("A", "B"),
        notes=("quotation marks",),
    )
    yield text(
        "quotes-never-closed",
        'user,A,B\n"ann,5,\nbob,4,1\n',
        [[5, _], [4, 1]],
        ('"ann', "bob"),
        ("A", "B"),
        notes=("quotation marks",),
    )
    yield text("line-ends-windows", PLAIN.replace("\n", "\r\n"), X, AB, ABC)
    yield text("line-ends-old-mac", PLAIN.replace("\n", "\r"), X, AB, ABC)
    yield text("line-ends-mixed", "user,Alien,Brazil,Clue\r\nann,5,,3\rbob,,4,1", X, AB, ABC)
    yield text("blank-lines", "\n\nuser,Alien,Brazil,Clue\n\nann,5,,3\n   \nbob,,4,1\n\n\n", X, AB, ABC)
    yield text("comments", "# from a\n% survey\n//2024\n" + PLAIN, X, AB, ABC)
    yield text(
        "comment-as-header", "# user,item,rating\nann,Alien,5\nann,Brazil,3\nbob,Alien,4\n", LONG_X, AB, LC, form="long"
    )
    yield text("title-lines", "My ratings\nspring\n" + PLAIN, X, AB, ABC, notes=("title lines",))
    yield text("delimiter-at-line-ends", PLAIN.replace("\n", ",\n"), X, AB, ABC, notes=("empty cells at the end",))
    yield text(
        "short-lines",
        "user,Alien,Brazil,Clue\nann,5\nbob,,4,1\n",
        [[5, _, _], [_, 4, 1]],
        AB,
        ABC,
        notes=("ragged lines",),
    )
    yield text("long-line", PLAIN + "cleo,1,2,3,4\n", error="line 4 has 5 cells where the table has 4")
    yield text("dos-end-of-file", PLAIN + "\x1a", X, AB, ABC)


def _encodings():
    name = "user,Amélie,Über,naïve\nann,5,,3\nbob,,4,1\n"
    cols = ("Amélie", "Über", "naïve")
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"):
        yield text(f"encoding-{encoding}", name, X, AB, cols, encoding)
    yield text(
        "encoding-cp1252",
        name.replace("naïve", "“naïve” – €"),
        X,
        AB,
        ("Amélie", "Über", "“naïve” – €"),
        "cp1252",
        notes=("encoding",),
    )
    cyrillic = "Служебный роман", "Иван Васильевич меняет профессию", "Москва слезам не верит"
    yield text(
        "encoding-cp1251",
        f"user,{','.join(cyrillic)}\nann,5,,3\nbob,,4,1\n",
        X,
        AB,
        cyrillic,
        "cp1251",
        notes=("encoding",),
    )
    yield text(
        "encoding-given",
        name,
        X,
        AB,
        tuple(c.encode("cp1252").decode("cp1250") for c in cols),
        "cp1252",
        options=ReadOptions(encoding="cp1250"),
    )
    yield text(
        "encoding-wrong",
        name,
        encoding="latin-1",
        error="not text in the encoding utf-8",
        options=ReadOptions(encoding="utf-8"),
    )
    yield text(
        "names-in-any-script", "user,映画,🎬 x,a\u0301\nann,5,,3\nbob,,4,1\n", X, AB, ("映画", "🎬 x", "a\u0301")
    )
    yield Case("gzip", gzip.compress(PLAIN.encode()), X, AB, ABC)
    yield Case("gzip-of-gzip", gzip.compress(gzip.compress(PLAIN.encode())), error="packed twice")
    yield Case("gzip-cut-off", gzip.compress(PLAIN.encode() * 99)[:-20], error="damaged or cut off")


def _headers_and_names():
    yield text("no-header-no-names", "5,,3\n,4,1\n", X)
    yield text("names-no-header", "ann,5,,3\nbob,,4,1\n", X, AB)
    yield text("header-no-names", "Alien,Brazil,Clue\n5,,3\n,4,1\n", X, cols=ABC)
    yield text("pandas-index", ",0,1,2\n0,5,,3\n1,,4,1\n", X, ("0", "1"), ("0", "1", "2"))
    yield text("numbered-users", "userId,1,7,23\n3,5,,3\n9,,4,1\n", X, ("3", "9"), ("1", "7", "23"))
    yield text("r-write-table", '"Alien" "Brazil" "Clue"\n"ann" 5 NA 3\n"bob" NA 4 1\n', X, AB, ABC)
    yield text(
        "duplicate-names",
        "user,A,A,B\nann,5,,3\nann,,4,1\n",
        X,
        ("ann", "ann"),
        ("A", "A", "B"),
        notes=("duplicate labels",) * 2,
    )
    yield text("nameless-column", "user,A,,B\nann,5,,3\nbob,,4,1\n", X, AB, ("A", "", "B"), notes=("empty labels",))
    yield text(
        "formula-names",
        "user,=1+1,@x,-A\n+cmd|' /C calc'!A0,5,,3\nbob,,4,1\n",
        X,
        ("+cmd|' /C calc'!A0", "bob"),
        ("=1+1", "@x", "-A"),
    )
    yield text(
        "escaped-names",
        "user,'=1+1,''@x,'t is\nann,5,,3\nbob,,4,1\n",
        X,
        AB,
        ("=1+1", "'@x", "'t is"),
        notes=("escaped labels",),
    )
    yield text("header-only", "user,Alien,Brazil\n", error="header line only")
    yield text("header-denied", "user,Alien\nann,5\n", error='"Alien" is no number', options=ReadOptions(header=False))
    yield text("names-denied", PLAIN, error='"ann" is no number', options=ReadOptions(row_labels=False))
    yield text(
        "text-in-a-cell",
        "user,Alien,B\nann,5,1\nbob,2,3\ncleo,abc,2\n",
        error='row 3 ("cleo"), column "Alien" (line 4): "abc" is no number',
    )
    yield text("formula-in-a-cell", "user,Alien,B\nann,=1+2,1\nbob,2,3\n", error='"=1+2" is no number')
    yield text("html", "<!DOCTYPE html>\n<html><body>\nnot found</body></html>\n", error="is a web page")
    yield text("json", '[{"user": 1, "item": 2, "rating": 3}]', error="is JSON")
    yield text("bracketed-names", "[user],[a],[b]\nann,5,3\nbob,,4\n", [[5, 3], [_, 4]], AB, ("[a]", "[b]"))
    for sign, advice in (("yes", "write 1 for yes"), ("85%", "leave the number alone"), ("€ 5", "leave the number"),
                         ("4/5", "leave the number"), ("4 - good", "leave the number"),
                         ("2024-01-02", "looks like a date"), ("\u2605\u2605", "how many stars")):  # fmt: skip
        yield text(f"cells-of-{sign}", f"user,a,b\nann,{sign},1\nbob,2,{sign}\ncleo,3,4\n", error=advice)
    yield text("total", "user,a,b,Total\nann,1,2,3\nbob,4,,4\n", [[1, 2, 3], [4, _, 4]], AB, ("a", "b", "Total"),
               notes=("summaries",))  # fmt: skip
    yield text("prose", "Dear all,\nhere are my ratings, as promised.\n", error="")


def _long():
    form = "When,Your mail,Which film?,Your answer\n"
    lines = ("9:01 am,ann,Alien,5\n9:02 am,ann,Brazil,3\n9:03 am,bob,Alien,4\n9:04 am,cy,Brazil,1\n9:05 am,cy,Alien,2\n"
             "9:06 am,bob,Brazil,2\n")  # fmt: skip
    yield text("long-of-a-web-form", form + lines, [[5, 3], [4, 2], [2, 1]], ("ann", "bob", "cy"), ("Alien", "Brazil"),
               form="long", notes=("ignored columns",))  # fmt: skip
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
    yield text("long-no-user", LONG + ",Brazil,2\n", error="line 5 names no row")
    yield text("long-text-value", LONG + "bob,Brazil,good\n", error='line 5, column "rating": "good" is no number')
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
    yield Case("xlsx-formula-without-value", FORMULA, error="cell C2 of sheet")
    yield Case(
        "xlsx-formula-with-value",
        edited(FORMULA, SHEET, b"<v></v>", b"<v>4</v>")
        if b"<v></v>" in _sheet(FORMULA)
        else edited(FORMULA, SHEET, b"<v />", b"<v>4</v>"),
        [[5, 4], [3, 2]],
        AB,
        LC,
        notes=("formulas",),
    )
    yield Case("xlsx-date", workbook({"S": [["", "a"], ["x", date(2024, 5, 3)], ["y", 2]]}), error="is no number")
    yield Case("xlsx-damaged", workbook({"S": rows})[:-200], error="damaged")
    yield Case(
        "xls-damaged", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"x" * 2000, error="cannot be read as an Excel file"
    )
    yield Case("zip-of-csv", zipped(a__csv=PLAIN.encode()), error="no Excel workbook")
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


CORPUS = [
    case
    for group in (_delimiters, _numbers, _missing, _quoting_and_lines, _encodings, _headers_and_names, _long, _binary)
    for case in group()
]
