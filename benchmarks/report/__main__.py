"""Writes every measured table of the README, the pages in docs/ and the cards, from the files in
benchmarks/results.

    python -m benchmarks.report

A page asks for a table by ``<!-- begin: NAME (written by benchmarks/report) -->`` and
``<!-- end: NAME -->``; NAME is a function of this folder, and what stands between is replaced.
"""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

from benchmarks.report import paper, speed, tables, universal
from benchmarks.report.markdown import markdown
from metamf.checkpoints.bundled import BASELINES_FOLDER, PRETRAINED
from metamf.tables import COMMAND_LINE, WEB, Limits
from metamf.wording import in_mib

REPOSITORY = Path(__file__).resolve().parents[2]
README = REPOSITORY / "README.md"
CARDS = PRETRAINED / "universal.md", BASELINES_FOLDER / "README.md"
PAGES = (README, *CARDS, *sorted((REPOSITORY / "docs").glob("*.md")))
MARKER = re.compile(
    r"(<!-- begin: (?P<name>\w+) [^>]*-->\n).*?(<!-- end: (?P=name) -->)", re.DOTALL
)


def main() -> None:
    for page in PAGES:
        page.write_text(render(page.read_text("utf-8")), "utf-8")


def render(text: str) -> str:
    """The text of a page with all of its measured parts rewritten. Raises KeyError if one is not in
    ``PARTS``."""
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

    def shown(limits: Limits, name: str) -> str:
        value = getattr(limits, name)
        return in_mib(value) if name in ("bytes", "expanded") else f"{value:,}"

    return markdown(
        {"limit": label, "app": shown(WEB, name), "command line": shown(COMMAND_LINE, name)}
        for name, label in what.items()
    )


#: By name: the two above, and every public function of the modules that write tables.
PARTS = {"example": example, "limits": limits} | {
    name: write
    for module in (paper, speed, tables, universal)
    for name, write in vars(module).items()
    if getattr(write, "__module__", "") == module.__name__ and not name.startswith("_")
}

if __name__ == "__main__":
    main()
