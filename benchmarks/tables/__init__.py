"""Real tables of nine kinds, and what fills them in best: ``python -m benchmarks.tables.run``."""
