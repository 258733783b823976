"""Tables in (text in any dialect, workbooks, data frames), with a report of what was understood, and out again.

``read_table`` reads, ``metamf.tables.write`` writes. The file comes back with its gaps filled and nothing else changed.
"""

from typing import TYPE_CHECKING

from metamf.tables.limits import COMMAND_LINE, WEB, WINDOW, Answer, Limits, TableError
from metamf.tables.options import ReadOptions

if TYPE_CHECKING:
    from metamf.tables.read import read_table
    from metamf.tables.table import Table, TableReport
else:  # with pandas, which a page without a file does without
    from metamf.lazy import lazy_names

    homes = {"metamf.tables.read": "read_table", "metamf.tables.table": "Table TableReport"}
    __getattr__, __dir__ = lazy_names(__name__, homes)

__all__ = ["COMMAND_LINE", "WEB", "WINDOW", "Answer", "Limits", "ReadOptions"]
__all__ += ["Table", "TableError", "TableReport", "read_table"]
