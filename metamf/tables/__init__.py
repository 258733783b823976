"""Tables in (text in any dialect, workbooks, data frames), with a report of what was understood, and out again.

``read_table`` reads, ``metamf.tables.write`` writes. The file comes back with its gaps filled and nothing else changed.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metamf.tables.limits import COMMAND_LINE, WEB, WINDOW, Answer, Limits, TableError
    from metamf.tables.options import ReadOptions
    from metamf.tables.read import read_table
    from metamf.tables.table import Table, TableReport
else:
    from metamf.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "metamf.tables.limits": "COMMAND_LINE WEB WINDOW Answer Limits TableError",
            "metamf.tables.options": "ReadOptions",
            "metamf.tables.read": "read_table",
            "metamf.tables.table": "Table TableReport",
        },
    )

__all__ = [
    "COMMAND_LINE",
    "WEB",
    "WINDOW",
    "Answer",
    "Limits",
    "ReadOptions",
    "Table",
    "TableError",
    "TableReport",
    "read_table",
]
