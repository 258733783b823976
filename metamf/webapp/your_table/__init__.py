"""The page Your table."""
