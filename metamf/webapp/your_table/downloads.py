"""The filled table as files, each made when you click its button."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import PurePath
from typing import Any

import streamlit as st

from metamf.evaluate.filling import Filling
from metamf.evaluate.holdout import HoldoutReport
from metamf.evaluate.manifest import manifest, snippet
from metamf.tables import write
from metamf.tables.limits import WEB
from metamf.tables.picture import LARGEST_PICTURE
from metamf.tables.table import Table
from metamf.webapp import look
from metamf.webapp.engine import engine, visitor
from metamf.webapp.uploads import Upload, stated_options
from metamf.webapp.your_table.state import FillingKey
from metamf.webapp.your_table.task import HIDING_SEED

_EXCEL = 200_000  # cells up to which a workbook is written, which takes some ten seconds
_LARGE = 20_000  # cells from which the engine writes a file
_PARQUET, _PYTHON = "application/vnd.apache.parquet", "text/x-python"
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def downloads(upload: Upload, table: Table, filling: Filling, key: FillingKey, measured: HoldoutReport | None) -> None:
    """Draws the buttons of the files; ``measured`` are the errors on hidden ratings, where they are known."""
    st.header("Download", anchor=False)
    useful = measured is None or bool(measured.winners)  # otherwise the verdict advises against the estimates
    stem = PurePath(upload.name).stem.removesuffix(".csv")
    too_large, no_picture = filling.mean.size > _EXCEL, filling.mean.size > LARGEST_PICTURE
    excel = f"up to {_EXCEL:,} cells" if too_large else "estimates on colours"
    picture = f"up to {LARGEST_PICTURE:,} cells" if no_picture else "the map, for slides, as SVG"

    def describe() -> dict[str, Any]:
        options = stated_options(key.errors.table.statements, WEB)
        return manifest(upload.name, upload.content, options, table, filling, holdout=measured, seed=HIDING_SEED)

    def program() -> bytes:
        return snippet(describe()).encode()

    def account() -> bytes:
        return json.dumps(describe(), indent=2, ensure_ascii=False).encode()

    def file(make: Callable[..., bytes]) -> Callable[[], bytes]:
        return partial(_content, make, table, filling)

    places = [*st.columns(4, gap="medium"), *st.columns(4, gap="medium")]
    for name, label, words, ending, mime, content in (
        (
            "csv",
            "CSV, as yours",
            "your layout, ratings unchanged",
            "filled.csv",
            "text/csv",
            file(write.to_csv),
        ),
        (
            "long",
            "CSV, one line per cell",
            "origin, interval and method",
            "cells.csv",
            "text/csv",
            file(write.to_csv_long),
        ),
        ("xlsx", "Excel", excel, "filled.xlsx", _XLSX, file(write.to_excel)),
        ("svg", "Picture", picture, "filled.svg", "image/svg+xml", file(write.to_svg)),
        ("parquet", "For programs", "one line per cell, as Parquet", "cells.parquet", _PARQUET, file(write.to_parquet)),
        ("manifest", "How it was made", "file, settings and versions", "manifest.json", "application/json", account),
        (
            "snippet",
            "Python",
            "a program that makes the same file",
            "fill.py",
            _PYTHON,
            program,
        ),
    ):
        with places.pop(0):
            st.download_button(
                label,
                content,
                f"{stem}-{ending}",
                mime,
                key=f"table_get_{name}",
                on_click="ignore",
                width="stretch",
                icon=":material/download:",
                disabled=(name == "xlsx" and too_large) or (name == "svg" and no_picture),
                type="primary" if name == "csv" and useful else "secondary",
            )
            look.small(words)


def _content(make: Callable[..., bytes], table: Table, filling: Filling) -> bytes:
    """The file; of a large table the engine writes it."""
    filled = filling.filled_table(table)
    if filled.mean.size <= _LARGE:
        return make(filled)
    return engine().submit(make, filled, owner=visitor()).outcome()
