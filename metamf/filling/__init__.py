"""Any method on a table, and how far to trust it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metamf.filling.fill_in import Filling, FillSettings, fill
    from metamf.filling.methods import Method, method, offered
    from metamf.filling.outside import OutsideScaleError
    from metamf.filling.rivals import rival
else:
    from metamf.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "metamf.filling.fill_in": "FillSettings Filling fill",
            "metamf.filling.methods": "Method method offered",
            "metamf.filling.outside": "OutsideScaleError",
            "metamf.filling.rivals": "rival",
        },
    )

__all__ = ["FillSettings", "Filling", "Method", "OutsideScaleError", "fill", "method", "offered", "rival"]
