"""Writes every measured table of the README, the pages in docs/ and the cards, from the files in benchmarks/results.

    python -m benchmarks.report

A page asks for a table by two comments, ``<!-- begin: NAME (written by benchmarks/report) -->`` and ``<!-- end: NAME
-->``; NAME is one of ``PARTS``, and whatever stands between the comments is replaced.
"""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pandas as pd

from benchmarks.report import paper, speed, tables, universal
from benchmarks.report.markdown import markdown
from metamf.checkpoints.bundled import PRETRAINED
from metamf.tables import COMMAND_LINE, WEB
from metamf.wording import in_mib

REPOSITORY = Path(__file__).resolve().parents[2]
README = REPOSITORY / "README.md"
PAGES = (README, PRETRAINED / "universal.md", *sorted((REPOSITORY / "docs").glob("*.md")))
MARKER = re.compile(r"(<!-- begin: (?P<name>\w+) [^>]*-->\n).*?(<!-- end: (?P=name) -->)", re.DOTALL)


def main() -> None:
    for page in PAGES:
        page.write_text(render(page.read_text("utf-8")), "utf-8")


def render(text: str) -> str:
    """The text of a page with all of its measured parts written anew.

    Raises
    ------
    KeyError
        if the page asks for a part that is not in ``PARTS``.
    """
    return MARKER.sub(lambda found: f"{found[1]}{PARTS[found['name']]()}\n{found[3]}", text)


def example() -> str:
    """Output of the README's first lines of Python."""
    code = re.search(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)[1]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, {})
    return f"```\n{printed.getvalue().rstrip()}\n```"


def limits() -> str:
    """How large a table may be, on the page "Your table" and on the command line."""
    what = {
        "bytes": "size of the file",
        "expanded": "size after unpacking (.gz, .xlsx, .npz)",
        "rows": "lines of the file",
        "cells": "cells of the file",
        "workbook_cells": "cells of an Excel sheet",
        "columns": "columns",
        "matrix_rows": "rows of the matrix",
        "matrix": "cells of the matrix to fill in",
    }
    rows = []
    for name, label in what.items():
        texts = [
            in_mib(value) if name in ("bytes", "expanded") else f"{value:,}"
            for value in (getattr(limit, name) for limit in (WEB, COMMAND_LINE))
        ]
        rows.append({"limit": label, "app": texts[0], "command line": texts[1]})
    return markdown(pd.DataFrame(rows))


PARTS = {
    "example": example,
    "limits": limits,
    "table1": paper.table1,
    "table1_short": paper.table1_short,
    "agreement": paper.agreement,
    "differences": paper.differences,
    "steps": paper.steps,
    "finetuning": paper.finetuning,
    "epochs": paper.epochs,
    "checkpoints": paper.checkpoints,
    "universal": universal.universal,
    "universal_short": universal.universal_short,
    "rivals": universal.rivals,
    "losses": universal.losses,
    "wider": universal.wider,
    "wider_fairly": universal.wider_fairly,
    "dishonest": universal.dishonest,
    "transfer": universal.transfer,
    "domains": universal.domains,
    "extended": universal.extended,
    "extended_unseen": universal.extended_unseen,
    "ablations": universal.ablations,
    "times": speed.times,
    "speed": speed.speed,
    "scale": speed.scale_table,
    "opening": speed.opening,
    "edit": speed.edit,
    "load": speed.load,
    "upload": speed.upload,
    "tables_corpus": tables.corpus,
    "tables_judged": tables.overall,
    "tables_judged_each": tables.each,
    "tables_judged_intervals": tables.interval_table,
    "tables_leads": tables.leads,
    "tables_seconds": tables.seconds,
    "hiding": tables.hiding,
    "sensitivity": tables.sensitivity,
}

if __name__ == "__main__":
    main()
