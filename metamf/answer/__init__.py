"""Any method on a rating matrix, and how far to trust it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metamf.answer.filling import FillSettings, fill, filled_table
    from metamf.answer.methods import Method, method, offered, tuned_baseline
    from metamf.ratings.limits import OutsideScaleError
else:
    from metamf.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "metamf.answer.filling": "FillSettings fill filled_table",
            "metamf.answer.methods": "Method method offered tuned_baseline",
            "metamf.ratings.limits": "OutsideScaleError",
        },
    )

__all__ = ["FillSettings", "Method", "OutsideScaleError", "fill", "filled_table", "method", "offered", "tuned_baseline"]
