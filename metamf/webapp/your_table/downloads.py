"""The filled table as files, each made when you click its button."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import PurePath

import streamlit as st

from metamf.answer.answer import Answer
from metamf.answer.filling import filled_table
from metamf.answer.holdout import HoldoutReport
from metamf.answer.manifest import Output, manifest, snippet
from metamf.answer.methods import Method
from metamf.tables import write
from metamf.tables.limits import WEB
from metamf.tables.table import Table
from metamf.webapp import look
from metamf.webapp.engine import engine
from metamf.webapp.visits import Visitor, visitor
from metamf.webapp.your_table.state import FillingKey
from metamf.webapp.your_table.uploads import Upload, stated_options

_EXCEL = 200_000  # cells up to which a workbook is written, which takes some ten seconds
_LARGE = 20_000  # cells from which the engine writes a file
_PARQUET = "application/vnd.apache.parquet"
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_JSON, _PYTHON = "application/json", "text/x-python"
_FILES = (  # key, label, words, name and ending, type, function of ``metamf.tables.write``
    ("csv", "CSV, as yours", "your layout, ratings unchanged", "filled.csv", "text/csv", "to_csv"),
    ("long", "CSV, one line per cell", "origin, interval and method", "cells.csv", "text/csv", "to_csv_long"),
    ("xlsx", "Excel", "estimates on colours", "filled.xlsx", _XLSX, "to_excel"),
    ("parquet", "For programs", "one line per cell, as Parquet", "cells.parquet", _PARQUET, "to_parquet"),
    ("manifest", "How it was made", "file, settings and versions", "manifest.json", _JSON, ""),
    ("snippet", "Python", "a program that makes the same file", "fill.py", _PYTHON, ""),
)


def downloads(
    upload: Upload, table: Table, how: Method, answer: Answer, key: FillingKey, measured: HoldoutReport | None
) -> None:
    """Draws the buttons of the files; ``measured`` are the errors on hidden ratings, where they are known."""
    st.header("Download", anchor=False)
    useful = measured is None or bool(measured.winners)  # otherwise the verdict advises against the estimates
    stem = PurePath(upload.name).stem.removesuffix(".csv")
    method = re.sub("[^a-z0-9]+", "-", answer.method.lower()).strip("-")

    def named(name: str) -> str:
        what, _, ending = name.partition(".")
        return f"{stem}-{what}-by-{method}.{ending}"

    def account(name: str) -> bytes:
        options, output = stated_options(key.errors.table.statements, WEB), Output(named("filled.csv"), "csv")
        about = upload.name, upload.content, options, table, how, answer, key.settings
        made = manifest(*about, holdout=measured, seed=key.settings.seed, output=output)
        return (snippet(made) if name == "snippet" else json.dumps(made, indent=2, ensure_ascii=False)).encode()

    owner = visitor()  # here: the function of a button is called without a session
    places = [*st.columns(4, gap="medium"), *st.columns(4, gap="medium")]
    for place, (name, label, words, ending, mime, writes) in zip(places, _FILES):
        too_large = name == "xlsx" and answer.mean.size > _EXCEL
        with place:
            st.download_button(
                label,
                partial(_content, writes, table, answer, owner) if writes else partial(account, name),
                named(ending),
                mime,
                key=f"table_get_{name}",
                on_click="ignore",
                width="stretch",
                icon=":material/download:",
                disabled=too_large,
                type="primary" if name == "csv" and useful else "secondary",
            )
            look.small(f"up to {_EXCEL:,} cells" if too_large else words)


def _content(writes: str, table: Table, answer: Answer, owner: Visitor) -> bytes:
    """The file; the engine writes that of a large table, and that of a file which is not text, such as a workbook: a
    copy of it may be far larger than what was read of it."""
    make = getattr(write, writes)
    filled = filled_table(table, answer)
    if filled.mean.size <= _LARGE and table.source.kind in ("text", "none"):
        return make(filled)
    return engine().submit(make, filled, owner=owner).outcome()
