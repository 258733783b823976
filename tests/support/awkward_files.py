"""Awkward files: texts of right/corpus.toml, workbooks and arrays made in code, and archives of
which a member is edited."""

from __future__ import annotations

import io
import tomllib
import zipfile
from pathlib import Path

import numpy as np

RIGHT = Path(__file__).parents[1] / "tables" / "right"


def corpus() -> dict[str, bytes]:
    """The texts of the files of which right/corpus.toml says what is right."""
    entries = tomllib.loads((RIGHT / "corpus.toml").read_text(encoding="utf-8"))
    texts = {name: entry for name, entry in entries.items() if entry.get("text")}
    return {name: e["text"].encode(e.get("encoding", "utf-8")) for name, e in texts.items()}


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
    with (
        zipfile.ZipFile(io.BytesIO(data)) as source,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as target,
    ):
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


PLAIN = "user,Alien,Brazil,Clue\nann,5,,3\nbob,,4,1\n"
LONG = "user,item,rating\nann,Alien,5\nann,Brazil,3\nbob,Alien,4\n"
SHEET = "xl/worksheets/sheet1.xml"
