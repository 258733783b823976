"""Real tables of nine kinds, and the methods that fill them in best: ``python -m benchmarks.tables.run``."""
