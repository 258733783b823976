"""What the awkward files of ``tables_corpus`` are made of."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, field

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
