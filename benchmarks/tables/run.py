"""Hides entries of real tables, and lets every method estimate them.

    python -m benchmarks.tables.download --cache FOLDER
    nice -n 19 python -m benchmarks.tables.run --cache FOLDER [--methods default] [--mar]

10, 30, 60 and 80 % are hidden, five times each. Appends a row per (table, share, seed, method) to
benchmarks/results/tables-decide.csv; rows that are there are not computed again. All tables at one
share and one seed come first. Choices are made on the deciding half; the judging half is run once,
after every choice was made, by ``--half judge --look-once``. With ``--mar`` 40 % are hidden as other
columns say, three times, of the judging half, and the rows go to tables-patterns.csv.

Errors are root mean squares over the hidden entries of the table, each in units of the spread of
its column; ``seconds`` are of processor time.
"""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from threadpoolctl import threadpool_limits

from benchmarks import grid
from benchmarks.rows import INTERVAL_LEVELS, RESULTS, append, command_line, read, texts
from benchmarks.tables.corpus import SOURCES
from benchmarks.tables.download import MANIFEST
from benchmarks.tables.matrices import Hidden, digest_of_matrix, hide, hide_by_others, path_of
from benchmarks.tables.methods import COMPETITORS, Completion, within
from metamf.network.universal.intervals import coverage

SHARES, SEEDS = (0.3, 0.6, 0.1, 0.8), range(5)  # hidden, in this order
MAR = "mar"
SHOWN = "table", "share", "seed", "method", "error", "mean_error", "seconds", "failure"


class TableTrial(NamedTuple):
    """A table with some entries hidden, and a competitor that fills it in."""

    table: str
    share: float
    seed: int
    method: str
    pattern: str = ""  # '': at random


def main() -> None:
    parser = command_line(__doc__)
    cache = "folder of benchmarks.tables.download"
    parser.add_argument("--cache", type=Path, required=True, help=cache)
    parser.add_argument("--half", choices=("decide", "judge"), default="decide")
    once = "needed for --half judge: all choices were made"
    parser.add_argument("--look-once", action="store_true", help=once)
    parser.add_argument("--methods", nargs="+", choices=COMPETITORS, default=list(COMPETITORS))
    parser.add_argument("--mar", action="store_true", help="hide as other columns say")
    parser.add_argument("--seeds", nargs="+", type=int)
    grid.add_options(parser)
    options = parser.parse_args()
    if options.half == "judge" and not options.look_once:
        parser.error(
            "the judging half is looked at once, after every choice was made: confirm that by "
            "--look-once"
        )
    pattern, shares, seeds = (MAR, (0.4,), range(3)) if options.mar else ("", SHARES, SEEDS)
    path = RESULTS / f"tables-{'patterns' if options.mar else options.half}.csv"
    done = {key_of(row) for row in read(path)}
    tables = [source.name for source in SOURCES if source.half == options.half]
    check_tables(options.cache, tables)
    tables.sort(key=lambda name: table_of(name, options.cache).size)
    trials = [
        TableTrial(table, share, seed, method, pattern)
        for seed in options.seeds or seeds
        for share in shares
        for method in options.methods
        for table in tables
    ]
    trials = [trial for trial in trials if (*trial, COMPETITORS[trial.method].version) not in done]
    jobs = [(trial, options.cache) for trial in trials]
    for number, row in enumerate(grid.results(work, jobs, options), 1):
        append(path, row)
        print(f"{number}/{len(trials)}", *(texts(row)[key] for key in SHOWN), flush=True)


def key_of(row: dict[str, str]) -> tuple:
    """The trial of a row, and the version of its method."""
    trial = row["table"], float(row["share"]), int(row["seed"]), row["method"]
    return *trial, row.get("pattern", ""), int(row["version"])


def table_of(name: str, cache: Path) -> np.ndarray:
    """(N, M) a table in the cache."""
    return np.load(path_of(name, cache))


def check_tables(cache: Path, tables: list[str]) -> None:
    """Raises SystemExit if a table is not that of the manifest."""
    known = {row["table"]: row["sha256"] for row in read(MANIFEST)}
    for name in tables:
        if digest_of_matrix(table_of(name, cache)) != known[name]:
            raise SystemExit(
                f"{name} in {cache} is not the table of {MANIFEST.name}: download it again"
            )


def work(trial: TableTrial, cache: Path) -> dict:
    """The row of one trial. A method that fails estimates by the column means."""
    torch.set_num_threads(1)
    values = table_of(trial.table, cache)
    how = hide_by_others if trial.pattern else hide
    hidden = how(values, trial.share, trial.seed)
    method = COMPETITORS[trial.method]
    start, failure = time.process_time(), ""
    try:
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            found = method.fill(hidden.given, trial.seed)
    except Exception as error:  # of any of the packages; the row of results has it
        found = Completion(np.full(values.shape, np.nan))
        failure = f"{type(error).__name__}: {error}"[:200]
    seconds = time.process_time() - start
    row = {"pattern": trial.pattern} if trial.pattern else {}
    row |= {"table": trial.table, "share": trial.share, "seed": trial.seed, "method": trial.method}
    row |= {"version": method.version, "rows": values.shape[0], "columns": values.shape[1]}
    row |= {"hidden": len(hidden.rows)}
    row |= table_scores(values, hidden, found)
    return row | {"seconds": seconds, "failure": failure}


def table_scores(values: np.ndarray, hidden: Hidden, answer: Completion) -> dict[str, float]:
    """Errors of the estimates and of the column means; for each level coverage and mean (full)
    width, in spreads."""
    at = hidden.rows, hidden.cols
    spread = np.nanstd(values, axis=0)[hidden.cols]
    mean = within(answer.mean, hidden.given)[at] - hidden.truth
    column_mean = np.nanmean(hidden.given, axis=0)[hidden.cols] - hidden.truth
    errors = {"error": mean, "mean_error": column_mean}
    found = {name: float(np.sqrt(np.mean((off / spread) ** 2))) for name, off in errors.items()}
    if answer.half_widths is None:
        names = [f"{s}_{100 * p:.0f}" for p in INTERVAL_LEVELS for s in ("cover", "width")]
        return found | dict.fromkeys(names, np.nan)
    half_widths = {p: torch.from_numpy(answer.half_widths[p][at]) for p in INTERVAL_LEVELS}
    return found | coverage(torch.from_numpy(mean), half_widths, torch.from_numpy(1 / spread))


if __name__ == "__main__":
    main()
