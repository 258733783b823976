"""Any method on a rating matrix, and how far to trust it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metamf.answer.methods import Method, method, offered, tuned_baseline
    from metamf.ratings.limits import OutsideScaleError
else:
    from metamf.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "metamf.answer.methods": "Method method offered tuned_baseline",
            "metamf.ratings.limits": "OutsideScaleError",
        },
    )

__all__ = ["Method", "OutsideScaleError", "method", "offered", "tuned_baseline"]
