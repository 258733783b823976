"""Tables in (text in any dialect, workbooks, data frames), by a plan that one can see and change,
and out again.

``read`` reads, ``metamf.tables.write`` writes: the file comes back with its gaps filled and nothing
else changed. ``propose`` makes the plan, ``apply`` reads a file by it.
"""

from typing import TYPE_CHECKING

from metamf.tables.limits import COMMAND_LINE, WEB, WINDOW, Limits, TableError
from metamf.tables.plan import Amber, Choice, Column, Group, Line, Plan, Source

if TYPE_CHECKING:
    from metamf.tables.proposal import propose
    from metamf.tables.table import Gaps, Table, apply, read
else:  # with pandas, which a page without a file does without
    from metamf.lazy import lazy_names

    homes = {
        "metamf.tables.proposal": "propose",
        "metamf.tables.table": "Gaps Table apply read",
    }
    __getattr__, __dir__ = lazy_names(__name__, homes)

__all__ = ["COMMAND_LINE", "WEB", "WINDOW", "Limits", "TableError"]
__all__ += ["Amber", "Choice", "Column", "Gaps", "Group", "Line", "Plan", "Source", "Table"]
__all__ += ["apply", "propose", "read"]
