"""What must not take long, measured by what this process takes for a known piece of work just then: a
busy or slow machine fails no test, and work that grows with the square of a file does."""

import csv
import time

LINES = [f"row {n},{n},{n % 7}.5,{n % 5}" for n in range(25_000)]


def reference() -> float:
    """Seconds of processor time for 150,000 lines that the csv module divides and float reads: some
    .05 on an idle core of 2026."""
    began = time.process_time()
    for _ in range(6):
        sum(float(cell) for line in csv.reader(LINES) for cell in line[1:])
    return time.process_time() - began


def references(n: float) -> float:
    """Seconds of processor time for ``n`` times that work, at the pace of now."""
    return n * max(reference() for _ in range(3))
