"""Tables in (CSV in any dialect, Excel, NumPy), with a report of what was understood, and out (CSV, Excel, Parquet).

``read_table`` reads, ``metamf.tables.write`` writes. What was read is written back in the same dialect, and every
observed cell to the character.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metamf.ratings.scale import guess_scale
    from metamf.tables.dialect import Dialect
    from metamf.tables.limits import COMMAND_LINE, WEB, WINDOW, Limits, TableError
    from metamf.tables.options import DELIMITERS, ENCODINGS, ReadOptions
    from metamf.tables.reading.notes import Note
    from metamf.tables.reading.read import read_table
    from metamf.tables.reading.report import TableReport
    from metamf.tables.table import Source, Table
    from metamf.wording import MIB
else:
    from metamf.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "metamf.ratings.scale": "guess_scale",
            "metamf.tables.dialect": "Dialect",
            "metamf.tables.limits": "COMMAND_LINE WEB WINDOW Limits TableError",
            "metamf.tables.options": "DELIMITERS ENCODINGS ReadOptions",
            "metamf.tables.reading.notes": "Note",
            "metamf.tables.reading.read": "read_table",
            "metamf.tables.reading.report": "TableReport",
            "metamf.tables.table": "Source Table",
            "metamf.wording": "MIB",
        },
    )

__all__ = [
    "COMMAND_LINE",
    "DELIMITERS",
    "ENCODINGS",
    "MIB",
    "WEB",
    "WINDOW",
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
