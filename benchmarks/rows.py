"""Rows of results: where the files are, and how a benchmark adds to one; and its command line."""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
INTERVAL_LEVELS = 0.5, 0.8, 0.9, 0.95  # of which rows tell coverage and width
INTERVAL_PERCENTS = tuple(round(100 * level) for level in INTERVAL_LEVELS)  # as the columns are named


def command_line(doc: str | None) -> argparse.ArgumentParser:
    """A parser whose help is the docstring of a module, as it stands."""
    return argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)


def append(path: Path, *rows: dict) -> None:
    """Adds rows to a CSV file, all at once; a new file begins with the header."""
    new = not path.exists()
    path.parent.mkdir(exist_ok=True)
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        if new:
            writer.writeheader()
        writer.writerows(rows)


def report(path: Path, *rows: dict) -> None:
    """Adds rows to a CSV file, and prints them."""
    append(path, *rows)
    for row in rows:
        print(*row.values(), flush=True)


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file as texts; none if there is no file."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
