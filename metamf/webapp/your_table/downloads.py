"""The filled table as files, each made when you click its button."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import PurePath
from typing import Any, NamedTuple

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
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


class _File(NamedTuple):
    """A file that is offered; ``make`` gets the filled table, or nothing where the file is an ``account`` of it."""

    key: str
    label: str
    words: str
    name: str
    mime: str
    make: Callable[..., bytes]
    account: bool = False
    disabled: bool = False


def downloads(upload: Upload, table: Table, filling: Filling, key: FillingKey, measured: HoldoutReport | None) -> None:
    """Draws the buttons of the files; ``measured`` are the errors on hidden ratings, where they are known."""
    st.header("Download", anchor=False)
    useful = measured is None or bool(measured.winners)  # otherwise the verdict advises against the estimates
    places = [*st.columns(4, gap="medium"), *st.columns(4, gap="medium")]
    for place, file in zip(places, _files(upload, table, filling, key, measured)):
        with place:
            st.download_button(
                file.label,
                partial(_content, file, table, filling),
                file.name,
                file.mime,
                key=f"table_get_{file.key}",
                on_click="ignore",
                width="stretch",
                icon=":material/download:",
                disabled=file.disabled,
                type="primary" if file.key == "csv" and useful else "secondary",
            )
            look.small(file.words)


def _content(file: _File, table: Table, filling: Filling) -> bytes:
    """The file; of a large table the engine writes it."""
    if file.account:
        return file.make()
    filled = filling.filled_table(table)
    if filled.mean.size <= _LARGE:
        return file.make(filled)
    return engine().submit(file.make, filled, owner=visitor()).outcome()


def _files(
    upload: Upload, table: Table, filling: Filling, key: FillingKey, measured: HoldoutReport | None
) -> list[_File]:
    stem = PurePath(upload.name).stem.removesuffix(".csv")

    def describe() -> dict[str, Any]:
        options = stated_options(key.errors.table.statements, WEB)
        return manifest(upload.name, upload.content, options, table, filling, holdout=measured, seed=HIDING_SEED)

    too_large, no_picture = filling.mean.size > _EXCEL, filling.mean.size > LARGEST_PICTURE
    return [
        _File(
            "csv",
            "CSV, as yours",
            "your layout, and your ratings unchanged",
            f"{stem}-filled.csv",
            "text/csv",
            write.to_csv,
        ),
        _File(
            "long",
            "CSV, one line per cell",
            "origin, interval and method of each",
            f"{stem}-cells.csv",
            "text/csv",
            write.to_csv_long,
        ),
        _File(
            "xlsx",
            "Excel",
            f"up to {_EXCEL:,} cells" if too_large else "estimates on colours",
            f"{stem}-filled.xlsx",
            _XLSX,
            write.to_excel,
            disabled=too_large,
        ),
        _File(
            "svg",
            "Picture",
            f"up to {LARGEST_PICTURE:,} cells" if no_picture else "the map, for slides, as SVG",
            f"{stem}-filled.svg",
            "image/svg+xml",
            write.to_svg,
            disabled=no_picture,
        ),
        _File(
            "parquet",
            "For programs",
            "one line per cell, as Parquet",
            f"{stem}-cells.parquet",
            "application/vnd.apache.parquet",
            write.to_parquet,
        ),
        _File(
            "manifest",
            "How it was made",
            "which file, settings and versions, for your records",
            f"{stem}-manifest.json",
            "application/json",
            lambda: json.dumps(describe(), indent=2, ensure_ascii=False).encode(),
            account=True,
        ),
        _File(
            "snippet",
            "Python",
            "a program that makes the same file",
            f"{stem}-fill.py",
            "text/x-python",
            lambda: snippet(describe()).encode(),
            account=True,
        ),
    ]
