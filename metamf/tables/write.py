"""Writing filled tables: the names that programs import, from ``metamf/tables/writing``."""

from metamf.files import write_atomically
from metamf.tables.writing.filled import CLIPPED, HELD_OUT, IMPUTED, MISSING, OBSERVED, PROVENANCE, Filled
from metamf.tables.writing.picture import to_svg
from metamf.tables.writing.text import to_csv_long, to_csv_wide
from metamf.tables.writing.workbook import to_excel, to_parquet

__all__ = [
    "CLIPPED",
    "HELD_OUT",
    "IMPUTED",
    "MISSING",
    "OBSERVED",
    "PROVENANCE",
    "Filled",
    "to_csv_long",
    "to_csv_wide",
    "to_excel",
    "to_parquet",
    "to_svg",
    "write_atomically",
]
