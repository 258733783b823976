"""Tables in (text in any dialect, workbooks, data frames), with a report of what was understood, and out again.

``read_table`` reads, ``metamf.tables.write`` writes. The file comes back with its gaps filled and nothing else changed.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metamf.ratings.scale import guess_scale
    from metamf.tables.limits import COMMAND_LINE, WEB, WINDOW, Answer, Limits, Note, TableError
    from metamf.tables.options import ALL_NUMBERS, DELIMITERS, ENCODINGS, ReadOptions
    from metamf.tables.read import read_table
    from metamf.tables.table import Source, Table, TableReport
    from metamf.tables.text import Dialect
    from metamf.wording import MIB
else:
    from metamf.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "metamf.ratings.scale": "guess_scale",
            "metamf.tables.limits": "COMMAND_LINE WEB WINDOW Answer Limits Note TableError",
            "metamf.tables.options": "ALL_NUMBERS DELIMITERS ENCODINGS ReadOptions",
            "metamf.tables.read": "read_table",
            "metamf.tables.table": "Source Table TableReport",
            "metamf.tables.text": "Dialect",
            "metamf.wording": "MIB",
        },
    )

__all__ = [
    "ALL_NUMBERS",
    "COMMAND_LINE",
    "DELIMITERS",
    "ENCODINGS",
    "MIB",
    "WEB",
    "WINDOW",
    "Answer",
    "Dialect",
    "Limits",
    "Note",
    "ReadOptions",
    "Source",
    "Table",
    "TableError",
    "TableReport",
    "guess_scale",
    "read_table",
]
