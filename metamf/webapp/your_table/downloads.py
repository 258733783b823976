"""The filled table as files: made when they are asked for, and handed to the browser at once.

A click is an ordinary one, so it is answered with the settings that the visitor sees, whatever the page is doing then.
(Streamlit's own files on demand, a function as a download button's ``data``, lose clicks: while one visitor's page is
computed, the end of any other visitor's run drops the functions behind the buttons that are still shown.)
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import PurePath
from typing import Any, NamedTuple

import streamlit as st

from metamf import wording
from metamf.evaluate.filling import Filling
from metamf.evaluate.holdout import HoldoutReport
from metamf.evaluate.manifest import manifest, snippet
from metamf.tables import write
from metamf.tables.limits import WEB, TableError
from metamf.tables.table import Table
from metamf.tables.writing.picture import LARGEST_PICTURE
from metamf.webapp import look
from metamf.webapp.serving import heavy
from metamf.webapp.uploads import Upload, stated_options
from metamf.webapp.your_table import state as table_state
from metamf.webapp.your_table.keys import FillingKey
from metamf.webapp.your_table.state import MadeFile
from metamf.webapp.your_table.task import HIDING_SEED

_EXCEL = 200_000  # cells up to which a workbook is written, which takes some ten seconds
_LARGE = 20_000  # cells from which a file is written in its turn
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
# Presses the button that holds the file, once, as soon as it is there: it comes with the same answer of the server. The
# text never changes, so that a content security policy can name it by its digest (deploy/headers.conf); the file's id
# stands in the element before it.
SAVING_SCRIPT = """(() => {
  const done = (window.metamfSaved ??= new Set()), id = document.currentScript.previousElementSibling.dataset.file;
  if (done.has(id)) return;
  done.add(id);
  const press = () => {
    const button = document.querySelector(`.st-key-table_save_${id} button`);
    button?.click();
    return button;
  };
  if (press()) return;
  const watch = new MutationObserver(() => press() && watch.disconnect());
  watch.observe(document.body, { childList: true, subtree: true });
})()"""


class _File(NamedTuple):
    """A file that is offered.

    Attributes
    ----------
    key, label : key and label of its button
    words : description of its contents
    name, mime : its name and its MIME type
    make : function that makes its content of the filled table or, for an account of it, of nothing
    account : whether it is such an account
    disabled : whether its button is greyed out
    """

    key: str
    label: str
    words: str
    name: str
    mime: str
    make: Callable[..., bytes]
    account: bool = False
    disabled: bool = False


def downloads(upload: Upload, table: Table, filling: Filling, key: FillingKey, measured: HoldoutReport | None) -> None:
    """Draws the buttons of the files, and makes the one that was asked for.

    Parameters
    ----------
    key : everything that ``filling`` depends on
    measured : the errors on hidden ratings, where they are known
    """
    with st.container(horizontal=True, vertical_alignment="center"):
        st.header("Take it away", anchor=False, width="content")
        ready = st.container(horizontal=True, vertical_alignment="center", width="content")
    files = _files(upload, table, filling, key, measured)
    for place, file in zip([*st.columns(4, gap="medium"), *st.columns(4, gap="medium")], files):
        with place:
            st.button(
                file.label,
                key=f"table_get_{file.key}",
                on_click=table_state.ask_for,
                args=(file.key,),
                width="stretch",
                icon=":material/download:",
                disabled=file.disabled,
                type="primary" if file.key == "csv" else "secondary",
            )
            look.small(file.words)
    with ready:
        asked = table_state.asked_for()
        if asked is not None:
            _make(next(file for file in files if file.key == asked), key, table, filling)
        made = table_state.recall("file", key)
        if made is not None:
            _hand_over(made)


def _make(file: _File, key: FillingKey, table: Table, filling: Filling) -> None:
    """Keeps the file under "file", where it takes the place of the one before."""
    table_state.forget("file")

    def made() -> MadeFile:
        return MadeFile(file.name, file.mime, content())

    def content() -> bytes:
        if file.account:
            return file.make()
        filled = filling.filled_table(table)
        return heavy.compute((file.key, key), file.make, filled) if filled.mean.size > _LARGE else file.make(filled)

    try:
        table_state.remember("file", key, made, f"Writing {look.as_markdown(file.name)} …")
    except heavy.EndedError as error:
        heavy.show_end(error)
        return
    except TableError as error:
        look.note(f"{error}.", "warning")
    table_state.answered()


def _hand_over(made: MadeFile) -> None:
    """The file behind a button, which is pressed for the visitor, and stays for those whose browser forbids that."""
    look.small(f"{made.name}, {wording.size_of(made.content)}")
    st.download_button(
        "Save again",
        made.content,
        made.name,
        made.mime,
        key=f"table_save_{made.id}",
        on_click="ignore",
        type="tertiary",
        icon=":material/save:",
    )
    st.html(f'<i hidden data-file="{made.id}"></i><script>{SAVING_SCRIPT}</script>', unsafe_allow_javascript=True)


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
            "your layout, every rating as it stood",
            f"{stem}-filled.csv",
            "text/csv",
            write.to_csv_wide,
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
