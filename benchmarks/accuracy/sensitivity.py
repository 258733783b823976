"""Sensitivity to constants that rest on judgement alone: each is halved and doubled, or moved as far as possible.

    python -m benchmarks.tables.download --cache FOLDER
    python -m benchmarks.accuracy.sensitivity --cache FOLDER

``universal`` fills in the tables of the deciding half (``benchmarks.tables``), 30 % of their entries hidden, with one
constant at another value. Adds rows to benchmarks/results/sensitivity.csv, one per constant and value: the error
relative to that with the usual value (geometric mean, smallest and largest over the tables), the coverage of the 90 %
interval with either, and the ratio of the mean widths. Constants of tuning are tried on the eight smallest tables of at
least 400 given entries, all others on the tables of at most 6,000 cells.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from benchmarks.rows import RESULTS, command_line, read, report
from benchmarks.tables.corpus import SOURCES, halves
from benchmarks.tables.matrices import Hidden, hide
from benchmarks.tables.methods import Completion
from benchmarks.tables.run import check_tables, table_of, table_scores
from metamf import MetaMFImputer

PATH = RESULTS / "sensitivity.csv"
SHARE, SEED, LEVEL = 0.3, 0, 0.9
MOST_CELLS, TUNED_TABLES, FEWEST_TUNED = 6_000, 8, 400

#: By name, the settings of MetaMFImputer, and for each constant the values to try.
STUDIES: dict[str, tuple[dict[str, Any], dict[str, tuple[Any, ...]]]] = {
    "network": (
        {"standardize": "columns"},
        {
            "network.universal.network.OVERSTATED": (0.4, 1.6),
            "network.universal.network.LARGEST_LEVERAGE": (0.9, 0.975),
            "network.universal.intervals.LARGEST_OWN_WEIGHT": (0.35, 1.0),
            "network.universal.intervals.HALF_OF_IT_AT": (25, 100),
            "network.universal.intervals.NARROWEST": (0.005, 0.02),
            "network.universal.network.LITTLE_NOISE": (0.005, 0.02),
            "ratings.units.LITTLE": (5e-5, 2e-4),
            "answer.adaptation.CONVERGED": (8, 32),
        },
    ),
    "choice of units": (
        {"standardize": "chosen"},
        {
            "answer.unit_selection.DIVISIONS": (2, 8),
            "answer.unit_selection.HIDDEN_SHARE": (0.1, 0.4),
            "answer.unit_selection.FEWEST_TO_CHOOSE": (10, 40),
            "answer.unit_selection.BEYOND_CHANCE": (1.0, 4.0),
            "answer.hidden_check.FARTHEST_ERROR": (2.5, 10.0),
            "answer.unit_selection.MOST_ENTRIES": (1_000, 2_000),
        },
    ),
    "second member": (
        {"standardize": "columns", "members": "normal"},
        {
            "answer.ensemble.WEIGHTS_DEVIATION": (0.2, 0.5),
            "answer.adaptation.ENSEMBLE_DIVISIONS": (2, 6),
            "answer.calibration.HALF_FACTOR": (25.0, 100.0),
            "answer.calibration.SMALLEST_FACTOR": (5e-4, 2e-3),
            "baselines.normal.JITTER": (5e-7, 2e-6),
            "baselines.normal.USUAL_ENTRIES": (1.0, 4.0),
            "baselines.normal.LARGEST_CORRELATION": (0.9, 0.975),
        },
    ),
    "trees": (
        {"standardize": "columns", "members": "trees"},
        {
            "answer.ensemble.WEIGHTS_DEVIATION": (0.2, 0.5),
            "baselines.normal.TREES": (15, 60),
            "baselines.normal.LEAF_ENTRIES": (3, 10),
            "baselines.normal.COLUMN_SHARE": (0.35, 1.0),
            "baselines.normal.FEWEST_ENTRIES": (4, 16),
        },
    ),
    "tuning": (
        {"standardize": "columns", "tune": "auto", "tune_seconds": None},
        {
            "learning.tuning.HIDDEN_SHARES": ((0.025, 0.25), (0.1, 0.9)),
            "learning.tuning.HIGHEST_RATE": (5e-4, 2e-3),
            "learning.tuning.WARMUP": (5, 20),
            "learning.tuning.CLIP_GRADIENT": (0.5, 2.0),
            "learning.tuning.CHECK_SHARE": (0.075, 0.3),
            "learning.tuning.CHECK_EVERY": (5, 20),
            "learning.tuning.STALE_CHECKS": (2, 8),
            "learning.tuning.USUAL_STEPS": (80, 320),
        },
    ),
}


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--cache", type=Path, required=True, help="folder of benchmarks.tables.download")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    half = halves()
    names = [source.name for source in SOURCES if half[source.name] == "decide"]
    check_tables(arguments.cache, names)
    problems = {name: hide(table_of(name, arguments.cache), SHARE, SEED) for name in names}
    done = {(row["study"], row["module"], row["constant"], row["tried"]) for row in read(PATH)}
    for study in STUDIES:
        for row in rows(study, of_study(study, problems), done):
            report(PATH, row)


def of_study(study: str, problems: dict[str, Hidden]) -> dict[str, Hidden]:
    """The tables that a study looks at."""
    small = {name: problem for name, problem in problems.items() if problem.given.size <= MOST_CELLS}
    if study != "tuning":
        return small
    given = {name: int((~np.isnan(problem.given)).sum()) for name, problem in small.items()}
    enough = sorted((number, name) for name, number in given.items() if number >= FEWEST_TUNED)
    return {name: small[name] for _, name in enough[:TUNED_TABLES]}


def rows(study: str, problems: dict[str, Hidden], done: set[tuple[str, ...]]) -> Iterator[dict[str, Any]]:
    """The rows of results of a study, but for those that are done."""
    settings, constants = STUDIES[study]

    @cache
    def usual() -> list[dict[str, float]]:
        return [answer(problem, settings) for problem in problems.values()]

    for constant, values in constants.items():
        module, _, name = f"metamf.{constant}".rpartition(".")
        for value in values:
            if (study, module, name, str(value)) in done:
                continue
            before = getattr(importlib.import_module(module), name)
            with patch(f"{module}.{name}", value):
                tried = [answer(problem, settings) for problem in problems.values()]
            yield {
                "study": study,
                "module": module,
                "constant": name,
                "usual": before,
                "tried": value,
                "tables": len(problems),
                **compared(usual(), tried),
            }


def answer(problem: Hidden, settings: dict[str, Any]) -> dict[str, float]:
    """Error of a filling on the hidden entries, coverage and width of its 90 % interval, in spreads of the columns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = MetaMFImputer(random_state=SEED, **settings).fit(problem.given).imputation(LEVEL)
    values = problem.given.copy()
    values[problem.rows, problem.cols] = problem.truth
    half_widths = {level: result.half_width for level in (0.5, 0.8, LEVEL, 0.95)}  # only those of LEVEL are looked at
    found = table_scores(values, problem, Completion(result.mean, half_widths))
    return {"error": found["error"], "cover": found["cover_90"], "width": found["width_90"]}


def compared(usual: list[dict[str, float]], tried: list[dict[str, float]]) -> dict[str, str]:
    """Change that another value makes, over all tables."""
    errors, widths = ([b[key] / a[key] for a, b in zip(usual, tried)] for key in ("error", "width"))
    return {
        "error": f"{np.exp(np.mean(np.log(errors))):.4f}",
        "lowest": f"{min(errors):.4f}",
        "highest": f"{max(errors):.4f}",
        "cover_usual": f"{np.mean([a['cover'] for a in usual]):.4f}",
        "cover_tried": f"{np.mean([b['cover'] for b in tried]):.4f}",
        "width": f"{np.exp(np.mean(np.log(widths))):.4f}",
    }


if __name__ == "__main__":
    main()
