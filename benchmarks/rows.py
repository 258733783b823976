"""Rows of results: where the files are, how a benchmark writes to one; and its command line."""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
INTERVAL_LEVELS = 0.5, 0.8, 0.9, 0.95  # of which rows tell coverage and width
INTERVAL_PERCENTS = 50, 80, 90, 95  # as the columns are named


def command_line(doc: str | None) -> argparse.ArgumentParser:
    """A parser whose help is the docstring of a module, as it stands."""
    form = argparse.RawDescriptionHelpFormatter
    return argparse.ArgumentParser(description=doc, formatter_class=form)


def append(path: Path, *rows: dict) -> None:
    """Adds rows to a CSV file, all at once, numbers to six digits; a new file begins with the
    header."""
    if not rows:
        return
    new = not path.exists()
    path.parent.mkdir(exist_ok=True)
    with path.open("a+", newline="") as file:
        file.seek(0)
        named = dict.fromkeys(name for row in rows for name in row)
        writer = csv.DictWriter(file, named if new else next(csv.reader(file)))
        if new:
            writer.writeheader()
        writer.writerows(map(texts, rows))


def rewrite(path: Path, *rows: dict) -> None:
    """Writes a CSV file of these rows alone."""
    path.unlink(missing_ok=True)
    append(path, *rows)


def report(path: Path, *rows: dict) -> None:
    """Adds rows to a CSV file, and prints them."""
    append(path, *rows)
    for row in rows:
        print(*texts(row).values(), flush=True)


def texts(row: dict) -> dict:
    """A row as it is written and printed."""
    return {
        name: f"{value:.6g}" if isinstance(value, float) else value for name, value in row.items()
    }


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file as texts; none if there is no file."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
