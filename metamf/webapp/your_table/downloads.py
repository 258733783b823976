"""The filled table as files, each made when you click its button, and the command that repeats
it."""

from __future__ import annotations

import math
from functools import partial
from pathlib import PurePath

import streamlit as st

from metamf.answer.answer import Answer
from metamf.answer.methods import Method
from metamf.answer.table_filling import impute_command
from metamf.tables import write
from metamf.tables.table import Table
from metamf.webapp import files, look
from metamf.webapp.data import own
from metamf.webapp.data.own import Upload
from metamf.webapp.engine import Job, engine
from metamf.webapp.visits import Visitor, visitor
from metamf.webapp.your_table.filling import HIDING_SEED, FillingKey
from metamf.wording import slug

_EXCEL = 200_000  # cells up to which a workbook is written, which takes some ten seconds
_LARGE = 20_000  # cells from which the engine writes a file
_FILES = (  # key, label, words, name and ending, function of ``metamf.tables.write``
    ("long", "CSV, one line per cell", "origin, interval and method", "cells.csv", "to_csv_long"),
    ("xlsx", "Excel", "estimates on colours", "filled.xlsx", "to_excel"),
    ("parquet", "Parquet", "one line per cell", "cells.parquet", "to_parquet"),
)


def main_download(upload: Upload, table: Table, answer: Answer, useful: bool) -> None:
    """Draws the button of the file as it came, filled in; ``useful``: whether the check advises
    for the estimates."""
    files.offer(
        "Download",
        partial(_content, "to_csv", table, answer, visitor()),
        _name(upload, answer, "filled.csv"),
        key="table_get_csv",
        width="stretch",
        icon=":material/download:",
        type="primary" if useful else "secondary",
    )
    look.small("CSV as your file. Excel, 20 tables … are below.")


def downloads(upload: Upload, table: Table, answer: Answer) -> None:
    """Draws the buttons of the other files."""
    look.heading("Other files")
    cells = math.prod(answer.shape)
    owner = visitor()  # here: the function of a file is called without a session
    for place, (name, label, words, ending, writes) in zip(st.columns(4, gap="medium"), _FILES):
        too_large = name == "xlsx" and cells > _EXCEL
        with place:
            files.offer(
                label,
                partial(_content, writes, table, answer, owner),
                _name(upload, answer, ending),
                key=f"table_get_{name}",
                width="stretch",
                icon=":material/download:",
                disabled=too_large,
            )
            look.small(f"up to {_EXCEL:,} cells" if too_large else words)


def command(upload: Upload, how: Method, key: FillingKey, answer: Answer) -> None:
    """Draws the command that writes the same file."""
    out = _name(upload, answer, "filled.csv")
    words = impute_command(upload.name, own.edits(), how, out, hold_out=key.hold_out)
    st.code(words, language=None, wrap_lines=True)
    if how.chooses:
        look.small(
            f"The command does not know what {how.in_sentence} chose here, so it may differ."
        )


def _name(upload: Upload, answer: Answer, name: str) -> str:
    stem = PurePath(upload.name).stem.removesuffix(".csv")
    what, _, ending = name.partition(".")
    return f"{stem}-{what}-by-{slug(answer.method)}.{ending}"


def _content(writes: str, table: Table, answer: Answer, owner: Visitor) -> bytes | Job:
    """The file; the engine writes that of a large table, and that of a file which is not text, such
    as a workbook: a copy of it may be far larger than what was read of it."""
    make = getattr(write, writes)
    more = (HIDING_SEED,) if writes == "to_excel" else ()
    if math.prod(answer.shape) <= _LARGE and table.plan.source.kind == "text":
        return make(table, answer, *more)
    return engine().submit(make, table, answer, *more, owner=owner)
