"""Awkward files, made in code: each with the matrix, names and notes that must come out, or the error that must.

``X`` has None where a cell is missing; ``error`` is a part of the one sentence that a visitor reads.
"""

from __future__ import annotations

import gzip

from awkward_files import AB, ABC, LC, LONG_X, PLAIN, Case, X, _, text
from tables_corpus_layouts import layouts

from metamf.tables import ReadOptions

ALL = ReadOptions(ratings="all-numbers")


def _delimiters():
    for name, d in (("semicolon", ";"), ("tab", "\t"), ("pipe", "|"), ("double-colon", "::")):
        yield text(f"delimiter-{name}", PLAIN.replace(",", d), X, AB, ABC)
    yield text("delimiter-space", "5 NA 3\nNA 4 1\n", X)
    yield text("delimiter-spaces-aligned", "  5   NA    3  \n NA    4    1 \n", X)
    yield text("delimiter-named-by-excel", "sep=;\n" + PLAIN.replace(",", ";"), X, AB, ABC)
    yield text("delimiter-given", "a;5|3\nb;4|1\n", error='"4|1" is not a number', options=ReadOptions(delimiter=";"))
    yield text("one-column", "5\n\n3\n\n", [[5], [_], [3]])
    yield text("one-column-with-header", "rating\n5\n3\n", [[5], [3]], cols=("rating",))
    yield text("one-line", "5,,3", [[5, 3]])
    yield text("one-cell", "4", [[4]])


def _numbers():
    yield text("decimal-comma", "user;A;B\nann;3,5;\nbob;4;1,5\n", [[3.5, _], [4, 1.5]], AB, ("A", "B"))
    yield text("decimal-comma-quoted", 'user,A,B\nann,"3,5",\nbob,4,"1,5"\n', [[3.5, _], [4, 1.5]], AB, ("A", "B"))
    yield text("decimal-comma-savetxt", "1,5 2,5 3,0\n2,5 NA 1,0\n", [[1.5, 2.5, 3], [2.5, _, 1]])
    yield text(
        "thousands-point", "a;b\n1.234,5;2\n3;1.000.000,0\n", [[1234.5, 2], [3, 1e6]], cols=("a", "b"), options=ALL
    )
    yield text(
        "thousands-comma", 'a,b\n"1,234.5",2\n3,"1,000,000"\n', [[1234.5, 2], [3, 1e6]], cols=("a", "b"), options=ALL
    )
    yield text(
        "thousands-space", "a;b\n1\u202f234,5;2\n3;12 000\n", [[1234.5, 2], [3, 12000]], cols=("a", "b"), options=ALL
    )
    yield text(
        "thousands-apostrophe", "a;b\n1'234.5;2\n3;12'000\n", [[1234.5, 2], [3, 12000]], cols=("a", "b"), options=ALL
    )
    yield text(
        "ambiguous-comma",
        'a,b\n"1,234",2\n3,4\n',
        [[1234, 2], [3, 4]],
        cols=("a", "b"),
        notes=("number format",),
        options=ALL,
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
        options=ReadOptions(thousands=",", ratings="all-numbers"),
    )
    yield text("mixed-formats", "a;b\n3.5;2.5\n1.5;2,5\n", error="or a number with another decimal sign")
    yield text("signs-and-exponents", "a;b\n+3;-2.50\n\u22121.5;1e1\n", [[3, -2.5], [-1.5, 10]], cols=("a", "b"))
    yield text("spaces-around", "user , Alien , Brazil\nann , 5 ,  \nbob, 4,1\n", [[5, _], [4, 1]], AB, LC)
    yield text(
        "infinite",
        "a,b\ninf,2\n3,1e999\n-\u221e,4\n",
        [[_, 2], [3, _], [_, 4]],
        cols=("a", "b"),
        missing={"inf": 1, "1e999": 1, "-\u221e": 1},
    )
    yield text(
        "underscores-are-no-digits",
        "a,b\n1_000,2\n3,4\n",
        error='"1_000" is not a number',
        options=ReadOptions(header=True),
    )
    yield text("hexadecimal", "a,b\n0x1F,2\n3,4\n", error='"0x1F" is not a number')


def _missing():
    yield text(
        "missing-tokens",
        "user,a,b,c,d,e,f\nann,NA,NaN,null,-,?,5\nbob,n/a,None,,--,.,4\ncy,1,2,3,4,5,3\n",
        [[_, _, _, _, _, 5], [_, _, _, _, _, 4], [1, 2, 3, 4, 5, 3]],
        (*AB, "cy"),
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
    many = "a,b,c\n" + "".join(f"{v},{v % 5 + 1},{-99 if v < 3 else v}\n" for v in (1, 2, 3, 4, 5) * 2)
    yield text("marker-suspected", many, error='"c" contains -99, far from its other values')
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
    yield text("nothing-observed", "user,a,b\nann,,\nbob,,NA\n", error="the table has no ratings")
    yield text(
        "empty-row-and-column",
        "user,a,b,c\nann,,,\nbob,4,,1\n",
        [[_, _], [4, 1]],
        AB,
        ("a", "c"),
        notes=("empty rows",),
    )
    yield text("constant-column", "user,a,b\nann,3,1\nbob,3,2\n", [[3, 1], [3, 2]], AB, ("a", "b"))


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
    yield text("delimiter-at-line-ends", PLAIN.replace("\n", ",\n"), X, AB, ABC)
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
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1"):
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
    yield Case("gzip-of-gzip", gzip.compress(gzip.compress(PLAIN.encode())), error="compressed twice")
    yield Case("gzip-cut-off", gzip.compress(PLAIN.encode() * 99)[:-20], error="damaged or cut off")


GROUPS = (_delimiters, _numbers, _missing, _quoting_and_lines, _encodings, layouts)
CORPUS = [case for group in GROUPS for case in group()]
