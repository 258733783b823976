"""Any method on a table, and how far to trust it."""

from metamf.filling.fill_in import Filling, fill
from metamf.filling.methods import Method, method, offered

__all__ = ["Filling", "Method", "fill", "method", "offered"]
