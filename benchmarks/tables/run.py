"""Hides entries of real tables, and lets every method estimate them.

    python -m benchmarks.tables.download --cache FOLDER
    nice -n 19 python -m benchmarks.tables.run --cache FOLDER [--seconds 3600] [--jobs 1] [--patterns]

10, 30, 60 and 80 % are hidden, five times each. Appends a row per (table, share, seed, method) to
benchmarks/results/tables-decide.csv; rows that are there are not computed again. All tables at one share and one seed
come first. Choices are made on the deciding half; the judging half is run once, after every choice was made, by
``--half judge --look-once``. With ``--patterns`` 40 % are hidden for a reason (``benchmarks.tables.patterns``), three
times, of the judging half, and the rows go to tables-patterns.csv.

Errors are root mean squares over the hidden entries of the table, each in units of the spread of its column;
``seconds`` are of processor time (of the copula: wall, in its own process).
"""

from __future__ import annotations

import os
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from threadpoolctl import threadpool_limits

from benchmarks import grid
from benchmarks.rows import INTERVAL_LEVELS, RESULTS, append, command_line, read
from benchmarks.tables.copula import TOOLS
from benchmarks.tables.corpus import SOURCES, halves
from benchmarks.tables.download import MANIFEST
from benchmarks.tables.matrices import digest_of_matrix, hide, path_of
from benchmarks.tables.methods import AND_NORMAL, COMPETITORS, Completion, Completions, within
from benchmarks.tables.packages import fetch_tools
from benchmarks.tables.patterns import PATTERNS, hide_for_a_reason
from metamf.network.universal.intervals import coverage

SHARES = 0.3, 0.6, 0.1, 0.8  # hidden, in this order
SEEDS = range(5)
SHARE_OF_PATTERNS, SEEDS_OF_PATTERNS = 0.4, range(3)


class TableTrial(NamedTuple):
    """A table with some entries hidden, and a competitor that fills it in."""

    table: str
    share: float
    seed: int
    method: str
    pattern: str = ""  # '': at random


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--cache", type=Path, required=True, help="folder of benchmarks.tables.download")
    parser.add_argument("--half", choices=("decide", "judge"), default="decide")
    parser.add_argument("--look-once", action="store_true", help="needed for --half judge: all choices were made")
    parser.add_argument("--methods", nargs="+", choices=COMPETITORS, default=list(COMPETITORS))
    parser.add_argument("--patterns", nargs="*", choices=PATTERNS, help="hide for a reason; none: for all of them")
    parser.add_argument("--tables", nargs="+", help="only these")
    parser.add_argument("--seeds", nargs="+", type=int)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="after which nothing new is begun")
    grid.add_options(parser)
    parser.add_argument("--out", type=Path, help="default: benchmarks/results/tables-HALF.csv")
    arguments = parser.parse_args()
    if arguments.half == "judge" and not arguments.look_once:
        parser.error("the judging half is looked at once, after every choice was made: confirm that by --look-once")
    os.environ[TOOLS] = str(fetch_tools(arguments.cache))
    patterns, shares, seeds = [""], SHARES, SEEDS
    if arguments.patterns is not None:
        patterns, shares, seeds = arguments.patterns or list(PATTERNS), (SHARE_OF_PATTERNS,), SEEDS_OF_PATTERNS
    path = arguments.out or RESULTS / f"tables-{'patterns' if patterns[0] else arguments.half}.csv"
    done = {
        (
            row["table"],
            float(row["share"]),
            int(row["seed"]),
            row["method"],
            row.get("pattern", ""),
            int(row["version"]),
        )
        for row in read(path)
    }
    half = halves()
    tables = [source.name for source in SOURCES if half[source.name] == arguments.half]
    tables = [name for name in tables if arguments.tables is None or name in arguments.tables]
    check_tables(arguments.cache, tables)
    tables.sort(key=lambda name: table_of(name, arguments.cache).size)
    trials = [
        TableTrial(table, share, seed, method, pattern)
        for seed in arguments.seeds or seeds
        for pattern in patterns
        for share in shares
        for method in arguments.methods
        for table in tables
    ]
    trials = [trial for trial in trials if (*trial, COMPETITORS[trial.method].version) not in done]
    end = time.time() + arguments.seconds
    (arguments.cache / "tuned").mkdir(exist_ok=True)
    jobs = [(trial, arguments.cache, end) for trial in trials]
    for number, rows in enumerate(filter(None, grid.results(work, jobs, arguments)), 1):
        append(path, *rows)
        for row in rows:
            print(f"{number}/{len(trials)}", *(row[key] for key in SHOWN), flush=True)


SHOWN = "table", "share", "seed", "method", "error", "mean_error", "seconds", "failure"


def table_of(name: str, cache: Path) -> np.ndarray:
    """(N, M) a table in the cache."""
    return np.load(path_of(name, cache))


def check_tables(cache: Path, tables: list[str]) -> None:
    """Raises SystemExit if a table is not that of the manifest."""
    known = {row["table"]: row["sha256"] for row in read(MANIFEST)}
    for name in tables:
        if digest_of_matrix(table_of(name, cache)) != known[name]:
            raise SystemExit(f"{name} in {cache} is not the table of {MANIFEST.name}: download it again")


def work(trial: TableTrial, cache: Path, end: float) -> list[dict]:
    """The rows of one trial; none after ``end``, a time in seconds since the epoch, or if the network that it uses was
    not tuned yet. A method that fails estimates by the column means."""
    tuned = cache / "tuned" / f"{trial.table}-{trial.share}-{trial.seed}{trial.pattern}.safetensors"
    if time.time() > end or (COMPETITORS[trial.method].of_tuned and not tuned.exists()):
        return []
    torch.set_num_threads(1)
    os.environ.setdefault(TOOLS, str(cache / "tools"))  # on a worker of another machine
    values = table_of(trial.table, cache)
    how = trial.share, trial.seed
    hidden = hide_for_a_reason(values, trial.pattern, *how) if trial.pattern else hide(values, *how)
    method = COMPETITORS[trial.method]
    wall, cpu, failure = time.perf_counter(), time.process_time(), ""
    try:
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            found = method.fill(hidden.given, trial.seed, *([tuned] if method.of_tuned else []))
    except Exception as error:  # of any of the packages; the row of results has it
        found, failure = Completion(np.full(values.shape, np.nan)), f"{type(error).__name__}: {error}"[:200]
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    answers = {trial.method: found}
    if isinstance(found, Completions):
        answers = {trial.method: found.network, f"{trial.method}{AND_NORMAL}": found.both}
        if found.imputer.tuning_ is not None:
            found.imputer.save_checkpoint(tuned)
    return [
        {
            **({"pattern": trial.pattern} if trial.pattern else {}),
            **{key: value for key, value in trial._replace(method=name)._asdict().items() if key != "pattern"},
            "version": method.version,
            "rows": values.shape[0],
            "columns": values.shape[1],
            "hidden": len(hidden.rows),
            **{key: f"{value:.5g}" for key, value in table_scores(values, hidden, answer).items()},
            "seconds": f"{wall if trial.method == 'copula' else cpu:.4g}",
            "failure": failure,
        }
        for name, answer in answers.items()
    ]


def table_scores(values: np.ndarray, hidden, answer: Completion) -> dict[str, float]:
    """Errors of the estimates and of the column means; for each level coverage and mean (full) width, in spreads."""
    at = hidden.rows, hidden.cols
    spread = np.nanstd(values, axis=0)[hidden.cols]
    mean = within(answer.mean, hidden.given)

    def error(estimates: np.ndarray) -> float:
        return float(np.sqrt(np.mean(((estimates[at] - hidden.truth) / spread) ** 2)))

    found = {"error": error(mean), "mean_error": error(np.broadcast_to(np.nanmean(hidden.given, 0), values.shape))}
    if answer.half_widths is None:
        return found | {
            f"{score}_{round(100 * level)}": np.nan for level in INTERVAL_LEVELS for score in ("cover", "width")
        }
    halves = {level: torch.from_numpy(answer.half_widths[level][at]) for level in INTERVAL_LEVELS}
    return found | coverage(torch.from_numpy(mean[at] - hidden.truth), halves, torch.from_numpy(1 / spread))


if __name__ == "__main__":
    main()
