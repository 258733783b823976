"""Measures how tables are read: clicks to the right plan, gaps filled at once, false alarms, time.

    python -m benchmarks.tables.reading files
    python -m benchmarks.tables.reading frames FOLDER [--half judging]
    python -m benchmarks.tables.reading made-up

FOLDER holds the unpacked package pydataset 0.2.0 with its resources.tar.gz unpacked, too. Each part
prints what it finds (with ``--list`` also what is not as it should be) and, with ``--save``,
replaces its rows in benchmarks/results/reading.csv. ``files`` takes what is right from
tests/tables/right (``benchmarks.tables.right``); files of ../shared count where they are at hand.
Choices are made on the deciding half of the frames; the judging half is looked at once.
"""

from __future__ import annotations

import argparse
import time
import traceback
from collections import Counter, defaultdict
from pathlib import Path

import metamf.tables as reader
from benchmarks.rows import RESULTS, command_line, read, rewrite, texts
from benchmarks.tables import made_up
from benchmarks.tables.frames import HALVES, Frame, cells, frames
from benchmarks.tables.right import Clicks, clicks, content, right_files, summary_of
from metamf.answer.methods import method
from metamf.tables import write

SETS = {"cases": "public", "forms": "public", "fresh": "public", "people": "own", "corpus": "own"}
DRAWS = 60  # of each kind of plain table; 30 of each kind of like columns


def measure_frames(options: argparse.Namespace) -> list[dict]:
    """Frames filled at once, their columns filled, cells changed, columns amber."""
    counts: Counter[str] = Counter()
    slowest = 0.0
    for frame in frames(options.folder, options.half):
        began = time.process_time()
        found, listed = read_frame(frame)
        slowest = max(slowest, time.process_time() - began)
        counts.update(found)
        if options.list and listed:
            print(frame.name, *listed, sep="\n    ")
    figures = {
        "frames": counts["frames"],
        "filled at once": counts["filled at once"] / counts["frames"],
        "without a hole": counts["without a hole"] / counts["frames"],
        "numeric columns with gaps": counts["gappy"],
        "of these filled": counts["columns filled"] / counts["gappy"],
        "given cells changed": counts["changed"],
        "columns that are amber": counts["amber"] / counts["columns"],
        "slowest, seconds of processor time": slowest,
    }
    return rows_of(f"frames, {options.half} half", figures)


def read_frame(frame: Frame) -> tuple[dict[str, int], list[str]]:
    """Reads a frame with nothing answered, fills it by means, writes and compares it: what is
    counted, and what is to be listed."""
    before = cells(frame.data)
    found = {"frames": 1, "gappy": len(frame.numeric), "columns": len(before[0])}
    try:
        plan = reader.propose(frame.data)
        table = reader.apply(frame.data, plan)
        after = cells(write.to_csv(table, method("col_means").predict(table.ratings, None)))
    except Exception as error:  # a traceback is a finding
        return found, [f"{type(error).__name__}: {error}"]
    if len(before) != len(after) or len(before[0]) > len(after[0]):
        return found, ["written in another shape"]
    pairs = [pair for was, now in zip(before, after) for pair in zip(was, now)]
    left = [before[0][j] for j in frame.numeric if any(line[j] == "" for line in after[1:])]
    found |= {
        "filled at once": 1,
        "without a hole": int(not left),
        "columns filled": len(frame.numeric) - len(left),
        "changed": sum(was not in ("", now) for was, now in pairs),
        "amber": len({amber.column for amber in plan.amber if amber.column is not None}),
    }
    return found, [*left, *(amber.sentence for amber in plan.amber)]


def measure_files(options: argparse.Namespace) -> list[dict]:
    """Clicks to the right plan, by set and over all."""
    by_set: defaultdict[str, list[Clicks]] = defaultdict(list)
    for (of, name), right in right_files().items():
        data = content(of, name, right)
        if data is None:
            continue
        try:
            found = clicks(data, right, reader)
        except Exception:  # a traceback is a finding
            what = traceback.format_exc(limit=-2).strip().replace("\n", " | ")
            found = Clicks(0, lost=(what,), silent=(what,))
        for group in (of, f"all, {SETS[of]}", "all"):
            by_set[group].append(found)
        if options.list and (found.n or found.lost or found.silent or found.alarms):
            print(f"{of}/{name}: {found.n} clicks")
            for label in ("found", "lost", "silent", "alarms"):
                print(*(f"    {label}: {what}" for what in getattr(found, label)), sep="\n")
    return [row for of in sorted(by_set) for row in rows_of(f"files, {of}", summary_of(by_set[of]))]


def measure_made_up(options: argparse.Namespace) -> list[dict]:
    """Tables of like columns in which one is kept, and plain tables with anything amber."""
    kept, alarms, rows = 0, 0, []
    for what, make in made_up.LIKE_COLUMNS.items():
        plans = [reader.propose(make(seed)) for seed in range(DRAWS // 2)]
        whys = [[c.why for c in plan.columns if c.role == "keep"] for plan in plans]
        kept += sum(map(bool, whys))
        if options.list:
            print(what, whys)
    rows += rows_of("made up, like columns", {"tables": DRAWS, "with a column left out": kept})
    for what, make in made_up.PLAIN.items():
        plans = [reader.propose(make(seed)) for seed in range(DRAWS)]
        sentences = [plan.amber[0].sentence for plan in plans if plan.amber]
        alarms += len(sentences)
        rows += rows_of(f"made up, {what}", {"with anything amber": len(sentences) / DRAWS})
        if options.list:
            print(what, sentences)
    total = DRAWS * len(made_up.PLAIN)
    return rows + rows_of(
        "made up, plain", {"tables": total, "with anything amber": alarms / total}
    )


def rows_of(what: str, figures: dict[str, float]) -> list[dict]:
    """Rows of the result file."""
    return [{"what": what, "figure": name, "value": value} for name, value in figures.items()]


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--save", action="store_true", help="write the rows to the result file")
    parser.add_argument("--list", action="store_true", help="print what is not as it should be")
    parts = parser.add_subparsers(dest="part", required=True)
    parts.add_parser("files").set_defaults(measure=measure_files)
    parts.add_parser("made-up").set_defaults(measure=measure_made_up)
    of_frames = parts.add_parser("frames")
    of_frames.add_argument("folder", type=Path)
    of_frames.add_argument("--half", default="deciding", choices=HALVES)
    of_frames.set_defaults(measure=measure_frames)
    options = parser.parse_args()
    rows = options.measure(options)
    for row in rows:
        print(*texts(row).values(), sep=": ")
    if options.save:
        path, again = RESULTS / "reading.csv", {row["what"] for row in rows}
        kept = [row for row in read(path) if row["what"] not in again]
        rewrite(path, *sorted([*kept, *rows], key=lambda row: row["what"]))


if __name__ == "__main__":
    main()
