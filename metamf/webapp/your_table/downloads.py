"""The filled table as files, each made when you click its button."""

from __future__ import annotations

import math
from functools import partial
from pathlib import PurePath

import streamlit as st

from metamf.answer.answer import Answer
from metamf.answer.command import impute_command
from metamf.answer.draws_file import drawn_file
from metamf.answer.estimator import MetaMFImputer
from metamf.answer.holdout import Report
from metamf.answer.methods import Method
from metamf.ratings.matrix import Ratings
from metamf.tables import write
from metamf.tables.limits import WEB
from metamf.tables.table import Table
from metamf.webapp import files, look
from metamf.webapp.engine import engine
from metamf.webapp.visits import Visitor, visitor
from metamf.webapp.your_table.state import FillingKey
from metamf.webapp.your_table.uploads import Upload, stated_options
from metamf.wording import slug

_EXCEL = 200_000  # cells up to which a workbook is written, which takes some ten seconds
_LARGE = 20_000  # cells from which the engine writes a file
# filled-in tables, and cells of all of them up to which they are drawn
_DRAWS = 20
_DRAWN = 2_000_000
_FILES = (  # key, label, words, name and ending, function of ``metamf.tables.write``
    ("csv", "CSV, same layout as your file", "ratings unchanged", "filled.csv", "to_csv"),
    ("long", "CSV, one line per cell", "origin, interval and method", "cells.csv", "to_csv_long"),
    ("xlsx", "Excel", "estimates on colours", "filled.xlsx", "to_excel"),
    ("parquet", "For programs", "one line per cell, as Parquet", "cells.parquet", "to_parquet"),
)


def downloads(
    upload: Upload, table: Table, how: Method, answer: Answer, key: FillingKey, measured: Report | None
) -> None:
    """Draws the buttons of the files; ``measured`` are the errors on hidden ratings, where they are known."""
    look.heading("Download")
    useful = measured is None or bool(measured.winners)  # otherwise the verdict advises against the estimates
    stem = PurePath(upload.name).stem.removesuffix(".csv")
    cells = math.prod(answer.shape)
    method = slug(answer.method)

    def named(name: str) -> str:
        what, _, ending = name.partition(".")
        return f"{stem}-{what}-by-{method}.{ending}"

    owner = visitor()  # here: the function of a file is called without a session
    for place, (name, label, words, ending, writes) in zip(st.columns(4, gap="medium"), _FILES):
        too_large = name == "xlsx" and cells > _EXCEL
        with place:
            files.offer(
                label,
                partial(_content, writes, table, answer, owner),
                named(ending),
                key=f"table_get_{name}",
                width="stretch",
                icon=":material/download:",
                disabled=too_large,
                type="primary" if name == "csv" and useful else "secondary",
            )
            look.small(f"up to {_EXCEL:,} cells" if too_large else words)
    if isinstance(answer.imputer, MetaMFImputer) and how.gives_intervals:
        with st.container(horizontal=True, vertical_alignment="center"):
            files.offer(
                f"{_DRAWS} filled-in tables",
                partial(_drawn, answer.imputer, answer.ratings, key.settings.round_to_scale, owner),
                named("draws.csv"),
                key="table_get_draws",
                icon=":material/stacks:",
                disabled=cells * _DRAWS > _DRAWN,
            )
            look.small(
                f"For correlations, tests or regressions use the {_DRAWS} tables: one filled-in table makes them look "
                "surer than they are."
            )
    with st.expander("The same by a command", icon=":material/terminal:"):
        options = stated_options(key.errors.table.statements, WEB)
        scale = "found" if key.errors.scale == table.ratings.scale else key.errors.scale
        st.code(
            impute_command(upload.name, options, how, key.settings, scale, named("filled.csv")),
            language="bash",
            wrap_lines=True,
        )
        if how.chooses or how.tuned:
            look.small(f"The command does not know what {how.in_sentence} chose or learned here, so it may differ.")


def _drawn(imputer: MetaMFImputer, given: Ratings, rounded: bool, owner: Visitor) -> bytes:
    """The file of several filled-in tables, which the engine draws."""
    return engine().submit(drawn_file, imputer, given, _DRAWS, 0, 0.0, rounded, "csv", owner=owner).outcome()


def _content(writes: str, table: Table, answer: Answer, owner: Visitor) -> bytes:
    """The file; the engine writes that of a large table, and that of a file which is not text, such as a workbook: a
    copy of it may be far larger than what was read of it."""
    make = getattr(write, writes)
    if math.prod(answer.shape) <= _LARGE and table.source.kind in ("text", "none"):
        return make(table, answer)
    return engine().submit(make, table, answer, owner=owner).outcome()
