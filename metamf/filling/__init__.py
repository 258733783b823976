"""Any method on a table, and how far to trust it."""

from metamf.filling.fill_in import Filling, FillSettings, fill
from metamf.filling.methods import Method, method, offered

__all__ = ["FillSettings", "Filling", "Method", "fill", "method", "offered"]
