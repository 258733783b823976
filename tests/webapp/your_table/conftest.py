"""The page Your table in a small world."""

from your_table import small_world  # noqa: F401
