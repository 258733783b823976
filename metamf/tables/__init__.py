"""Tables in (CSV in any dialect, Excel, NumPy), with a report of what was understood, and out (CSV, Excel, Parquet).

``read_table`` reads, ``metamf.tables.write`` writes. What was read is written back in the same dialect, and every
observed cell to the character.
"""

from metamf.ratings.scale import guess_scale
from metamf.tables.dialect import Dialect
from metamf.tables.limits import COMMAND_LINE, WEB, WINDOW, Limits, TableError
from metamf.tables.options import DELIMITERS, ENCODINGS, ReadOptions
from metamf.tables.reading.read import read_table
from metamf.tables.reading.report import Note, TableReport
from metamf.tables.table import Source, Table
from metamf.wording import MIB

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
