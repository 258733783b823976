"""Tiny archives in the publishers' layout."""

import struct
import zipfile
from dataclasses import replace

from metamf.datasets import archives

U_DATA = "2\t1\t3\t881250949\n1\t3\t5\t891717742\n1\t1\t4\t878887116\n3\t2\t1\t880606923\n"
U_ITEM = (
    "1|Plätze (1990)|01-Jan-1990||http|0|1\n2|Gleich (1991)|||http|1\n3|Gleich (1991)|||http|0\n\n"
).encode("latin-1")
MOVIES = "1::Plätze (1990)::Drama\n3::Nur einer (1991)::Comedy|Crime\n".encode("latin-1")


def describe(monkeypatch, name, **facts):
    monkeypatch.setitem(archives.ARCHIVES, name, replace(archives.ARCHIVES[name], **facts))


def write_zip(folders, name, members):
    path = folders / "data" / archives.find(name).file_name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for member, content in members.items():
            file.writestr(member, content)
    return path


def tiny_100k(folders, monkeypatch, u_data=U_DATA, **more):
    describe(monkeypatch, "ml-100k", shape=(3, 3), ratings=4)
    lines = U_DATA.splitlines(keepends=True)
    split = {"ml-100k/u1.base": "".join(lines[:2]), "ml-100k/u1.test": "".join(lines[2:])}
    members = {"ml-100k/u.data": u_data, "ml-100k/u.item": U_ITEM} | split | more
    return write_zip(folders, "ml-100k", members)


def tiny_xls(rows) -> bytes:
    """A worksheet in BIFF 2, the oldest and simplest .xls: one NUMBER record per cell."""

    def record(code: int, data: bytes) -> bytes:
        return struct.pack("<HH", code, len(data)) + data

    cells = b"".join(
        record(0x0003, struct.pack("<HH3xd", n, m, x))
        for n, row in enumerate(rows)
        for m, x in enumerate(row)
    )
    return record(0x0009, struct.pack("<HH", 2, 0x10)) + cells + record(0x000A, b"")


def tiny_jester(folders, monkeypatch):
    describe(monkeypatch, "jester", shape=(3, 2), ratings=4)
    sheet = tiny_xls([[2, -7.82, 0.0], [1, 99, 9.5], [1, 10.0, 99]])
    return write_zip(folders, "jester", {"jester-data-1.xls": sheet})
